"""Bad and strange input through the real commands: status, message, and nothing half-written."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.conftest import REPOSITORY

QUICKSTART = REPOSITORY / "configs" / "quickstart.toml"


def assert_refused(result, *parts):
    """One line on standard error, status 2, no traceback."""
    message = result.stderr.decode()
    assert result.returncode == 2, message
    for part in parts:
        assert part in message
    assert message.count("\n") == 1, message
    assert "Traceback" not in message


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def records(folder):
    return {path.parent.name: json.loads(path.read_text("utf-8")) for path in folder.glob("*/explanation.json")}


@pytest.fixture
def run(small_run, tmp_path):
    return shutil.copytree(small_run.path, tmp_path / "run")


@pytest.mark.parametrize("script", ["train.py", "interpret.py"])
def test_help_answers_within_a_second(command, script):
    started = time.perf_counter()
    result = command(script, "--help")
    assert time.perf_counter() - started < 1
    assert result.returncode == 0
    assert b"usage" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--config", "nowhere.toml"], ["nowhere.toml"]),
        (["--config", QUICKSTART, "--set", "data.vocabulary_size=3"], ["data.vocabulary_size", "3"]),
        (["--config", QUICKSTART, "--set", "model.key_dim=0"], ["model.key_dim", "0"]),
        (["--config", QUICKSTART, "--set", "model.dropout=1.5"], ["model.dropout", "1.5"]),
        (["--config", QUICKSTART, "--set", "model.hats=2"], ["unknown setting model.hats"]),
        (["--config", QUICKSTART, "--run", "."], ["--run", "not in"]),
        (["--config", "a\nb"], ["a b"]),
        (["--config", QUICKSTART, "--run", "run.keras"], ["--run", "folder"]),
        (["--config", QUICKSTART, "--run", "/proc/nowhere/run"], ["cannot write to /proc/nowhere"]),
        (["--set", "data.path=nowhere"], ["data.path", "nowhere", "aclImdb_v1.tar.gz"]),
    ],
)
def test_train_refuses(command, tmp_path, arguments, parts):
    assert_refused(command("train.py", *arguments), *parts)
    assert tree(tmp_path) in ([], ["runs"])


def test_train_refuses_a_damaged_archive(command, raw_imdb, tmp_path):
    raw_imdb.write_bytes(raw_imdb.read_bytes()[:200])
    assert_refused(command("train.py", "--set", f"data.path={raw_imdb}"), "damaged", str(raw_imdb))
    assert tree(tmp_path / "runs") == []


@pytest.mark.slow
def test_train_without_network_or_data_answers_within_30_seconds(command, tmp_path):
    started = time.perf_counter()
    result = command("train.py", KERAS_HOME=str(tmp_path / "home"), https_proxy="http://127.0.0.1:9")
    assert time.perf_counter() - started < 30
    assert_refused(result, "https://", "imdb.npz", str(tmp_path / "home"), "data.path")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--text", ""], ["--text 1", "empty"]),
        (["--text", "good", "  \n "], ["--text 2", "empty"]),
        (["--text", os.fsdecode(b"caf\xe9")], ["--text 1", "UTF-8"]),
        (["--file", "nowhere.txt"], ["nowhere.txt"]),
        (["--file", "."], ["cannot read ."]),
        (["--file", "latin.txt"], ["latin.txt, line 2", "UTF-8", "0xe9"]),
        (["--file", "blank.txt"], ["blank.txt", "no review"]),
        (["--file", "-"], ["standard input", "no review"]),
        (["--text", "good", "--layers", "3"], ["--layers", "1 to 2", "3"]),
        (["--text", "good", "--layers", "0"], ["--layers", "1 to 2", "0"]),
        (["--text", "good", "--heads", "7"], ["--heads", "1 to 2", "7"]),
        (["--test", "30"], ["--test", "0 to 29", "30"]),
        (["--test", "-1"], ["--test", "0 to 29", "-1"]),
        (["--test", "one"], ["--test", "'one'"]),
        (["--text", "good", "--methods", "magic"], ["--methods", "integrated_gradients", "'magic'"]),
        (["--text", "good", "--target", "neutral"], ["--target", "negative, positive", "'neutral'"]),
        (["--text", "-great"], ["--text", "--help"]),
        ([], ["--text", "--file", "--test"]),
        (["--text", "good", "--out", "o" * 300], ["name too long"]),
        (["--text", "good", "--out", "/proc/nowhere"], ["cannot write to /proc/nowhere"]),
        (["--text", "good", "--out", "blank.txt"], ["cannot write to blank.txt"]),
        (["--text", "good", "--set", "data.path=x"], ["--set", "--test"]),
        (["--test", "0", "--set", "seed=3"], ["data.path"]),
    ],
)
def test_interpret_refuses(command, run, tmp_path, arguments, parts):
    (tmp_path / "latin.txt").write_bytes(b"fine\ncaf\xe9\n")
    (tmp_path / "blank.txt").write_bytes(b"\n \n")
    before = tree(tmp_path)
    assert_refused(command("interpret.py", run, *arguments), *parts)
    assert set(tree(tmp_path)) - set(before) <= {"run/interpretations"}


@pytest.mark.parametrize(
    ("damage", "parts"),
    [
        (lambda run: shutil.rmtree(run), ["no run folder"]),
        (lambda run: (run / "model.keras").unlink(), ["not a complete run folder", "model.keras"]),
        (lambda run: (run / "model.keras").write_bytes(b"PK"), ["model.keras is not the file of this run"]),
        (lambda run: (run / "vocabulary.json").write_text("{}"), ["vocabulary.json is not the file of this run"]),
        (lambda run: (run / "metrics.json").write_text("{"), ["metrics.json"]),
    ],
    ids=["missing", "half-written", "damaged model", "other vocabulary", "damaged metrics"],
)
def test_interpret_refuses_a_run_that_is(command, run, damage, parts):
    damage(run)
    assert_refused(command("interpret.py", run, "--text", "good"), *parts)


def test_strange_texts_are_answered_rightly(command, run, tmp_path):
    texts = ["!!!", "superb", "The plot was dull. " * 750, "🎬🎬 superb", "الفيلم رائع", "電影很好看", "$x$ <b> a_b \\"]
    (tmp_path / "reviews.txt").write_text("\ufeff" + "\r\n".join(["", *texts]) + "\r\n", encoding="utf-8")
    result = command("interpret.py", run, "--file", "reviews.txt", "--out", "out", "--heads", "2", "--layers", "2")
    assert result.returncode == 0, result.stderr.decode()
    assert b"Traceback" not in result.stderr
    assert b"Warning" not in result.stderr
    found = {record["text"]: record for record in records(tmp_path / "out").values()}
    assert list(map(str.rstrip, sorted(found))) == sorted(map(str.rstrip, texts))
    for record in found.values():
        assert np.isfinite(list(record["prediction"]["probabilities"].values())).all()
    assert "saw no word" in found["!!!"]["warnings"][0]
    assert [token["text"] for token in found["🎬🎬 superb"]["tokens"]] == ["[START]", "🎬🎬", "superb"]
    assert [token["id"] for token in found["الفيلم رائع"]["tokens"]] == [1, 2, 2]
    assert "2 of the 2 words are unknown" in found["الفيلم رائع"]["warnings"][0]
    assert "1 of the 1 words are unknown" in found["電影很好看"]["warnings"][0]
    long = next(record for text, record in found.items() if text.startswith("The plot"))
    assert long["kept"] == {"first": 2961, "last": 3000, "of": 3000}
    for folder in (tmp_path / "out").iterdir():
        assert tree(folder) == ["attention-layer-2.png", "attention.npz", "explanation.json"]


def test_standard_input_and_formats(command, run, tmp_path):
    formats = ["--format", "svg", "--format", "pdf", "--format", "svg"]
    result = command("interpret.py", run, "--file", "-", *formats, stdin=b"a superb plot\n")
    assert result.returncode == 0, result.stderr.decode()
    (folder,) = (run / "interpretations").iterdir()
    assert re.fullmatch(r"a-superb-plot-[0-9a-f]{8}", folder.name)
    assert tree(folder) == [
        *[f"attention-layer-{layer}.{kind}" for layer in (1, 2) for kind in ("pdf", "svg")],
        "attention.npz",
        "explanation.json",
    ]
    assert b"[START]" in (folder / "attention-layer-1.svg").read_bytes()
    assert str(folder.relative_to(tmp_path)) in result.stdout.decode()


def test_folder_of_someone_else_is_not_replaced(command, run, tmp_path):
    (tmp_path / "out" / "test-3").mkdir(parents=True)
    (tmp_path / "out" / "test-3" / "thesis.txt").write_text("work")
    assert_refused(command("interpret.py", run, "--test", "3", "--out", "out"), "test-3", "--out")
    assert (tmp_path / "out" / "test-3" / "thesis.txt").read_text() == "work"


def test_terminal_that_cannot_show_a_word_does_not_end_the_work(command, run):
    result = command("interpret.py", run, "--text", "🎬 " * 80, "--layers", "1", PYTHONIOENCODING="latin-1")
    assert result.returncode == 0, result.stderr.decode()
    assert b"written" in result.stdout


def test_repeated_options_add_up(command, run, tmp_path):
    (tmp_path / "a.txt").write_text("a superb plot")
    (tmp_path / "b.txt").write_text("a dull plot")
    result = command("interpret.py", run, "--file", "a.txt", "--file", "b.txt", "--heads", "1", "--layers", "1")
    assert b"2 reviews written" in result.stdout


def test_characters_that_steer_a_terminal_are_not_printed(command, run):
    result = command("interpret.py", run, "--text", "a \x1b[2J superb plot", "--layers", "1")
    assert b"\x1b" not in result.stdout


@pytest.mark.parametrize("backend", ["bogus", "jax"])
def test_other_backends_are_refused(command, run, backend):
    assert_refused(command("interpret.py", run, "--text", "good", KERAS_BACKEND=backend), "Keras")


def test_closed_streams_do_not_end_the_work(run, tmp_path):
    script = (
        f"{sys.executable} {REPOSITORY / 'interpret.py'} {run} --text 'a superb plot' --layers 1 --out out >&- 2>&-"
    )
    assert subprocess.run(["sh", "-c", script], cwd=tmp_path, check=False).returncode == 0
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_run_folder_that_cannot_be_moved_is_refused_before_training(command, tmp_path):
    result = command("train.py", "--config", QUICKSTART, "--run", "/dev/shm")
    assert_refused(result, "/dev/shm")


def test_commands_start_without_chatter(command, run):
    result = command("interpret.py", run, "--text", "a superb plot", "--layers", "1")
    assert result.returncode == 0
    assert result.stderr == b""


def test_words_that_decided_are_written_drawn_and_printed(command, run, tmp_path):
    arguments = ["--methods", "leave_one_out,random", "--target", "negative", "--format", "svg", "--out", "out"]
    result = command("interpret.py", run, "--text", "The plot was superb", "--layers", "1", *arguments)
    assert result.returncode == 0, result.stderr.decode()
    (record,) = records(tmp_path / "out").values()
    assert [attribution["method"] for attribution in record["attributions"]] == ["leave_one_out", "random"]
    assert {attribution["target"] for attribution in record["attributions"]} == {"negative"}
    assert b"leave_one_out" in result.stdout
    (picture,) = (tmp_path / "out").glob("*/attributions.svg")
    assert b"superb" in picture.read_bytes()
