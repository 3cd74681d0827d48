"""Reading a configuration: a TOML file, then `--set` overrides, then validation."""

import tomllib
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from configs.schema import Config
from errors import UserError


def read_config(path: str | Path, overrides: list[str] | tuple[str, ...] = ()) -> Config:
    """Reads and validates a configuration.

    Args:
        path: a TOML file that holds what differs from the defaults in `configs/schema.py`.
        overrides: strings like `"model.num_heads=4"`. A value is read as TOML where it is TOML, else as text.

    Returns:
        The frozen `Config`. A relative `data.path` or `data.word_index` is made absolute from the current folder.

    Raises:
        UserError: the file cannot be read, is not TOML, or holds an unknown key or an impossible value.
    """
    settings = _read_toml(Path(path))
    for override in overrides:
        _apply(settings, override)
    try:
        config = Config.model_validate(settings)
    except ValidationError as error:
        raise UserError(f"{path}: {_in_words(error)}") from None
    return _with_absolute_paths(config)


def config_to_toml(config: Config) -> str:
    """Returns the whole configuration, defaults included, as TOML text that `read_config` accepts."""
    return tomli_w.dumps(config.model_dump(exclude_none=True))


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"no configuration file at {path}") from None
    except OSError as error:
        raise UserError(f"cannot read the configuration {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not a TOML file: {error}") from None


def _apply(settings: dict[str, Any], override: str) -> None:
    """Writes one `section.key=value` into the nested settings."""
    name, equals, value = override.partition("=")
    keys = name.strip().split(".")
    if not equals or not all(keys):
        raise UserError(f"--set expects SECTION.KEY=VALUE, for example model.num_heads=4. Received: {override!r}")
    section = settings
    for key in keys[:-1]:
        section = section.setdefault(key, {})
        if not isinstance(section, dict):
            raise UserError(f"--set {override}: {key} is a value, not a section")
    section[keys[-1]] = _as_toml_value(value.strip())


def _as_toml_value(text: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # no TOML, or a number or a nesting beyond all limits
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _in_words(error: ValidationError) -> str:
    """One line for all that is wrong, each setting by its full name."""
    parts = []
    for problem in error.errors():
        name = ".".join(str(key) for key in problem["loc"])
        if problem["type"] == "extra_forbidden":
            parts.append(f"unknown setting {name}")
        elif name:
            parts.append(f"{name}: {problem['msg']}. Received: {_short(problem['input'])}")
        else:
            parts.append(problem["msg"].removeprefix("Value error, "))
    return "; ".join(parts)


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def _with_absolute_paths(config: Config) -> Config:
    """A run may be interpreted from another folder than the one it was trained in."""
    try:
        found = {
            key: str(Path(value).expanduser().absolute())
            for key in ("path", "word_index")
            if (value := getattr(config.data, key)) is not None
        }
    except RuntimeError as error:  # no such user's home
        raise UserError(f"data.path or data.word_index: {error}") from None
    for key, value in found.items():
        if not _is_text(value):
            raise UserError(f"data.{key}: expected a path whose name is UTF-8. Received: {value!r}")
    return config.model_copy(update={"data": config.data.model_copy(update=found)}) if found else config
