import keras
import numpy as np
import pytest

from configs.schema import Config, DataConfig, ModelConfig
from model import (
    AttentionPooling,
    MeanPooling,
    PaddingMask,
    TokenAndPositionEmbedding,
    TransformerBlock,
    WordDropout,
    build_classifier,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(2, 5, 4)).astype("float32")
MASK = np.array([[True] * 5, [True, True, True, False, False]])


def numpy(tensor):
    return keras.ops.convert_to_numpy(tensor)


def softmax(energies):
    exponentials = np.exp(energies - energies.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def block(**changes):
    return TransformerBlock(**{"embed_dim": 4, "num_heads": 2, "key_dim": 3, "ff_dim": 8, **changes})


def test_identity_weights_give_the_attention_worked_out_by_hand():
    """Query, key and value are the input itself: scores are softmax(x x^T / sqrt(2)) of [1, 0] and [0, 2]."""
    layer = block(embed_dim=2, num_heads=1, key_dim=2)
    layer.build((1, 2, 2))
    identity, zero = np.eye(2).reshape(2, 1, 2), np.zeros((1, 2))
    layer.attention.set_weights([identity, zero, identity, zero, identity, zero, np.eye(2).reshape(1, 2, 2), zero[0]])
    _, scores = layer(np.array([[[1.0, 0.0], [0.0, 2.0]]], "float32"), return_attention_scores=True)
    a, b = np.exp(1 / np.sqrt(2)), np.exp(4 / np.sqrt(2))
    expected = [[a / (a + 1), 1 / (a + 1)], [1 / (1 + b), b / (1 + b)]]
    np.testing.assert_allclose(numpy(scores)[0, 0], expected, atol=1e-6)


def test_scores_equal_softmax_of_the_saved_weights():
    layer = block()
    _, scores = layer(X, padding_mask=MASK, return_attention_scores=True)
    query_kernel, query_bias, key_kernel, key_bias = layer.attention.get_weights()[:4]
    query = np.einsum("btd,dhk->bhtk", X, query_kernel) + query_bias[None, :, None]
    key = np.einsum("btd,dhk->bhtk", X, key_kernel) + key_bias[None, :, None]
    energies = query @ key.swapaxes(-1, -2) / np.sqrt(3)
    energies = np.where(MASK[:, None, None, :], energies, -np.inf)
    np.testing.assert_allclose(numpy(scores), softmax(energies), atol=1e-5)


def test_rows_sum_to_one_and_columns_of_padding_are_zero():
    _, scores = block()(X, padding_mask=MASK, return_attention_scores=True)
    assert scores.shape == (2, 2, 5, 5)
    np.testing.assert_allclose(numpy(scores).sum(axis=-1), 1, atol=1e-5)
    assert (numpy(scores)[1, :, :, 3:] == 0).all()


def test_asking_for_scores_changes_nothing():
    layer = block()
    with_scores, _ = layer(X, padding_mask=MASK, return_attention_scores=True)
    np.testing.assert_array_equal(numpy(with_scores), numpy(layer(X, padding_mask=MASK)))


def test_scores_are_asked_for_at_the_call():
    layer = block()
    layer(X, return_attention_scores=True)
    assert layer(X).shape == (2, 5, 4)  # the flag is not remembered
    with pytest.raises(ValueError, match="argument of the call"):
        block(return_attention_scores=True)


def test_words_do_not_see_padding():
    layer = block()
    outputs = numpy(layer(X, padding_mask=MASK))
    other = X.copy()
    other[1, 3:] = 99
    np.testing.assert_array_equal(numpy(layer(other, padding_mask=MASK))[1, :3], outputs[1, :3])


@pytest.mark.parametrize("mask", [MASK[0], MASK[:, None, :]])
def test_mask_of_another_rank_is_refused_with_the_expected_shape(mask):
    with pytest.raises(ValueError, match=r"shape \(batch, length\)"):
        block()(X, padding_mask=keras.ops.convert_to_tensor(mask))


def test_symbolic_call_gives_what_the_eager_call_gives():
    layer = block()
    inputs, mask = keras.Input((None, 4)), keras.Input((None,), dtype="bool")
    model = keras.Model([inputs, mask], layer(inputs, padding_mask=mask, return_attention_scores=True))
    eager = layer(X, padding_mask=MASK, return_attention_scores=True)
    for symbolic, expected in zip(model([X, MASK]), eager, strict=True):
        np.testing.assert_allclose(numpy(symbolic), numpy(expected), atol=1e-6)


def test_masked_mean_divides_by_the_words():
    values = np.array([[[1.0], [3.0], [50.0]]])
    assert numpy(MeanPooling()(values, padding_mask=np.array([[True, True, False]]))).item() == 2.0
    assert numpy(MeanPooling()(values)).item() == 18.0


@pytest.mark.parametrize("pooling", [MeanPooling(), AttentionPooling(3)])
def test_review_that_is_all_padding_pools_to_numbers(pooling):
    assert np.isfinite(numpy(pooling(X, padding_mask=np.zeros((2, 5), bool)))).all()


def test_pooling_weights_are_a_distribution_over_words():
    layer = AttentionPooling(3)
    pooled, weights = layer(X, padding_mask=MASK, return_attention_scores=True)
    inner, bias, query = layer.get_weights()
    energies = np.where(MASK, (np.tanh(X @ inner + bias) @ query)[..., 0], -np.inf)
    np.testing.assert_allclose(numpy(weights), softmax(energies), atol=1e-6)
    np.testing.assert_allclose(numpy(pooled), np.einsum("bt,btd->bd", softmax(energies), X), atol=1e-5)


def test_word_dropout_replaces_words_only_and_only_while_training():
    ids = np.concatenate([np.arange(4), np.full(4000, 7)])[None]
    layer = WordDropout(0.25, seed=1)
    np.testing.assert_array_equal(numpy(layer(ids)), ids)
    dropped = numpy(layer(ids, training=True))[0]
    assert dropped[:4].tolist() == [0, 1, 2, 3]
    assert set(dropped[4:]) == {2, 7}
    assert 0.22 < (dropped[4:] == 2).mean() < 0.28


def test_embedding_adds_token_and_position():
    layer = TokenAndPositionEmbedding(6, 4, 3, position_start="sine")
    outputs = numpy(layer(np.array([[5, 2]])))
    tokens, positions = layer.get_weights()
    np.testing.assert_allclose(outputs[0], [tokens[5] + positions[0], tokens[2] + positions[1]], atol=1e-6)
    np.testing.assert_allclose(positions[:2], [[0, 1, 0], [np.sin(1), np.cos(1), np.sin(10000 ** (-2 / 3))]], atol=1e-6)


@pytest.mark.parametrize(
    "layer",
    [
        TransformerBlock(4, 2, 3, 8, 0.2),
        TokenAndPositionEmbedding(6, 4, 3, "sine"),
        AttentionPooling(3),
        MeanPooling(),
        PaddingMask(9),
        WordDropout(0.3, 5, 6, 7),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_configuration_of_a_layer_rebuilds_it(layer):
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


OFFICIAL = Config(
    data=DataConfig(padding="pre"),
    model=ModelConfig(key_dim=32, word_dropout=0.0, masked=False, pooling="mean", hidden_dim=20),
)


def test_official_example_has_its_number_of_parameters():
    assert build_classifier(OFFICIAL, 2).count_params() == 657_758


def classifier(**model):
    config = Config(
        data=DataConfig(vocabulary_size=30, sequence_length=20), model=ModelConfig(embed_dim=8, num_blocks=2, **model)
    )
    return build_classifier(config, 3)


@pytest.mark.parametrize("pooling", ["mean", "attention"])
def test_more_padding_changes_nothing(pooling):
    model = classifier(pooling=pooling)
    ids = np.array([[1, 7, 9, 4]])
    padded = np.pad(ids, [(0, 0), (0, 12)])
    np.testing.assert_allclose(numpy(model(padded)), numpy(model(ids)), atol=1e-6)


def test_classes_are_a_distribution():
    probabilities = numpy(classifier()(np.array([[1, 5], [1, 9]])))
    assert probabilities.shape == (2, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)


def test_mixed_precision_gives_rows_that_sum_to_one():
    layer = block(dtype="mixed_float16")
    _, scores = layer(X, padding_mask=MASK, return_attention_scores=True)
    np.testing.assert_allclose(numpy(scores).astype("float32").sum(axis=-1), 1, atol=2e-3)
    assert (numpy(scores)[1, :, :, 3:] == 0).all()
