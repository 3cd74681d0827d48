"""A run on disk: the one place that knows the names of its files, writes all of them and reads all of them."""

import contextlib
import csv
import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from configs.read import config_to_toml, read_config
from configs.schema import Config
from data.vocabulary import Vocabulary
from errors import UserError
from quiet_keras import import_keras
from safe_folder import folder_aside, free_folder, rehearse, resolved, swap

CONFIG, MODEL, VOCABULARY, METRICS = "config.toml", "model.keras", "vocabulary.json", "metrics.json"
HISTORY, PREDICTIONS, FIGURE = "history.csv", "test_predictions.csv", "training.png"
TENSORBOARD = "tensorboard"
_FILES = (CONFIG, MODEL, VOCABULARY, METRICS, HISTORY, PREDICTIONS, FIGURE)
_SEALED = (CONFIG, MODEL, VOCABULARY)  # files that only make sense together; metrics.json holds their checksums


class _Sizes(BaseModel):
    test: Annotated[int, Field(ge=1)]


class _Data(BaseModel):
    source: str
    test_checksum: str


class _Record(BaseModel):
    """What must be in `metrics.json` for a run to be read; there is more in it."""

    test: dict
    majority_baseline: float
    label_names: Annotated[list[str], Field(min_length=2)]
    reviews: _Sizes
    data: _Data
    files: dict[str, str]


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
        expected = self.metrics["files"]
        for name in _SEALED:
            received = _checksum(self.path / name)
            if expected.get(name) != received:
                raise UserError(f"{self.path / name} is not the file of this run: its checksum differs from {METRICS}")
        with (self.path / PREDICTIONS).open(newline="", encoding="utf-8") as file:
            columns = next(csv.reader(file), [])
        if [f"p_{name}" for name in self.label_names] != [name for name in columns if name.startswith("p_")]:
            raise UserError(f"{self.path}: {METRICS} and {PREDICTIONS} name different labels")

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
        except (OSError, ValueError, RecursionError) as error:
            raise UserError(f"{self.path / METRICS} cannot be read: {error}") from None
        try:
            _Record.model_validate(record)
        except ValidationError as error:
            problem = error.errors()[0]
            name = ".".join(str(part) for part in problem["loc"])
            raise UserError(f"{self.path / METRICS} is not the record of a run: {name}: {problem['msg']}") from None
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
    """The files of a run while they are being written, in a folder aside.

    Attributes:
        path: the folder aside.
        destination: where the run will be, known for certain once it is there.
    """

    def __init__(self, path: Path, destination: Path):
        self.path = path
        self.destination = destination

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

    def drop_epochs_without_numbers(self) -> bool:
        """Takes epochs whose figures are NaN or infinite out of the history; returns whether there were any."""
        rows = self.history.read_text(encoding="utf-8").splitlines()
        kept = [rows[0], *(row for row in rows[1:] if all(math.isfinite(float(value)) for value in row.split(",")))]
        self.history.write_text("\n".join(kept) + "\n", encoding="utf-8")
        return len(kept) < len(rows)

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
    path = resolved(path)
    if Path.cwd().is_relative_to(path):
        raise UserError(f"--run expects a folder that you are not in. Received: {path}")
    if path.exists() and not path.is_dir():
        raise UserError(f"--run expects a folder. Received: {path}, which is a file")
    if path.is_dir() and any(path.iterdir()):
        if not all((path / name).is_file() for name in _FILES):
            raise UserError(f"{path} is not empty and not a run; choose another folder with --run")
        if not overwrite:
            raise UserError(f"{path} holds a run already; choose another folder with --run, or pass --overwrite")
    rehearse(path)


@contextlib.contextmanager
def write_run(path: Path, overwrite: bool) -> Iterator[RunWriter]:
    """Yields a `RunWriter`; its files appear at `path` all together at the end, or not at all."""
    check_new_run(path, overwrite)
    path = resolved(path)
    with folder_aside(path) as aside:
        writer = RunWriter(aside, path)
        yield writer
        if not overwrite:  # what has appeared there while we trained is somebody's work
            writer.destination = free_folder(path)
        swap(aside, writer.destination)


def _checksum(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
