import keras
import pytest

import quiet_keras
from errors import UserError


def test_keras_older_than_supported_is_one_line(monkeypatch):
    monkeypatch.setattr(keras, "__version__", "3.9.2")
    with pytest.raises(UserError, match=r"Keras 3.10 or newer. Received: 3.9.2"):
        quiet_keras.import_keras()


@pytest.mark.parametrize("version", ["3.10.0", "3.15.1", "4.0.0.dev1"])
def test_keras_that_is_new_enough_is_returned(monkeypatch, version):
    monkeypatch.setattr(keras, "__version__", version)
    assert quiet_keras.import_keras() is keras
