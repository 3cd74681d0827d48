"""The whole way from a configuration to a run folder."""

import importlib.util
import platform
import time
from pathlib import Path
from typing import Any

import keras
import numpy as np

from configs.schema import Config
from data.corpus import Corpus
from data.load import load_corpus
from errors import UserError
from model import build_classifier
from report.training_figure import draw_training
from run_folder import RunFolder, write_run
from training.fit import Interruption, fit, predict
from training.metrics import classification_metrics, majority_baseline


def train(config: Config, path: str | Path, overwrite: bool = False) -> RunFolder:
    """Trains the classifier of a configuration and measures it once on the test split.

    Args:
        config: decides everything; on CPU the same configuration gives the same run.
        path: the run folder to write. It appears whole at the end, or not at all.
        overwrite: whether a run that is there already is replaced.

    Returns:
        The finished run. Where another run has appeared at `path` meanwhile, it stays, and this one lies beside it.

    Raises:
        UserError: the data cannot be had, the folder cannot be written, or training diverged.
    """
    if config.training.tensorboard and importlib.util.find_spec("tensorboard") is None:
        raise UserError("training.tensorboard needs the package tensorboard. Install it with: pip install tensorboard")
    with write_run(Path(path), overwrite) as files:
        started = time.perf_counter()
        corpus = load_corpus(config)
        print(f"{corpus.source}: {_sizes(corpus)}; loaded in {time.perf_counter() - started:.1f} s", flush=True)
        keras.utils.set_random_seed(config.seed)
        model = build_classifier(config, len(corpus.label_names))
        with Interruption() as interruption:
            seconds = fit(model, corpus, config, files, interruption)
            probabilities = predict(model, corpus.test, config)
            metrics = _metrics(config, corpus, model, probabilities, seconds)
            files.write(config, model, corpus.vocabulary, metrics, _prediction_rows(corpus, probabilities))
            draw_training(files.history, metrics, files.figure)
    return RunFolder(files.destination)


def _metrics(
    config: Config, corpus: Corpus, model: keras.Model, probabilities: np.ndarray, seconds: float
) -> dict[str, Any]:
    validation = None
    if config.data.validation == "split":
        on_validation = predict(model, corpus.validation, config)
        validation = classification_metrics(corpus.validation.labels, on_validation)
    return {
        "test": classification_metrics(corpus.test.labels, probabilities),
        "validation": validation,
        "majority_baseline": majority_baseline(corpus.train.labels, corpus.test.labels),
        "parameters": model.count_params(),
        "seconds": round(seconds, 3),
        "seed": config.seed,
        "label_names": list(corpus.label_names),
        "reviews": _sizes(corpus),
        "data": {"source": corpus.source, "checksum": corpus.checksum(), "test_checksum": corpus.test.checksum()},
        "versions": _versions(),
    }


def _sizes(corpus: Corpus) -> dict[str, int]:
    return {"train": len(corpus.train), "validation": len(corpus.validation), "test": len(corpus.test)}


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), "keras": keras.__version__, "numpy": np.__version__}
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        versions["tensorflow"] = tf.__version__
    return {**versions, "backend": keras.backend.backend(), "floatx": keras.config.floatx()}


def _prediction_rows(corpus: Corpus, probabilities: np.ndarray) -> list[dict[str, Any]]:
    names = corpus.label_names
    return [
        {
            "index": index,
            "label": names[label],
            "prediction": names[int(row.argmax())],
            **{f"p_{name}": float(p) for name, p in zip(names, row, strict=True)},
        }
        for index, (label, row) in enumerate(zip(corpus.test.labels, probabilities, strict=True))
    ]
