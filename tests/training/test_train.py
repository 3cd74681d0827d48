import csv
import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from errors import UserError
from run_folder import RunFolder
from tests.conftest import REPOSITORY, SMALL
from training.train import train


def change(**training):
    return SMALL.model_copy(update={"training": SMALL.training.model_copy(update=training)})


def test_a_run_holds_what_it_promises(small_run):
    metrics = small_run.metrics
    assert {"accuracy", "macro_f1", "confusion_matrix"} == set(metrics["test"]) == set(metrics["validation"])
    assert sum(map(sum, metrics["test"]["confusion_matrix"])) == 30
    assert metrics["reviews"] == {"train": 270, "validation": 30, "test": 30}
    assert len(metrics["data"]["checksum"]) == 64
    assert metrics["versions"]["keras"]
    for key in ("majority_baseline", "parameters", "seconds", "seed"):
        assert isinstance(metrics[key], int | float)
    with (small_run.path / "history.csv").open() as file:
        assert [row["epoch"] for row in csv.DictReader(file)] == ["0"]
    assert (small_run.path / "training.png").read_bytes().startswith(b"\x89PNG")


def test_predictions_give_the_accuracy_in_the_metrics(small_run):
    with (small_run.path / "test_predictions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["index"]) for row in rows] == list(range(30))
    assert np.mean([row["label"] == row["prediction"] for row in rows]) == small_run.metrics["test"]["accuracy"]
    for row in rows:
        assert float(row["p_negative"]) + float(row["p_positive"]) == pytest.approx(1, abs=1e-6)


def test_a_seed_decides_metrics_and_weights(small_run, tmp_path):
    again = train(SMALL, tmp_path / "again")
    for key in ("test", "validation", "data"):
        assert again.metrics[key] == small_run.metrics[key]
    pairs = zip(again.load_model().get_weights(), small_run.load_model().get_weights(), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)
    other = train(SMALL.model_copy(update={"seed": 1}), tmp_path / "other")
    assert other.metrics["data"]["checksum"] != small_run.metrics["data"]["checksum"]


def test_best_weights_are_kept_and_patience_ends_training(tmp_path):
    run = train(change(epochs=30, patience=1, learning_rate=0.05), tmp_path / "run")
    with (run.path / "history.csv").open() as file:
        losses = [float(row["val_loss"]) for row in csv.DictReader(file)]
    assert len(losses) < 30
    from data.load import load_corpus
    from training.fit import predict

    corpus = load_corpus(run.config)
    probabilities = predict(run.load_model(), corpus.validation, run.config)
    loss = -np.log(probabilities[np.arange(30), corpus.validation.labels]).mean()
    assert loss == pytest.approx(min(losses), abs=1e-4)
    assert min(losses) < losses[-1]


def test_divergence_is_one_line_and_leaves_nothing(tmp_path):
    with pytest.raises(UserError, match="learning_rate"):
        train(change(learning_rate=10.0, weight_decay=1.0, epochs=40, keep="last"), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_run_that_is_there_is_not_replaced_unasked(small_run):
    before = (small_run.path / "metrics.json").read_bytes()
    with pytest.raises(UserError, match="--overwrite"):
        train(SMALL, small_run.path)
    assert (small_run.path / "metrics.json").read_bytes() == before


def test_tensorboard_logs_are_written_by_option(tmp_path):
    run = train(change(tensorboard=True), tmp_path / "run")
    assert list((run.path / "tensorboard").rglob("events.out*"))


@pytest.mark.slow
def test_interrupt_ends_training_in_order_and_keeps_its_result(tmp_path):
    arguments = ["--config", REPOSITORY / "configs/quickstart.toml", "--run", tmp_path / "run"]
    settings = ["--set", "training.epochs=500", "--set", "data.train_reviews=1000"]
    process = subprocess.Popen(
        [sys.executable, REPOSITORY / "train.py", *arguments, *settings],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        if line.startswith("Epoch 3/"):
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "ending training" in errors
    assert "test accuracy" in output
    run = RunFolder(tmp_path / "run")
    epochs = (run.path / "history.csv").read_text().count("\n") - 1
    assert 2 <= epochs < 20
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert json.loads((run.path / "metrics.json").read_text())["test"]["accuracy"] > 0.3
