"""The reviews that a person asks about: given texts, the lines of a file, or reviews of the test split."""

import hashlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from data.load import load_test_split
from data.vocabulary import Encoding
from errors import UserError
from run_folder import RunFolder

_OVERRIDES = ("data.path", "data.word_index")


@dataclass(frozen=True)
class Review:
    """One review to interpret.

    Attributes:
        name: of the folder that its results go to; the same review always gets the same name.
        encoding: its text and ids.
        true_label: its label where it is known.
    """

    name: str
    encoding: Encoding
    true_label: str | None = None


def given_reviews(texts: Sequence[str], run: RunFolder, source: str = "--text") -> list[Review]:
    """Returns one `Review` for each text.

    Raises:
        UserError: a text is empty or holds bytes that are not text.
    """
    return [_given(text, f"{source} {number}", run) for number, text in enumerate(texts, 1)]


def file_reviews(file: str, run: RunFolder) -> list[Review]:
    """Returns one `Review` for each line of a UTF-8 file that is not blank; `-` is standard input.

    Raises:
        UserError: the file cannot be read, is not UTF-8, or holds nothing.
    """
    name = "standard input" if file == "-" else file
    try:
        if file == "-" and sys.stdin is None:
            raise UserError("--file -: standard input is closed")
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UserError(f"{name}, line {line}: expected UTF-8. Received: byte 0x{content[error.start]:02x}") from None
    # Only a line feed ends a line: real reviews hold other characters that Python's splitlines breaks at.
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    reviews = [_given(line, f"{name}, line {number}", run) for number, line in enumerate(lines, 1) if line.strip()]
    if not reviews:
        raise UserError(f"{name} holds no review; expected one a line")
    return reviews


def _check_indices(indices: Sequence[int], count: int) -> None:
    """Raises a `UserError` that names the first index outside the test split."""
    for index in indices:
        if not 0 <= index < count:
            raise UserError(f"--test: the test split has reviews 0 to {count - 1}. Received: {index}")


def reviews_of_test(indices: Sequence[int], run: RunFolder, overrides: Sequence[str] = ()) -> list[Review]:
    """Returns reviews of the test split that the run was measured on, with their true labels.

    Args:
        indices: places in the split, from 0, as in `test_predictions.csv`.
        run: its configuration says where the data is.
        overrides: `data.path=...` or `data.word_index=...` where the data has moved.

    Raises:
        UserError: the data is missing or is not the data of the run.
    """
    for override in overrides:
        if override.partition("=")[0].strip() not in _OVERRIDES:
            raise UserError(f"--set takes {' or '.join(_OVERRIDES)} here. Received: {override}")
    _check_indices(indices, run.metrics["reviews"]["test"])
    config = run.config_with(overrides)
    split = load_test_split(config)
    expected, received = run.metrics["data"]["test_checksum"], split.checksum()
    if received != expected:
        where, trained = config.data.path or config.data.source, run.metrics["data"]["source"]
        raise UserError(
            f"the test reviews of {where} are not those of the run, which come from {trained}: "
            f"expected sha256 {expected}. Received: {received}"
        )
    _check_indices(indices, len(split))
    return [
        Review(f"test-{index}", split.encoding(index, run.vocabulary), run.label_names[split.labels[index]])
        for index in dict.fromkeys(indices)
    ]


def _given(text: str, place: str, run: RunFolder) -> Review:
    try:
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]
    except UnicodeEncodeError:
        raise UserError(f"{place}: expected UTF-8 text. Received: bytes that are not UTF-8") from None
    if not text.strip():
        raise UserError(f"{place}: expected a review. Received: an empty text")
    words = re.findall(r"[a-z0-9]+", text.lower())[:5]
    return Review("-".join([*words, digest])[-80:], run.vocabulary.encode(text))
