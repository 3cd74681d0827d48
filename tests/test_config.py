import re
import subprocess
import sys
from pathlib import Path

import pytest

from configs.read import config_to_toml, read_config
from configs.schema import Config
from errors import UserError

CONFIGS = sorted((Path(__file__).parent.parent / "configs").glob("*.toml"))


def write(tmp_path, text):
    path = tmp_path / "some.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_resolved_configuration_reads_back_equal(tmp_path):
    path = write(tmp_path, 'seed = 7\n[data]\nsource = "planted"\n[model]\nkey_dim = 3')
    config = read_config(path, ["training.epochs=3", "model.masked=false", "data.padding=pre"])
    assert (config.seed, config.model.key_dim, config.training.epochs) == (7, 3, 3)
    assert config.model.masked is False
    assert config.data.padding == "pre"
    assert read_config(write(tmp_path, config_to_toml(config))) == config


@pytest.mark.parametrize(
    ("override", "names"),
    [
        ("data.vocabulary_size=3", "data.vocabulary_size"),
        ("model.key_dim=0", "model.key_dim"),
        ("model.dropout=1.5", "model.dropout"),
        ("model.dropout=nan", "model.dropout"),
        ("model.heads=2", "unknown setting model.heads"),
        ("models.num_heads=2", "unknown setting models"),
        ("model=3", "model"),
        ("seed=-1", "seed"),
        ("seed=1.5", "seed"),
        ("training.epochs=many", "training.epochs"),
        ("training.learning_rate=inf", "training.learning_rate"),
        ("data.source=wikipedia", "data.source"),
        ("data.source=planted", "data.path"),
        ("data.path=", "data.path"),
        ("data.path=\udcff", "data.path"),
        pytest.param("seed=" + "9" * 5000, "seed", id="huge number"),
        pytest.param("seed=" + "[" * 3000, "seed", id="deep nesting"),
        ("seed=1\n[training]\nepochs=9", "seed"),
        ("model.embed_dim=1000000000000", "model.embed_dim"),
        ("data.path=~nosuchuser/x", "data.path"),
        ("data.train_reviews=500", "data.train_reviews"),
        ("model.num_heads", "SECTION.KEY=VALUE"),
        ("=3", "SECTION.KEY=VALUE"),
        ("seed.x=3", "seed"),
    ],
)
def test_impossible_settings_are_refused_by_name_in_one_line(tmp_path, override, names):
    path = write(tmp_path, 'seed = 1\n[data]\npath = "x"')
    with pytest.raises(UserError) as caught:
        read_config(path, [override])
    assert names in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"seed = ", b"\xff\xfe", b"seed = 1\nseed = 2"])
def test_a_file_that_is_not_toml_is_refused(tmp_path, content):
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(UserError, match="not a TOML file"):
        read_config(path)


def test_relative_data_path_is_remembered_from_the_folder_it_was_given_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_config(write(tmp_path, ""), ["data.path=reviews"]).data.path == str(tmp_path / "reviews")


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_each_configuration_file_holds_only_what_differs_and_says_what_to_expect(path):
    import tomllib

    settings, defaults = tomllib.loads(path.read_text(encoding="utf-8")), Config().model_dump()
    read_config(path)
    for section, values in settings.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            assert value != defaults[section][key], f"{section}.{key} repeats the default"
    head = path.read_text(encoding="utf-8").split("\n\n")[0]
    assert "python train.py" in head
    assert re.search(r"accuracy 0\.\d{3}", head)
    assert re.search(r"\d s of training", head)


def test_reading_a_configuration_imports_no_tensorflow():
    modules = "configs.read, run_folder, data.load, interpretation.methods, report.word_bars"
    code = f"import sys, {modules}; print('tensorflow' in sys.modules, 'keras' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=CONFIGS[0].parent.parent, check=True
    )
    assert result.stdout.split() == ["False", "False"]
