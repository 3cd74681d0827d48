"""A run on disk: the one place that knows the names of its files, writes all of them and reads all of them."""

import contextlib
import csv
import hashlib
import json
import shutil
import uuid
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from configs.read import config_to_toml, read_config
from configs.schema import Config
from data.vocabulary import Vocabulary
from errors import UserError
from quiet_keras import import_keras

CONFIG, MODEL, VOCABULARY, METRICS = "config.toml", "model.keras", "vocabulary.json", "metrics.json"
HISTORY, PREDICTIONS, FIGURE = "history.csv", "test_predictions.csv", "training.png"
TENSORBOARD = "tensorboard"
_FILES = (CONFIG, MODEL, VOCABULARY, METRICS, HISTORY, PREDICTIONS, FIGURE)
_METRICS_KEYS = ("test", "validation", "majority_baseline", "label_names", "reviews", "data", "files")
_SEALED = (CONFIG, MODEL, VOCABULARY)  # files that only make sense together; metrics.json holds their checksums


class RunFolder:
    """A complete run.

    Args:
        path: the folder.

    Raises:
        UserError: it is missing, incomplete, or its files do not belong together.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        if not self.path.is_dir():
            raise UserError(f"no run folder at {path}. Train one with: python train.py --run {path}")
        missing = [name for name in _FILES if not (self.path / name).is_file()]
        if missing:
            raise UserError(f"{path} is not a complete run folder: {', '.join(missing)} missing")
        expected = self.metrics.get("files")
        for name in _SEALED:
            received = _checksum(self.path / name)
            if not isinstance(expected, dict) or expected.get(name) != received:
                raise UserError(f"{self.path / name} is not the file of this run: its checksum differs from {METRICS}")

    @cached_property
    def config(self) -> Config:
        return self.config_with(())

    def config_with(self, overrides: Sequence[str]) -> Config:
        """Returns the configuration with settings overridden as by `--set`, for data that has moved."""
        return read_config(self.path / CONFIG, overrides)

    @property
    def history(self) -> Path:
        """A CSV file with one row an epoch."""
        return self.path / HISTORY

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary.from_json(self.path / VOCABULARY)

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The record of `metrics.json`."""
        try:
            record = json.loads((self.path / METRICS).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{self.path / METRICS} cannot be read: {error}") from None
        missing = [key for key in _METRICS_KEYS if not isinstance(record, dict) or key not in record]
        if missing:
            raise UserError(f"{self.path / METRICS} is not the record of a run: {', '.join(missing)} missing")
        return record

    @property
    def label_names(self) -> tuple[str, ...]:
        return tuple(self.metrics["label_names"])

    def load_model(self):
        """Returns the trained `keras.Model`, not compiled."""
        keras = import_keras()
        import model  # noqa: F401 - registers the layers

        try:
            return keras.saving.load_model(self.path / MODEL, compile=False)
        except (TypeError, ValueError, OSError, KeyError) as error:
            summary = " ".join(str(error).split())[:200]
            raise UserError(f"{self.path / MODEL} cannot be loaded with Keras {keras.__version__}: {summary}") from None


class RunWriter:
    """The files of a run while they are being written, in a folder aside."""

    def __init__(self, path: Path):
        self.path = path

    def write(
        self, config: Config, model, vocabulary: Vocabulary, metrics: dict[str, Any], predictions: list[dict[str, Any]]
    ) -> None:
        """Writes everything but the history, which training writes as it goes, and the figure.

        Args:
            config: the configuration as run.
            model: the trained `keras.Model`.
            vocabulary: how text became ids.
            metrics: the record of `metrics.json`; the checksums of the files are added.
            predictions: one row for each test review, in order.
        """
        (self.path / CONFIG).write_text(config_to_toml(config), encoding="utf-8")
        (self.path / VOCABULARY).write_text(vocabulary.to_json(), encoding="utf-8")
        model.save(self.path / MODEL)
        with (self.path / PREDICTIONS).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(predictions[0]))
            writer.writeheader()
            writer.writerows(predictions)
        metrics = {**metrics, "files": {name: _checksum(self.path / name) for name in _SEALED}}
        (self.path / METRICS).write_text(json.dumps(metrics, indent=2, allow_nan=False) + "\n", encoding="utf-8")

    @property
    def history(self) -> Path:
        return self.path / HISTORY

    @property
    def figure(self) -> Path:
        return self.path / FIGURE

    @property
    def tensorboard(self) -> Path:
        return self.path / TENSORBOARD


def check_new_run(path: Path, overwrite: bool) -> None:
    """Raises a `UserError` where a run could not be written to `path`, before any work is done for it."""
    path = path.resolve()
    if path.exists() and not path.is_dir():
        raise UserError(f"--run expects a folder. Received: {path}, which is a file")
    if path.is_dir() and any(path.iterdir()):
        if not all((path / name).is_file() for name in _FILES):
            raise UserError(f"{path} is not empty and not a run; choose another folder with --run")
        if not overwrite:
            raise UserError(f"{path} holds a run already; choose another folder with --run, or pass --overwrite")
    _rehearse(path)


@contextlib.contextmanager
def write_run(path: Path, overwrite: bool) -> Iterator[RunWriter]:
    """Yields a `RunWriter`; its files appear at `path` all together at the end, or not at all."""
    check_new_run(path, overwrite)
    with new_folder(path) as aside:
        yield RunWriter(aside)


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yields a folder aside that takes the place of `path` when the block ends well, and vanishes otherwise.

    Raises:
        UserError: the folder cannot be written.
    """
    path = path.resolve()  # a link stays a link, and what it names is replaced
    aside = _sibling(path, "new")
    with _cannot_write(path):
        aside.mkdir(parents=True)
    try:
        yield aside
        with _cannot_write(path):
            _swap(aside, path)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _rehearse(path: Path) -> None:
    """Moves what is at `path` away and back, or makes and removes a folder there, to learn whether a swap will work."""
    aside = _sibling(path, "rehearsal")
    with _cannot_write(path):
        if path.exists():
            path.replace(aside)
            aside.replace(path)
        else:
            aside.mkdir(parents=True)
            aside.rmdir()


def _swap(new: Path, path: Path) -> None:
    """Moves `new` to `path`. What was there is removed afterwards, or comes back if the move fails."""
    if not path.exists():
        new.replace(path)
        return
    old = _sibling(path, "old")
    path.replace(old)
    try:
        new.replace(path)
    except OSError:
        old.replace(path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sibling(path: Path, purpose: str) -> Path:
    return path.parent / f".{path.name}.{uuid.uuid4().hex[:8]}.{purpose}"


@contextlib.contextmanager
def _cannot_write(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot write to {path}: {error.strerror or error}") from None


def _checksum(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
