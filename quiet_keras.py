"""Importing Keras without the start-up chatter of TensorFlow."""

import contextlib
import os
from collections.abc import Iterator
from types import ModuleType

from errors import UserError

LOWEST = (3, 10)


def import_keras() -> ModuleType:
    """Imports and returns Keras, silently.

    TensorFlow writes messages to standard error while it loads, below every logging switch that it has: they
    come before its own logging is set up. Errors still arrive as exceptions.

    Raises:
        UserError: Keras is older than the lowest version that the project supports.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with _without_standard_error():
        import keras
    if tuple(int(part) for part in keras.__version__.split(".")[:2]) < LOWEST:
        raise UserError(f"Headlight needs Keras {'.'.join(map(str, LOWEST))} or newer. Received: {keras.__version__}")
    return keras


@contextlib.contextmanager
def _without_standard_error() -> Iterator[None]:
    kept, sink = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)
