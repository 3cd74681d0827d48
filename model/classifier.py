"""The classifier, as a functional model whose inner tensors can be read after reloading."""

import keras

from configs.schema import Config
from model.embedding import PaddingMask, TokenAndPositionEmbedding, WordDropout
from model.pooling import AttentionPooling, MeanPooling
from model.transformer_block import TransformerBlock


def build_classifier(config: Config, num_classes: int) -> keras.Model:
    """Builds the text classifier that a configuration describes.

    With `masked=False`, padding in front, `key_dim == embed_dim`, mean pooling and `hidden_dim=20` this is the
    official Keras example; its other settings give the project's own model.

    Args:
        config: the `data` section decides the vocabulary and the length, `model` the rest.
        num_classes: width of the output.

    Returns:
        A model from ids, int32 `(batch, length)`, to class probabilities `(batch, num_classes)`. The length is
        fixed where `config.fixed_width` says so. The inner tensors have names to be found by: the outputs of
        the layers `padding_mask`, `embedding`, `block_1` ... (each `(outputs, scores)`), `pooling` and `logits`.
    """
    data, model = config.data, config.model
    ids = keras.Input((data.sequence_length if config.fixed_width else None,), dtype="int32", name="ids")
    mask = PaddingMask(name="padding_mask")(ids) if model.masked else None
    x = WordDropout(model.word_dropout, name="word_dropout")(ids) if model.word_dropout else ids
    x = TokenAndPositionEmbedding(
        data.vocabulary_size, data.sequence_length, model.embed_dim, model.position_start, name="embedding"
    )(x)
    for number in range(1, model.num_blocks + 1):
        block = TransformerBlock(
            model.embed_dim, model.num_heads, model.key_dim, model.ff_dim, model.dropout, name=f"block_{number}"
        )
        x, _ = block(x, padding_mask=mask, return_attention_scores=True)
    x = keras.layers.Dropout(model.dropout, name="pooled_dropout")(_pool(x, mask, config))
    if model.hidden_dim:
        x = keras.layers.Dense(model.hidden_dim, "relu", name="hidden")(x)
        x = keras.layers.Dropout(model.dropout, name="hidden_dropout")(x)
    logits = keras.layers.Dense(num_classes, name="logits")(x)
    return keras.Model(ids, keras.layers.Softmax(name="probabilities")(logits), name="classifier")


def _pool(x, mask, config: Config):
    if config.model.pooling == "mean":
        return MeanPooling(name="pooling")(x, padding_mask=mask)
    pooled, _ = AttentionPooling(config.model.pooling_dim, name="pooling")(
        x, padding_mask=mask, return_attention_scores=True
    )
    return pooled
