"""What many tests share: a small trained run, the real commands, and the way to the handed data."""

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from configs.schema import Config, DataConfig, ModelConfig, TrainingConfig
from quiet_keras import import_keras
from run_folder import RunFolder

import_keras()

REPOSITORY = Path(__file__).parent.parent

SMALL = Config(
    data=DataConfig(source="planted", vocabulary_size=500, sequence_length=40, train_reviews=300, test_reviews=30),
    model=ModelConfig(embed_dim=8, num_heads=2, key_dim=4, ff_dim=8, num_blocks=2, pooling_dim=4),
    training=TrainingConfig(epochs=1),
)


@pytest.fixture(scope="session")
def small_run(tmp_path_factory) -> RunFolder:
    """A run of two blocks with two heads each, trained for one epoch on 270 generated reviews."""
    from training.train import train

    return train(SMALL, tmp_path_factory.mktemp("runs") / "small")


@pytest.fixture(scope="session")
def example_run(tmp_path_factory) -> RunFolder:
    """A run built like the official Keras example: nothing masked, padding in front, mean pooling."""
    from training.train import train

    return train(EXAMPLE, tmp_path_factory.mktemp("runs") / "example")


EXAMPLE = SMALL.model_copy(
    update={
        "data": SMALL.data.model_copy(update={"padding": "pre", "sequence_length": 120}),
        "model": ModelConfig(
            embed_dim=8, num_heads=2, key_dim=8, masked=False, pooling="mean", hidden_dim=20, word_dropout=0.0
        ),
    }
)


@pytest.fixture
def command(tmp_path):
    """Runs `python train.py ...` or `python interpret.py ...` as a person would, in an empty folder."""

    def run(*arguments, stdin: bytes = b"", **environment) -> subprocess.CompletedProcess:
        script, *rest = [str(argument) for argument in arguments]
        variables = {**os.environ, **environment}
        variables.pop("DISPLAY", None)
        return subprocess.run(
            [sys.executable, str(REPOSITORY / script), *rest],
            cwd=tmp_path,
            env=variables,
            input=stdin,
            capture_output=True,
            timeout=900,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def imdb() -> Path:
    """The folder with the handed IMDB data. Its absence skips a test, or fails it where the data is required."""
    folder = os.environ.get("HEADLIGHT_IMDB")
    if folder and Path(folder, "aclImdb_v1.tar.gz").is_file():
        return Path(folder)
    message = "HEADLIGHT_IMDB does not name a folder with aclImdb_v1.tar.gz"
    if os.environ.get("HEADLIGHT_REQUIRE_DATA"):
        pytest.fail(message)
    pytest.skip(message)


WORD_INDEX = {"the": 1, "film": 2, "was": 3, "br": 4, "bad": 5, "good": 6, "rare": 7}
RAW_REVIEWS = {
    "train/neg/0_2.txt": "The film was BAD.<br /><br />Bad,bad",
    "train/neg/10_1.txt": "bad film zzqx",
    "train/neg/2_1.txt": "was the film bad? bad!",
    "train/pos/0_9.txt": "Good\x85 the film\xa0was good",
    "train/pos/1_8.txt": "the rare film was good",
    "train/pos/2_8.txt": "good good film",
    "test/neg/0_3.txt": "The film? Bad.",
    "test/pos/0_7.txt": "Good film; the film was rare.",
}


@pytest.fixture
def raw_imdb(tmp_path) -> Path:
    """A tiny archive in the official layout, its word index beside it."""
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "imdb_word_index.json").write_text(json.dumps(WORD_INDEX), encoding="utf-8")
    return write_archive(folder / "aclImdb_v1.tar.gz", RAW_REVIEWS)


def write_archive(path: Path, members: dict[str, str | bytes], prefix: str = "aclImdb/") -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            content = text.encode("utf-8") if isinstance(text, str) else text
            member = tarfile.TarInfo(prefix + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path
