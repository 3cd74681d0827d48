"""One encoder block that can hand out its attention scores."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="headlight")
class TransformerBlock(keras.layers.Layer):
    """Self-attention and a feed-forward part, each with dropout, a residual connection and layer normalisation.

    The block of the official Keras example (normalisation after the residual), with padding handled explicitly.

    Args:
        embed_dim: width of inputs and outputs.
        num_heads: attention heads.
        key_dim: width of one head.
        ff_dim: width of the feed-forward part's inner layer.
        dropout: rate, after attention and after the feed-forward part. Attention scores are never dropped.

    Call arguments:
        inputs: float tensor `(batch, length, embed_dim)`.
        padding_mask: boolean tensor `(batch, length)`, True for words; None lets every word read the padding.
        return_attention_scores: whether to return the scores as well.
        training: whether dropout is active.

    Returns:
        `outputs`, a float tensor `(batch, length, embed_dim)`; with `return_attention_scores=True` the pair
        `(outputs, scores)`, where `scores` are those after the softmax, `(batch, num_heads, query, key)`. Each
        row over the keys sums to 1, and columns of padding are 0 under a mask. Rows of padding are there too,
        since padding reads words as words do; whoever pools must mask them.

    Raises:
        ValueError: `padding_mask` is not of shape `(batch, length)`.

    Reference:
        Vaswani et al., Attention Is All You Need, 2017.
    """

    def __init__(self, embed_dim, num_heads, key_dim, ff_dim, dropout=0.1, **kwargs):
        if "return_attention_scores" in kwargs:
            raise ValueError("return_attention_scores is an argument of the call, not of the constructor.")
        super().__init__(**kwargs)
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.ff_dim = ff_dim
        self.dropout = dropout
        policy = {"dtype": self.dtype_policy}
        self.attention = keras.layers.MultiHeadAttention(num_heads, key_dim, name="attention", **policy)
        self.attention_norm = keras.layers.LayerNormalization(epsilon=1e-6, name="attention_norm", **policy)
        self.feed_forward_inner = keras.layers.Dense(ff_dim, "relu", name="feed_forward_inner", **policy)
        self.feed_forward_outer = keras.layers.Dense(embed_dim, name="feed_forward_outer", **policy)
        self.feed_forward_norm = keras.layers.LayerNormalization(epsilon=1e-6, name="feed_forward_norm", **policy)
        self.attention_dropout = keras.layers.Dropout(dropout, name="attention_dropout", **policy)
        self.feed_forward_dropout = keras.layers.Dropout(dropout, name="feed_forward_dropout", **policy)

    def build(self, input_shape):
        if input_shape[-1] != self.embed_dim:
            raise ValueError(f"Expected inputs of width embed_dim={self.embed_dim}. Received: shape={input_shape}")
        self.attention.build(input_shape, input_shape)
        self.attention_norm.build(input_shape)
        self.feed_forward_inner.build(input_shape)
        self.feed_forward_outer.build((*input_shape[:-1], self.ff_dim))
        self.feed_forward_norm.build(input_shape)

    # Neither compute_output_shape nor compute_output_spec is defined: Keras then traces `call`, and the scores
    # survive in a functional model.
    def call(self, inputs, padding_mask=None, return_attention_scores=False, training=False):
        attended, scores = self.attention(
            inputs,
            inputs,
            attention_mask=_key_mask(padding_mask),  # (B, 1, T): every query may read every word
            return_attention_scores=True,  # always, so that asking for scores cannot change the outputs
            training=training,
        )
        attended = self.attention_dropout(attended, training=training)
        hidden = self.attention_norm(inputs + attended)  # (B, T, D)
        outputs = self.feed_forward_outer(self.feed_forward_inner(hidden))
        outputs = self.feed_forward_dropout(outputs, training=training)
        outputs = self.feed_forward_norm(hidden + outputs)
        return (outputs, scores) if return_attention_scores else outputs

    def get_config(self):
        own = {
            "embed_dim": self.embed_dim,
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "ff_dim": self.ff_dim,
            "dropout": self.dropout,
        }
        return {**super().get_config(), **own}


def _key_mask(padding_mask):
    if padding_mask is None:
        return None
    if len(padding_mask.shape) != 2:
        raise ValueError(f"Expected padding_mask of shape (batch, length). Received: shape={padding_mask.shape}")
    return ops.expand_dims(ops.cast(padding_mask, "bool"), axis=1)
