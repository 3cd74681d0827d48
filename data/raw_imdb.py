"""The raw IMDB reviews: the official archive, read in place, or its unpacked folder."""

import lzma
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from errors import UserError

_MEMBER = re.compile(r"(?:^|/)(train|test)/(neg|pos)/(\d{1,9})_\d{1,9}\.txt$")
_LABELS = {"neg": 0, "pos": 1}

_ARCHIVE_ERRORS = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError, ValueError)

RawReviews = dict[str, list[tuple[int, str]]]


def read_raw_imdb(path: Path, splits: tuple[str, ...] = ("train", "test")) -> RawReviews:
    """Reads the labelled reviews of `aclImdb_v1.tar.gz` or of its unpacked folder.

    Args:
        path: the archive, or a folder that holds `train/` and `test/` (itself or in `aclImdb/`).
        splits: the splits to read.

    Returns:
        `{"train": [(label, text), ...], "test": ...}`; label 0 is negative. Both kinds give the same order:
        negative before positive, each by the number in the file name.

    Raises:
        UserError: nothing is there, the archive is damaged, a review is not UTF-8, or a split lacks a label.
    """
    check_raw_path(path)
    members = _folder_members(path, splits) if path.is_dir() else _archive_members(path, splits)
    found: dict[str, list[tuple[int, int, str]]] = {split: [] for split in splits}
    for name, content in members:
        split, label, number = _MEMBER.search(name).groups()
        try:
            found[split].append((_LABELS[label], int(number), content.decode("utf-8")))
        except UnicodeDecodeError as error:
            raise UserError(f"{path}: {name} is not UTF-8 ({error.reason} at byte {error.start})") from None
    for split, reviews in found.items():
        if {label for label, _, _ in reviews} != {0, 1}:
            raise UserError(f"{path}: expected reviews in {split}/neg and {split}/pos. Received: {len(reviews)} files")
    return {split: [(label, text) for label, _, text in sorted(reviews)] for split, reviews in found.items()}


def check_raw_path(path: Path) -> None:
    """Raises a `UserError` where there is nothing at `path`."""
    if not path.exists():
        raise UserError(f"data.path: nothing at {path}. Expected the archive aclImdb_v1.tar.gz or its unpacked folder")


def _archive_members(path: Path, splits: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yields the reviews of an archive. Nothing is unpacked to disk, so no member can write anywhere."""
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in tqdm(archive, desc="reading", unit=" files", disable=None, leave=False):
                match = _MEMBER.search(member.name)
                if match and match[1] in splits and member.isfile():
                    yield member.name, archive.extractfile(member).read()
            while archive.fileobj.read(2**20):
                pass  # only at the very end does gzip compare its checksum
    except _ARCHIVE_ERRORS as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise UserError(f"{path} cannot be read as an archive; is it damaged? ({reason})") from None


def _folder_members(path: Path, splits: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    root = path / "aclImdb" if (path / "aclImdb").is_dir() else path
    try:
        for split in splits:
            for label in _LABELS:
                for file in (root / split / label).glob("*.txt"):
                    name = f"{split}/{label}/{file.name}"
                    if _MEMBER.search(name):
                        yield name, file.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error}") from None
