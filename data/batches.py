"""Padded batches of reviews, for fitting and for measuring."""

from collections.abc import Sequence

import keras
import numpy as np

from configs.schema import Config
from data.corpus import Split

# Batches are cut from pools of this many, sorted by length, so that order stays random from epoch to epoch.
_POOL = 50


def pad(sequences: Sequence[np.ndarray], config: Config) -> np.ndarray:
    """Cuts and pads sequences to one width.

    Args:
        sequences: 1-D id arrays, each with at least one id.
        config: its `data` section says how; `config.fixed_width` whether to pad to the full length always.

    Returns:
        int32 `(len(sequences), width)`.
    """
    data = config.data
    longest = max(len(sequence) for sequence in sequences)
    width = data.sequence_length if config.fixed_width else min(longest, data.sequence_length)
    return keras.utils.pad_sequences(
        sequences, maxlen=width, dtype="int32", padding=data.padding, truncating=data.truncating
    )


class Batches(keras.utils.PyDataset):
    """Batches of a split for `keras.Model.fit`, shuffled anew each epoch by a seed.

    Args:
        split: the reviews.
        config: batch size, padding, bucketing and seed.
        shuffle: False keeps the order of the split; used for measuring.
    """

    def __init__(self, split: Split, config: Config, shuffle: bool):
        super().__init__()
        self._split = split
        self._config = config
        self._shuffle = shuffle
        self._random = np.random.default_rng(config.seed)
        self._lengths = np.minimum(split.sequences.lengths, config.data.sequence_length)
        self._batches = self._plan()

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns `(ids, labels)` of one batch: int32 `(B, T)` and int64 `(B,)`."""
        chosen = self._batches[index]
        return pad([self._split.sequences[i] for i in chosen], self._config), self._split.labels[chosen]

    def on_epoch_end(self) -> None:
        if self._shuffle:
            self._batches = self._plan()

    @property
    def order(self) -> np.ndarray:
        """The places in the split of the reviews, in the order in which the batches hold them."""
        return np.concatenate(self._batches)

    def _plan(self) -> list[np.ndarray]:
        size, count = self._config.training.batch_size, len(self._split)
        bucketed = self._config.training.bucketed and not self._config.fixed_width
        if not self._shuffle:
            order = np.argsort(self._lengths, kind="stable") if bucketed else np.arange(count)
            return _chunks(order, size)
        order = self._random.permutation(count)
        if bucketed:
            pools = _chunks(order, size * _POOL)
            order = np.concatenate([pool[np.argsort(self._lengths[pool], kind="stable")] for pool in pools])
        batches = _chunks(order, size)
        return [batches[i] for i in self._random.permutation(len(batches))] if bucketed else batches


def _chunks(order: np.ndarray, size: int) -> list[np.ndarray]:
    return [order[start : start + size] for start in range(0, len(order), size)]
