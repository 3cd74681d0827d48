"""Padded batches of reviews, for fitting and for measuring."""

from collections.abc import Iterator, Sequence

import keras
import numpy as np

from configs.schema import Config
from data.corpus import Split

# Batches are cut from pools of this many, sorted by length, so that their order stays random from epoch to epoch.
_POOL = 50


def pad(sequences: Sequence[np.ndarray], config: Config) -> np.ndarray:
    """Cuts and pads sequences to one width.

    Args:
        sequences: 1-D id arrays, each with at least one id.
        config: its `data` section says how, and `config.fixed_width` whether to pad to the full length always.

    Returns:
        int32 `(len(sequences), width)`.
    """
    data = config.data
    longest = max(2, *(len(sequence) for sequence in sequences))  # Keras warns of a softmax over one position
    width = data.sequence_length if config.fixed_width else min(longest, data.sequence_length)
    return keras.utils.pad_sequences(
        sequences, maxlen=width, dtype="int32", padding=data.padding, truncating=data.truncating
    )


class Batches:
    """The batches of a split.

    Args:
        split: the reviews.
        config: batch size, padding, bucketing and seed.
        shuffle: True plans each epoch anew by the seed; False always gives the same order, for measuring.
    """

    def __init__(self, split: Split, config: Config, shuffle: bool):
        self._split = split
        self._config = config
        self._shuffle = shuffle
        self._random = np.random.default_rng(config.seed)
        self._lengths = np.minimum(split.sequences.lengths, config.data.sequence_length)
        self._bucketed = config.training.bucketed and not config.fixed_width

    def __len__(self) -> int:
        return -(-len(self._split) // self._config.training.batch_size)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yields `(ids, labels)` of each batch of one epoch: int32 `(B, T)` and int64 `(B,)`."""
        for chosen in self.plan():
            yield pad([self._split.sequences[i] for i in chosen], self._config), self._split.labels[chosen]

    def plan(self) -> list[np.ndarray]:
        """Returns, for each batch of an epoch, the places of its reviews in the split."""
        size, count = self._config.training.batch_size, len(self._split)
        if not self._shuffle:
            order = np.argsort(self._lengths, kind="stable") if self._bucketed else np.arange(count)
            return _chunks(order, size)
        order = self._random.permutation(count)
        if not self._bucketed:
            return _chunks(order, size)
        pools = _chunks(order, size * _POOL)
        batches = _chunks(np.concatenate([pool[self._by_length(pool)] for pool in pools]), size)
        return [batches[place] for place in self._random.permutation(len(batches))]

    def dataset(self):
        """Returns a `tf.data.Dataset` that runs through one epoch each time it is iterated.

        It is a `tf.data.Dataset` because its shapes are `(None, None)` by declaration; Keras's own `PyDataset`
        guesses them from two batches and fails on the first batch of another width.
        """
        import tensorflow as tf

        signature = (tf.TensorSpec((None, None), tf.int32), tf.TensorSpec((None,), tf.int64))
        dataset = tf.data.Dataset.from_generator(lambda: iter(self), output_signature=signature)
        return dataset.apply(tf.data.experimental.assert_cardinality(len(self))).prefetch(2)

    def _by_length(self, pool: np.ndarray) -> np.ndarray:
        return np.argsort(self._lengths[pool], kind="stable")


def _chunks(order: np.ndarray, size: int) -> list[np.ndarray]:
    return [order[start : start + size] for start in range(0, len(order), size)]
