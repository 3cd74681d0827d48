import json
import shutil

import pytest

from errors import UserError
from run_folder import RunFolder, check_new_run, write_run


@pytest.fixture
def copied(small_run, tmp_path):
    return shutil.copytree(small_run.path, tmp_path / "run")


def test_a_run_moves_freely(copied, small_run):
    run = RunFolder(copied)
    assert run.config == small_run.config
    assert run.vocabulary == small_run.vocabulary
    assert run.label_names == ("negative", "positive")


def test_missing_folder_says_how_to_make_one(tmp_path):
    with pytest.raises(UserError, match=r"python train.py --run"):
        RunFolder(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["config.toml", "model.keras", "vocabulary.json", "metrics.json", "history.csv"])
def test_half_a_run_is_named(copied, name):
    (copied / name).unlink()
    with pytest.raises(UserError, match=rf"not a complete run folder: {name}"):
        RunFolder(copied)


def test_vocabulary_of_another_run_is_refused(copied):
    record = json.loads((copied / "vocabulary.json").read_text(encoding="utf-8"))
    record["words"].reverse()
    (copied / "vocabulary.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(UserError, match=r"vocabulary.json is not the file of this run"):
        RunFolder(copied)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", pytest.param("[" * 200_000, id="deep"), '{"label_names": ["a", "b"]}', '{"label_names": 3}'],
)
def test_metrics_that_are_no_record_are_refused(copied, content):
    (copied / "metrics.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=r"metrics.json"):
        RunFolder(copied)


@pytest.mark.parametrize("names", [["positive", "negative"], ["a", "a"], ["negative"], "ab", [1, 2]])
def test_labels_other_than_those_of_the_predictions_are_refused(copied, names):
    record = json.loads((copied / "metrics.json").read_text(encoding="utf-8"))
    (copied / "metrics.json").write_text(json.dumps({**record, "label_names": names}), encoding="utf-8")
    with pytest.raises(UserError, match="label"):
        RunFolder(copied)


@pytest.mark.parametrize("change", ["padding", "sequence_length", "num_heads", "num_blocks"])
def test_configuration_of_another_model_is_refused(copied, change):
    from interpretation.probe import Probe

    run = RunFolder(copied)
    section = "data" if change in ("padding", "sequence_length") else "model"
    value = {"padding": "pre", "sequence_length": 400, "num_heads": 1, "num_blocks": 3}[change]
    part = getattr(run.config, section).model_copy(update={change: value})
    run.__dict__["config"] = run.config.model_copy(update={section: part})
    with pytest.raises(UserError, match="not the model of this run"):
        Probe(run)


def test_link_to_a_run_stays_a_link(copied, tmp_path):
    (tmp_path / "link").symlink_to(copied)
    check_new_run(tmp_path / "link", overwrite=True)
    with write_run(tmp_path / "link", overwrite=True) as files:
        (files.path / "new").write_text("")
    assert (tmp_path / "link").is_symlink()
    assert [path.name for path in copied.iterdir()] == ["new"]
    assert {path.name for path in tmp_path.iterdir()} == {"link", "run"}


def test_folder_that_only_looks_like_a_run_is_not_replaced(tmp_path):
    (tmp_path / "metrics.json").write_text("{}")
    (tmp_path / "thesis.tex").write_text("work")
    with pytest.raises(UserError, match="not a run"):
        check_new_run(tmp_path, overwrite=True)
