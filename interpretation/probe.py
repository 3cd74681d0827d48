"""The reloaded classifier, seen from inside."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import keras
import numpy as np

from data.batches import pad
from data.corpus import window
from data.vocabulary import UNKNOWN
from errors import UserError
from interpretation.halves import Halves, Trace
from interpretation.subject import Subject
from model import AttentionPooling, TransformerBlock
from run_folder import RunFolder

_BATCH_TOKENS = 16_384  # in one pass; bounds memory whatever the number and the length of reviews


@dataclass(frozen=True, eq=False)
class Reading:
    """What one forward pass shows of a review of T tokens.

    Attributes:
        probabilities: float32 `(classes,)`.
        scores: attention scores after the softmax, float32 `(layers, heads, T, T)`; padding is cropped.
        padding_share: what each query gave to padding, float32 `(layers, heads, T)`.
    """

    probabilities: np.ndarray
    scores: np.ndarray
    padding_share: np.ndarray


class Probe:
    """A trained classifier with its inner tensors in reach.

    The scores are outputs of the reloaded graph itself, so they are those that the prediction was made of.

    Args:
        run: a finished run.

    Raises:
        UserError: the model cannot be loaded or does not fit the run's vocabulary.
    """

    def __init__(self, run: RunFolder):
        self.config = run.config
        self.vocabulary = run.vocabulary
        self.label_names = run.label_names
        self.baseline_id = UNKNOWN
        self.model = model = run.load_model()
        _check(model, run)
        blocks = [layer for layer in model.layers if isinstance(layer, TransformerBlock)]
        scores = [block.output[1] for block in blocks]
        self._traced: tuple[Subject, int, Trace] | None = None
        self._reader = keras.Model(model.inputs, {"probabilities": model.output, "scores": scores})

    def seen(self, length: int) -> slice:
        """Returns which of a review's `length` ids the model reads."""
        return window(length, self.config.data.sequence_length, self.config.data.truncating)

    def read(self, ids: Sequence[int]) -> Reading:
        """Runs one review through the model.

        Args:
            ids: the ids of one review, 1-D, the start id first; what the model cannot hold is cut off.

        Raises:
            UserError: there is no id, or one that the model has no embedding for.
        """
        ids = np.asarray(ids, dtype=np.int64)
        if ids.ndim != 1 or not len(ids):
            raise UserError(f"expected the ids of one review, a list of at least one. Received: shape {ids.shape}")
        self.vocabulary.check_ids(ids)
        subject = self.subject(ids)
        outputs = self._reader([subject.ids], training=False)
        scores = np.stack([keras.ops.convert_to_numpy(layer)[0] for layer in outputs["scores"]])
        rows = scores[:, :, subject.real].astype(np.float32)  # (L, H, T, width)
        cropped = np.ascontiguousarray(rows[..., subject.real])
        padding = rows[..., ~subject.is_real]
        return Reading(keras.ops.convert_to_numpy(outputs["probabilities"])[0], cropped, padding.sum(axis=-1))

    def attention(self, review: str | Sequence[int]) -> np.ndarray:
        """Returns the attention scores of a text or of its ids, float32 `(layers, heads, query, key)`."""
        ids = self.vocabulary.encode(review).ids if isinstance(review, str) else review
        return self.read(ids).scores

    def subject(self, ids: Sequence[int]) -> Subject:
        """Returns one review as the model reads it; see `read` for `ids`."""
        padded = pad([np.asarray(ids, dtype=np.int64)], self.config)  # (1, W): the batch axis that the model expects
        return Subject(padded, self._real_positions(len(ids), padded.shape[1]))

    @cached_property
    def halves(self) -> Halves:
        """The classifier cut at its embeddings."""
        return Halves(self.model)

    @property
    def layers(self) -> int:
        """The number of attention layers."""
        return len(self.halves.blocks)

    @property
    def pools_by_attention(self) -> bool:
        return isinstance(self.model.get_layer("pooling"), AttentionPooling)

    def logits(self, ids: np.ndarray) -> np.ndarray:
        """Returns the logits of padded reviews, int32 `(N, W)`, as float32 `(N, classes)`; in batches."""
        size = max(1, _BATCH_TOKENS // ids.shape[1])
        parts = [self.halves.logits(ids[start : start + size]).numpy() for start in range(0, len(ids), size)]
        return np.concatenate(parts)

    def trace(self, subject: Subject, target: int) -> Trace:
        """Returns one review's way through the model with the gradient of the logit of class `target`."""
        if self._traced is None or self._traced[:2] != (subject, target):
            self._traced = (subject, target, self.halves.trace(subject.ids, target))  # several methods share it
        return self._traced[2]

    def value_weights(self, layer: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the value kernel `(D, H, K)`, value bias `(H, K)` and output kernel `(H, K, D)` of a layer."""
        attention = self.halves.blocks[layer].attention
        value_kernel, value_bias = attention.value_dense.get_weights()
        return value_kernel, value_bias, attention.output_dense.get_weights()[0]

    def _real_positions(self, length: int, width: int) -> slice:
        count = min(length, width)
        return slice(width - count, width) if self.config.data.padding == "pre" else slice(0, count)


def _check(model: keras.Model, run: RunFolder) -> None:
    embedding, config = model.get_layer("embedding"), run.config
    blocks = [layer for layer in model.layers if isinstance(layer, TransformerBlock)]
    pairs = {
        "ids": (embedding.vocabulary_size, run.vocabulary.size),
        "positions": (embedding.sequence_length, config.data.sequence_length),
        "input width": (model.input_shape[1], config.data.sequence_length if config.fixed_width else None),
        "heads of each block": (
            [block.num_heads for block in blocks],
            [config.model.num_heads] * config.model.num_blocks,
        ),
        "classes": (model.output_shape[-1], len(run.label_names)),
    }
    for name, (received, expected) in pairs.items():
        if received != expected:
            raise UserError(f"{run.path}: model.keras is not the model of this run; {name}: {received}, not {expected}")
