"""Folders that appear whole or not at all, and never at the cost of what was there."""

import contextlib
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from errors import UserError


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yields a folder aside that takes the place of `path` when the block ends well, and vanishes otherwise.

    Raises:
        UserError: the folder cannot be written.
    """
    path = resolved(path)
    with folder_aside(path) as aside:
        yield aside
        swap(aside, path)


@contextlib.contextmanager
def folder_aside(path: Path) -> Iterator[Path]:
    """Yields a new folder beside `path`; what of it has not been moved away by the end vanishes."""
    aside = _sibling(path, "new")
    with _cannot_write(path):
        aside.mkdir(parents=True)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def resolved(path: Path) -> Path:
    """Follows links: a link stays a link, and what it names is replaced."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise UserError(f"cannot write to {path}: {error}") from None


def free_folder(path: Path) -> Path:
    """Returns `path`, or the first of `path-2`, `path-3` ... where something is there already."""
    number, candidate = 1, path
    while candidate.exists() and (candidate.is_file() or any(candidate.iterdir())):
        number += 1
        candidate = path.with_name(f"{path.name}-{number}")
    return candidate


def rehearse(path: Path) -> None:
    """Moves what is at `path` away and back, or makes and removes a folder there, to learn whether a swap will work."""
    aside = _sibling(path, "rehearsal")
    with _cannot_write(path):
        if path.exists():
            path.replace(aside)
            aside.replace(path)
        else:
            aside.mkdir(parents=True)
            aside.rmdir()


def swap(new: Path, path: Path) -> None:
    """Moves `new` to `path`. What was there is removed afterwards, or comes back if the move fails."""
    old = _sibling(path, "old")
    with _cannot_write(path):
        if not path.exists():
            new.replace(path)
            return
        path.replace(old)
        try:
            new.replace(path)
        except OSError:
            old.replace(path)
            raise
    shutil.rmtree(old, ignore_errors=True)


def _sibling(path: Path, purpose: str) -> Path:
    return path.parent / f".{path.name}.{uuid.uuid4().hex[:8]}.{purpose}"


@contextlib.contextmanager
def _cannot_write(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot write to {path}: {error.strerror or error}") from None
