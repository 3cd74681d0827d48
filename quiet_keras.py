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
        UserError: Keras cannot be imported, has another backend, or is older than the project supports.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        with _without_standard_error():
            import keras
    except Exception as error:  # an unknown or missing backend, a broken installation
        raise UserError(f"Keras cannot be imported: {type(error).__name__}: {error}") from None
    if keras.backend.backend() != "tensorflow":
        raise UserError(f"Headlight runs Keras on TensorFlow. Received: KERAS_BACKEND={keras.backend.backend()}")
    if tuple(int(part) for part in keras.__version__.split(".")[:2]) < LOWEST:
        raise UserError(f"Headlight needs Keras {'.'.join(map(str, LOWEST))} or newer. Received: {keras.__version__}")
    return keras


@contextlib.contextmanager
def _without_standard_error() -> Iterator[None]:
    try:
        kept = os.dup(2)
    except OSError:  # standard error is closed
        yield
        return
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)
