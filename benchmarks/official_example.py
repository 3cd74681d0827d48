"""Times the official Keras example against `configs/keras_example.toml`: same data, same machine, in turn.

    python benchmarks/official_example.py --data path/to/aclImdb_v1.tar.gz --repeats 3

The official example (keras.io, "Text classification with Transformer", Apoorv Nandan, 2020) is built here from
plain Keras layers as its page describes it. Each repeat trains both for two epochs with another seed and prints
seconds and test accuracy after each epoch; the ratio of the medians comes last.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from configs.read import read_config
from quiet_keras import import_keras

keras = import_keras()

from data.batches import pad  # noqa: E402 - after the quiet import
from data.load import load_corpus  # noqa: E402
from training.train import train  # noqa: E402

_CONFIG = Path(__file__).parent.parent / "configs" / "keras_example.toml"


class Block(keras.layers.Layer):
    """The block of the official example."""

    def __init__(self, width, heads, inner, rate=0.1):
        super().__init__()
        self.attention = keras.layers.MultiHeadAttention(heads, width)
        self.dense = keras.Sequential([keras.layers.Dense(inner, "relu"), keras.layers.Dense(width)])
        self.norms = [keras.layers.LayerNormalization(epsilon=1e-6) for _ in range(2)]
        self.dropouts = [keras.layers.Dropout(rate) for _ in range(2)]

    def call(self, x):
        x = self.norms[0](x + self.dropouts[0](self.attention(x, x)))
        return self.norms[1](x + self.dropouts[1](self.dense(x)))


class Embeddings(keras.layers.Layer):
    """Token plus position embedding of the official example."""

    def __init__(self, length, words, width):
        super().__init__()
        self.tokens = keras.layers.Embedding(words, width)
        self.positions = keras.layers.Embedding(length, width)

    def call(self, ids):
        return self.tokens(ids) + self.positions(keras.ops.arange(keras.ops.shape(ids)[-1]))


def official_model() -> keras.Model:
    ids = keras.Input((200,))
    x = Block(32, 2, 32)(Embeddings(200, 20_000, 32)(ids))
    x = keras.layers.Dropout(0.1)(keras.layers.GlobalAveragePooling1D()(x))
    x = keras.layers.Dropout(0.1)(keras.layers.Dense(20, "relu")(x))
    model = keras.Model(ids, keras.layers.Dense(2, "softmax")(x))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def time_official(config, corpus) -> tuple[float, list[float]]:
    keras.utils.set_random_seed(config.seed)
    train_ids, test_ids = (pad(list(split.sequences), config) for split in (corpus.train, corpus.test))
    model = official_model()
    started = time.perf_counter()
    history = model.fit(
        train_ids,
        corpus.train.labels,
        batch_size=32,
        epochs=2,
        validation_data=(test_ids, corpus.test.labels),
        verbose=0,
    )
    return time.perf_counter() - started, history.history["val_accuracy"]


def time_ours(config) -> tuple[float, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        run = train(config, Path(folder) / "run")
        rows = run.history.read_text().splitlines()
        column = rows[0].split(",").index("val_accuracy")
        return run.metrics["seconds"], [float(row.split(",")[column]) for row in rows[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="the raw IMDB archive or its unpacked folder")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    seconds: dict[str, list[float]] = {"official": [], "headlight": []}
    for seed in range(arguments.repeats):
        config = read_config(_CONFIG, [f"data.path={arguments.data}", f"seed={seed}"])
        for name, measure in (
            ("official", lambda config=config: time_official(config, load_corpus(config))),
            ("headlight", lambda config=config: time_ours(config)),
        ):
            spent, accuracies = measure()
            seconds[name].append(spent)
            print(
                f"seed {seed}  {name:10} {spent:6.1f} s  accuracy {accuracies[0]:.4f} {accuracies[1]:.4f}", flush=True
            )
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    print(f"median seconds: {medians}; headlight / official = {medians['headlight'] / medians['official']:.3f}")


if __name__ == "__main__":
    main()
