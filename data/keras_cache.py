"""The files that `keras.datasets.imdb` downloads: found in the Keras cache, checked, or fetched by Keras."""

import hashlib
import http.client
import os
import socket
import threading
import urllib.request
from pathlib import Path

from errors import UserError
from quiet_keras import import_keras

SEQUENCES_FILE = "imdb.npz"
WORD_INDEX_FILE = "imdb_word_index.json"
_URL = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
_SECONDS_TO_WAIT = 15

# The hashes that the Keras source insists on.
_HASHES = {
    SEQUENCES_FILE: ("sha256", "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"),
    WORD_INDEX_FILE: ("md5", "bfafd718b763782e994055a2d397834f"),
}

_REMEDIES = {
    SEQUENCES_FILE: "pass --set data.path=PATH to the raw archive aclImdb_v1.tar.gz or its unpacked folder, "
    f"with {WORD_INDEX_FILE} beside it",
    WORD_INDEX_FILE: "pass --set data.word_index=PATH to a copy of it, or put it beside the archive of data.path",
}


def cached_file(name: str) -> Path:
    """Returns the whole, checked file `name` in the Keras cache; Keras downloads it where it is missing.

    Raises:
        UserError: the cached file is damaged, or there is none and the address does not answer within 15 s.
    """
    file = _cache() / name
    algorithm, expected = _HASHES[name]
    if not file.is_file():
        file = _download(name)
    received = hashlib.new(algorithm, file.read_bytes()).hexdigest()
    if received != expected:
        raise UserError(f"{file} is damaged: expected {algorithm} {expected}. Received: {received}. Delete it")
    return file


def _cache() -> Path:
    home = os.environ.get("KERAS_HOME")
    return (Path(home) if home else Path.home() / ".keras") / "datasets"


def _download(name: str) -> Path:
    if not _answers(_URL + name):
        raise UserError(_no_network(name))
    keras = import_keras()
    socket.setdefaulttimeout(_SECONDS_TO_WAIT)  # a line that falls silent later is given up as well
    try:
        return Path(keras.utils.get_file(name, origin=_URL + name, cache_subdir="datasets"))
    except Exception as error:  # Keras raises a bare Exception for an address that it cannot reach
        raise UserError(f"{_no_network(name)} ({' '.join(str(error).split())})") from None
    finally:
        socket.setdefaulttimeout(None)


def _answers(url: str) -> bool:
    """Whether an address answers; a look-up that hangs is not waited for."""
    answers = threading.Event()

    def ask() -> None:
        request = urllib.request.Request(url, method="HEAD")
        try:
            urllib.request.urlopen(request, timeout=_SECONDS_TO_WAIT).close()
        except (http.client.HTTPException, OSError, ValueError):
            return
        answers.set()

    worker = threading.Thread(target=ask, daemon=True)
    worker.start()
    worker.join(_SECONDS_TO_WAIT)
    return answers.is_set()


def _no_network(name: str) -> str:
    algorithm, digest = _HASHES[name]
    return f"cannot download {_URL}{name}: put that file ({algorithm} {digest}) into {_cache()}, or {_REMEDIES[name]}"
