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


def test_epoch_that_diverged_is_told_and_left_out_of_the_history(tmp_path, capsys):
    diverging = change(learning_rate=10.0, weight_decay=1.0, epochs=40, patience=0)
    run = train(diverging, tmp_path / "run")
    assert "training diverged" in capsys.readouterr().err
    assert "nan" not in (run.path / "history.csv").read_text()


def test_folder_that_appears_meanwhile_is_left_alone(tmp_path, monkeypatch):
    import training.train

    def appear(*arguments):
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "thesis.tex").write_text("work")
        return fit(*arguments)

    fit = training.train.fit
    monkeypatch.setattr(training.train, "fit", appear)
    run = train(SMALL, tmp_path / "run")
    assert run.path == tmp_path / "run-2"
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.tex"]


def test_validation_that_leaves_nothing_to_train_on_is_refused(tmp_path):
    data = SMALL.data.model_copy(update={"validation_share": 0.999})
    with pytest.raises(UserError, match="validation_share"):
        train(SMALL.model_copy(update={"data": data}), tmp_path / "run")


def start_training(tmp_path, *settings):
    options = [option for setting in settings for option in ("--set", setting)]
    config = REPOSITORY / "configs/quickstart.toml"
    return subprocess.Popen(
        [sys.executable, REPOSITORY / "train.py", "--config", config, "--run", tmp_path / "run", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(process, start):
    for line in process.stdout:
        if line.startswith(start):
            return
    raise AssertionError(process.stderr.read())


@pytest.mark.parametrize("delay", [0.0, 0.3])
@pytest.mark.parametrize("moment", ["planted reviews", "Epoch 1/2"])
def test_interrupt_around_a_short_training_keeps_its_result_or_leaves_nothing(tmp_path, moment, delay):
    process = start_training(tmp_path, "training.epochs=2", "data.train_reviews=300", "data.test_reviews=30")
    wait_for(process, moment)
    time.sleep(delay)
    process.send_signal(signal.SIGTERM if delay else signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == (0 if moment.startswith("Epoch") else process.returncode), errors
    assert process.returncode in (0, 130), errors
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == (["run"] if process.returncode == 0 else [])
    assert ("test accuracy" in output) == (process.returncode == 0)


def test_reader_that_goes_away_does_not_end_training(tmp_path):
    process = start_training(tmp_path, "training.epochs=2", "data.train_reviews=300", "data.test_reviews=30")
    wait_for(process, "planted")
    process.stdout.close()
    _, errors = process.stderr.read(), process.wait(timeout=120)
    process.stderr.close()
    assert process.returncode == 0, errors
    RunFolder(tmp_path / "run")


@pytest.mark.slow
def test_interrupt_ends_training_in_order_and_keeps_its_result(tmp_path):
    process = start_training(tmp_path, "training.epochs=500", "data.train_reviews=1000")
    wait_for(process, "Epoch 3/")
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
