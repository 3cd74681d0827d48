"""From ids to vectors: word dropout, the padding mask, and the sum of token and position embeddings."""

import keras
import numpy as np
from keras import ops


@keras.saving.register_keras_serializable(package="headlight")
class WordDropout(keras.layers.Layer):
    """Replaces a share of the words by the unknown id while training.

    The model so learns what the unknown id means, which later makes it a fair stand-in for a removed word.

    Args:
        rate: share of the words to replace, from 0 to below 1.
        unknown_id: the id that stands for an unknown word.
        first_word_id: ids below it are special and stay.
        seed: optional integer seed.

    Call arguments:
        ids: integer tensor `(batch, length)`.
        training: whether to replace anything.

    Returns:
        Integer tensor `(batch, length)`.
    """

    def __init__(self, rate, unknown_id=2, first_word_id=4, seed=None, **kwargs):
        super().__init__(**kwargs)
        if not 0 <= rate < 1:
            raise ValueError(f"Expected 0 <= rate < 1. Received: rate={rate}")
        self.rate = rate
        self.unknown_id = unknown_id
        self.first_word_id = first_word_id
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)

    def call(self, ids, training=False):
        if not training or self.rate == 0:
            return ids
        chosen = keras.random.uniform(ops.shape(ids), seed=self.seed_generator) < self.rate
        replaced = ops.logical_and(chosen, ids >= self.first_word_id)
        return ops.where(replaced, ops.cast(self.unknown_id, ids.dtype), ids)

    def compute_output_spec(self, ids, training=False):
        return keras.KerasTensor(ids.shape, dtype=ids.dtype)

    def get_config(self):
        own = {
            "rate": self.rate,
            "unknown_id": self.unknown_id,
            "first_word_id": self.first_word_id,
            "seed": self.seed,
        }
        return {**super().get_config(), **own}


@keras.saving.register_keras_serializable(package="headlight")
class PaddingMask(keras.layers.Layer):
    """Tells words from padding.

    Args:
        padding_id: the id that stands for padding.

    Call arguments:
        ids: integer tensor `(batch, length)`.

    Returns:
        Boolean tensor `(batch, length)`, True where the id is not padding.
    """

    def __init__(self, padding_id=0, **kwargs):
        super().__init__(**kwargs)
        self.padding_id = padding_id

    def call(self, ids):
        return ops.not_equal(ids, self.padding_id)

    def compute_output_spec(self, ids):
        return keras.KerasTensor(ids.shape, dtype="bool")

    def get_config(self):
        return {**super().get_config(), "padding_id": self.padding_id}


@keras.saving.register_keras_serializable(package="headlight")
class SineInitializer(keras.initializers.Initializer):
    """Sine and cosine waves of falling frequency, so that training starts with a sense of distance.

    Positions that are near have similar rows from the first step on, which a small training set alone teaches
    slowly: with it the planted reviews are learned in a third of the epochs.

    Args:
        scale: the amplitude.

    Reference:
        Vaswani et al., Attention Is All You Need, 2017, section 3.5.
    """

    def __init__(self, scale=1.0):
        self.scale = scale

    def __call__(self, shape, dtype=None):
        length, width = shape
        angles = np.arange(length)[:, None] / 10000 ** (np.arange(0, width, 2) / width)  # (T, D / 2)
        waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, -1)[:, :width]
        return ops.convert_to_tensor(self.scale * waves, dtype=dtype)

    def get_config(self):
        return {"scale": self.scale}


@keras.saving.register_keras_serializable(package="headlight")
class TokenAndPositionEmbedding(keras.layers.Layer):
    """Adds a learned vector for the token and one for its position.

    Args:
        vocabulary_size: ids run below it.
        sequence_length: the most positions.
        embed_dim: width of the vectors.
        position_start: what the position vectors start from, `"uniform"` noise or `"sine"` waves. Both are learned.

    Call arguments:
        ids: integer tensor `(batch, length)` with `length <= sequence_length`.

    Returns:
        Float tensor `(batch, length, embed_dim)`.
    """

    def __init__(self, vocabulary_size, sequence_length, embed_dim, position_start="uniform", **kwargs):
        super().__init__(**kwargs)
        self.position_start = position_start
        self.vocabulary_size = vocabulary_size
        self.sequence_length = sequence_length
        self.embed_dim = embed_dim
        self.token_embedding = keras.layers.Embedding(
            vocabulary_size, embed_dim, mask_zero=False, dtype=self.dtype_policy, name="token_embedding"
        )
        self.position_embedding = keras.layers.Embedding(
            sequence_length,
            embed_dim,
            embeddings_initializer=SineInitializer() if position_start == "sine" else "uniform",
            dtype=self.dtype_policy,
            name="position_embedding",
        )

    def build(self, input_shape):
        self.token_embedding.build(input_shape)
        self.position_embedding.build((input_shape[-1],))

    def call(self, ids):
        positions = ops.arange(ops.shape(ids)[-1], dtype="int32")
        return self.token_embedding(ids) + self.position_embedding(positions)  # (B, T, D) + (T, D)

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.embed_dim)

    def get_config(self):
        own = {
            "vocabulary_size": self.vocabulary_size,
            "sequence_length": self.sequence_length,
            "embed_dim": self.embed_dim,
            "position_start": self.position_start,
        }
        return {**super().get_config(), **own}
