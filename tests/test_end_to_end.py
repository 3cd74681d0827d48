"""The whole way through the real commands, each in a fresh process."""

import csv
import json
import shutil

import pytest

from tests.conftest import REPOSITORY


def read_record(folder):
    return json.loads((folder / "explanation.json").read_text(encoding="utf-8"))


def test_a_run_is_trained_moved_and_interpreted_without_its_data(command, raw_imdb, tmp_path):
    """Afterwards there is no data, no Keras cache and no network, and the predictions are those of training."""
    settings = ["data.vocabulary_size=10", "data.sequence_length=8", f"data.path={raw_imdb}", "training.epochs=1"]
    options = [option for setting in settings for option in ("--set", setting)]
    trained = command("train.py", "--run", "runs/tiny", *options)
    assert trained.returncode == 0, trained.stderr.decode()
    for part in ("test accuracy", "macro-F1", "confusion", "majority baseline", "runs/tiny"):
        assert part in trained.stdout.decode()
    assert b"Warning" not in trained.stderr
    assert b"I0000" not in trained.stderr

    by_data = command("interpret.py", "runs/tiny", "--test", "0", "1", "--out", "by-data")
    assert by_data.returncode == 0, by_data.stderr.decode()
    shutil.move(raw_imdb, tmp_path / "moved.tar.gz")
    shutil.move(tmp_path / "runs" / "tiny", tmp_path / "elsewhere")
    with (tmp_path / "elsewhere" / "test_predictions.csv").open() as file:
        rows = list(csv.DictReader(file))
    for index, text in enumerate(["The film? Bad.", "Good film; the film was rare."]):
        record = read_record(tmp_path / "by-data" / f"test-{index}")
        assert record["text"] == text
        assert record["true_label"] == rows[index]["label"]
        assert record["prediction"]["label"] == rows[index]["prediction"]
        for label, p in record["prediction"]["probabilities"].items():
            assert p == pytest.approx(float(rows[index][f"p_{label}"]), abs=1e-6)

    nothing = {"KERAS_HOME": str(tmp_path / "no-cache"), "https_proxy": "http://127.0.0.1:9"}
    by_text = command("interpret.py", "elsewhere", "--text", "The film? Bad.", "--out", "by-text", **nothing)
    assert by_text.returncode == 0, by_text.stderr.decode()
    (folder,) = (tmp_path / "by-text").iterdir()
    record = read_record(folder)
    assert [token["text"] for token in record["tokens"]] == ["[START]", "The", "film", "Bad"]
    assert record["prediction"] == read_record(tmp_path / "by-data" / "test-0")["prediction"]

    gone = command("interpret.py", "elsewhere", "--test", "0", "--out", "gone")
    assert gone.returncode == 2
    assert "data.path" in gone.stderr.decode()
    pointed = command("interpret.py", "elsewhere", "--test", "1", "--set", "data.path=moved.tar.gz", "--out", "pointed")
    assert pointed.returncode == 0, pointed.stderr.decode()


def test_other_data_than_that_of_the_run_is_refused(command, tmp_path, small_run):
    other = shutil.copytree(small_run.path, tmp_path / "run")
    metrics = json.loads((other / "metrics.json").read_text(encoding="utf-8"))
    metrics["data"]["test_checksum"] = "0" * 64
    (other / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")
    result = command("interpret.py", other, "--test", "0")
    assert result.returncode == 2
    assert "not those of the run" in result.stderr.decode()


@pytest.mark.slow
@pytest.mark.data
def test_official_example_is_reproduced_on_imdb(command, imdb, tmp_path):
    """Test accuracy 0.879 after epoch 1 and 0.870 after epoch 2, as the official script gives.

    The figures to reach are +- 0.007. Seeds of the official script itself were seen from 0.864 to 0.880 after epoch
    1; another processor is like another seed, so the bounds here are wider.
    """
    result = command(
        "train.py", "--config", REPOSITORY / "configs/keras_example.toml", "--run", "run",
        "--set", f"data.path={imdb / 'aclImdb_v1.tar.gz'}",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr.decode()
    with (tmp_path / "run" / "history.csv").open() as file:
        accuracies = [float(row["val_accuracy"]) for row in csv.DictReader(file)]
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text(encoding="utf-8"))
    assert accuracies[0] == pytest.approx(0.879, abs=0.015)
    assert accuracies[1] == pytest.approx(0.870, abs=0.012)
    assert metrics["test"]["accuracy"] == pytest.approx(accuracies[1], abs=1e-4)
    assert metrics["parameters"] == 657_758
    assert metrics["validation"] is None
    shown = command("interpret.py", "run", "--text", "This film was just brilliant!")
    assert "goes to padding" in shown.stdout.decode()
