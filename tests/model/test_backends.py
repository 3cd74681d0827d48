"""The layers use keras.ops alone: one training step on each backend, each in a process of its own."""

import os
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

STEP = """
import keras, numpy as np
from configs.schema import Config, DataConfig, ModelConfig
from model import build_classifier
keras.utils.set_random_seed(0)
config = Config(data=DataConfig(vocabulary_size=30, sequence_length=12), model=ModelConfig(embed_dim=8, num_blocks=2))
model = build_classifier(config, 2)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
before = [w.copy() for w in model.get_weights()]
ids, labels = np.arange(4, 28).reshape(2, 12) % 30, np.array([0, 1])
loss = model.train_on_batch(ids, labels)
moved = sum(not np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
model.save("model.keras")
again = keras.saving.load_model("model.keras").predict(ids, verbose=0)
difference = float(abs(again - model.predict(ids, verbose=0)).max())
print("RESULT", keras.backend.backend(), bool(np.isfinite(loss)), moved == len(before), difference == 0)
"""


@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_one_step_trains_every_weight_on(backend, tmp_path):
    environment = {**os.environ, "KERAS_BACKEND": backend, "PYTHONPATH": str(REPOSITORY), "JAX_PLATFORMS": "cpu"}
    result = subprocess.run(
        [sys.executable, "-c", STEP], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert f"RESULT {backend} True True True" in result.stdout, result.stderr


TRAIN_ON_TWO_DEVICES = """
import keras, numpy as np, tensorflow as tf
devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
from configs.schema import Config, DataConfig, ModelConfig
from model import build_classifier
keras.utils.set_random_seed(0)
config = Config(data=DataConfig(vocabulary_size=30, sequence_length=12), model=ModelConfig(embed_dim=8, num_blocks=2))
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = build_classifier(config, 2)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
ids, labels = np.arange(4, 100).reshape(8, 12) % 30, np.arange(8) % 2
model.fit(ids, labels, batch_size=4, epochs=1, verbose=0)
model.save("model.keras")
np.save("predictions.npy", model.predict(ids, verbose=0))
"""

PREDICT_ON_ONE = """
import keras, numpy as np
import model
ids = np.arange(4, 100).reshape(8, 12) % 30
again = keras.saving.load_model("model.keras").predict(ids, verbose=0)
print("RESULT", float(abs(again - np.load("predictions.npy")).max()) < 1e-6)
"""


def test_model_trained_on_two_devices_predicts_the_same_on_one(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    for code in (TRAIN_ON_TWO_DEVICES, PREDICT_ON_ONE):
        result = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
    assert "RESULT True" in result.stdout
