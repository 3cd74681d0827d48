"""From one vector a token to one vector a review."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="headlight")
class MeanPooling(keras.layers.Layer):
    """The mean over the words, padding left out where there is a mask.

    Call arguments:
        inputs: float tensor `(batch, length, width)`.
        padding_mask: boolean tensor `(batch, length)`, True for words; None means that all positions count.

    Returns:
        Float tensor `(batch, width)`; zeros, not NaN, for a review that is all padding.
    """

    def call(self, inputs, padding_mask=None):
        if padding_mask is None:
            return ops.mean(inputs, axis=1)
        weights = ops.expand_dims(ops.cast(padding_mask, inputs.dtype), axis=-1)  # (B, T, 1)
        return ops.sum(inputs * weights, axis=1) / ops.maximum(ops.sum(weights, axis=1), 1)

    def compute_output_spec(self, inputs, padding_mask=None):
        return keras.KerasTensor((inputs.shape[0], inputs.shape[-1]), dtype=self.compute_dtype)


@keras.saving.register_keras_serializable(package="headlight")
class AttentionPooling(keras.layers.Layer):
    """Additive attention with one learned query: a weighted mean whose weights say what the classifier reads.

    Args:
        pooling_dim: width of the inner layer.

    Call arguments:
        inputs: float tensor `(batch, length, width)`.
        padding_mask: boolean tensor `(batch, length)`, True for words; None means that all positions count.
        return_attention_scores: whether to return the weights as well.

    Returns:
        `pooled`, a float tensor `(batch, width)`; with `return_attention_scores=True` the pair
        `(pooled, weights)`, where `weights` `(batch, length)` sum to 1 and are 0 on padding.

    Reference:
        Bahdanau et al., Neural Machine Translation by Jointly Learning to Align and Translate, 2015 (the score);
        Yang et al., Hierarchical Attention Networks for Document Classification, 2016 (the learned query).
    """

    def __init__(self, pooling_dim, **kwargs):
        super().__init__(**kwargs)
        self.pooling_dim = pooling_dim
        self.inner = keras.layers.Dense(pooling_dim, "tanh", name="inner", dtype=self.dtype_policy)
        self.softmax = keras.layers.Softmax(name="softmax", dtype=self.dtype_policy)
        self.query = keras.layers.Dense(1, use_bias=False, name="query", dtype=self.dtype_policy)

    def build(self, input_shape):
        self.inner.build(input_shape)
        self.query.build((*input_shape[:-1], self.pooling_dim))

    def call(self, inputs, padding_mask=None, return_attention_scores=False):
        energies = ops.squeeze(self.query(self.inner(inputs)), axis=-1)  # (B, T)
        weights = self.softmax(energies, mask=padding_mask)
        pooled = ops.einsum("bt,btd->bd", weights, inputs)
        return (pooled, weights) if return_attention_scores else pooled

    def get_config(self):
        return {**super().get_config(), "pooling_dim": self.pooling_dim}
