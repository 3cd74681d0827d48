"""The reloaded classifier cut at its embeddings, the seam that gradient methods need; compiled."""

from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf

from model import AttentionPooling, TransformerBlock


@dataclass(frozen=True, eq=False)
class Trace:
    """One review's way through the model, and the gradient of one class's logit along it.

    W is the padded width, D and E widths of vectors, L layers and H heads.

    Attributes:
        logits: float32 `(classes,)`.
        embeddings: float32 `(W, D)`, and its gradient.
        scores: attention scores after the softmax, float32 `(L, H, W, W)`, and their gradient.
        block_inputs: what each block reads, float32 `(L, W, D)`.
        pooled_inputs: what pooling reads, float32 `(W, E)`, and its gradient.
        weights: the pooling weights, float32 `(W,)`, and their gradient; None where pooling is the mean.
    """

    logits: np.ndarray
    embeddings: np.ndarray
    embeddings_gradient: np.ndarray
    scores: np.ndarray
    scores_gradient: np.ndarray
    block_inputs: np.ndarray
    pooled_inputs: np.ndarray
    pooled_inputs_gradient: np.ndarray
    weights: np.ndarray | None
    weights_gradient: np.ndarray | None


class Halves:
    """A classifier as two compiled functions: ids to embeddings, and embeddings to everything else.

    Both are parts of the one reloaded graph, so nothing is computed by other means than in prediction.

    Args:
        model: a model that `build_classifier` made.
    """

    def __init__(self, model: keras.Model):
        names = [layer.name for layer in model.layers]
        self.blocks = [layer for layer in model.layers if isinstance(layer, TransformerBlock)]
        pooling = model.get_layer("pooling")
        seam = [model.get_layer(name).output for name in ("embedding", "padding_mask") if name in names]
        attentive = isinstance(pooling, AttentionPooling)
        parts = {
            "logits": model.get_layer("logits").output,
            "scores": [block.output[1] for block in self.blocks],
            "block_inputs": [block.output[0] for block in self.blocks[:-1]],  # the first reads the embeddings
            "pooled_inputs": _first(pooling.input),
            "weights": [pooling.output[1]] if attentive else [],
        }
        self._head = keras.Model(seam, parts)
        embed = keras.Model(model.inputs, seam)
        logits = keras.Model(model.inputs, parts["logits"])
        self.embed = tf.function(lambda ids: _as_list(embed([ids], training=False)), reduce_retracing=True)
        self.logits = tf.function(lambda ids: logits([ids], training=False), reduce_retracing=True)
        self._differentiate = tf.function(self._gradients, reduce_retracing=True)

    def trace(self, ids: np.ndarray, target: int) -> Trace:
        """Runs one padded review, int32 `(1, W)`, and takes the gradient of the logit of class `target`."""
        parts, gradients = self._differentiate(tf.constant(target), *self.embed(ids))
        parts = {name: _numpy(values) for name, values in parts.items()}
        gradients = {name: _numpy(values) for name, values in gradients.items()}
        width = ids.shape[1]
        layers = len(self.blocks)
        shape = (layers, parts["scores"][0].shape[1] if layers else 0, width, width)
        return Trace(
            logits=parts["logits"][0],
            embeddings=parts["embeddings"][0],
            embeddings_gradient=gradients["embeddings_gradient"][0],
            scores=_stack(parts["scores"], shape),
            scores_gradient=_stack(gradients["scores"], shape),
            block_inputs=np.concatenate([parts["embeddings"], *parts["block_inputs"]]),
            pooled_inputs=parts["pooled_inputs"][0],
            pooled_inputs_gradient=gradients["pooled_inputs"][0],
            weights=parts["weights"][0][0] if parts["weights"] else None,
            weights_gradient=gradients["weights"][0][0] if parts["weights"] else None,
        )

    def along(self, path: np.ndarray, ids: np.ndarray, target: int) -> tuple[np.ndarray, np.ndarray]:
        """Puts other embeddings in the place of a review's own, with the review's mask.

        Args:
            path: float32 `(N, W, D)`.
            ids: the padded review, int32 `(1, W)`.
            target: the number of a class.

        Returns:
            The logits of the class, float32 `(N,)`, and their gradients at the embeddings, float32 `(N, W, D)`.
        """
        _, *mask = self.embed(ids)
        parts, gradients = self._differentiate(tf.constant(target), path, *(tf.repeat(m, len(path), 0) for m in mask))
        return _numpy(parts["logits"])[:, target], _numpy(gradients["embeddings_gradient"])

    def _gradients(self, target, embeddings, *mask):
        """The one place that differentiates; `tf.GradientTape` records the forward pass of the head."""
        with tf.GradientTape() as tape:
            tape.watch(embeddings)
            parts = self._head([embeddings, *mask], training=False)
            total = tf.reduce_sum(tf.gather(parts["logits"], target, axis=1))  # reviews do not touch each other
        inner = {name: parts[name] for name in ("scores", "pooled_inputs", "weights")}
        gradients = tape.gradient(total, {"embeddings_gradient": embeddings, **inner})
        return {**parts, "embeddings": embeddings}, gradients


def _as_list(tensors) -> list:
    return list(tensors) if isinstance(tensors, list | tuple) else [tensors]


def _first(tensors):
    return _as_list(tensors)[0]


def _numpy(value):
    return [_numpy(item) for item in value] if isinstance(value, list | tuple) else value.numpy()


def _stack(layers: list[np.ndarray], empty: tuple[int, ...]) -> np.ndarray:
    return np.stack([layer[0] for layer in layers]) if layers else np.zeros(empty, np.float32)
