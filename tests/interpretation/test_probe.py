import csv

import numpy as np
import pytest

from data.load import load_corpus
from errors import UserError
from interpretation.probe import Probe

TEXT = "The plot was not dull. Although the acting was superb, the ending was never very funny!"


@pytest.fixture(scope="module")
def probe(small_run):
    return Probe(small_run)


@pytest.fixture(scope="module")
def example(example_run):
    return Probe(example_run)


def test_text_and_ids_give_scores_by_layer_head_query_and_key(probe):
    ids = probe.vocabulary.encode(TEXT).ids
    assert probe.attention(TEXT).shape == (2, 2, len(ids), len(ids))
    np.testing.assert_array_equal(probe.attention(TEXT), probe.attention(ids))


def test_rows_of_a_masked_model_sum_to_one_over_words_alone(probe):
    reading = probe.read(probe.vocabulary.encode(TEXT).ids)
    np.testing.assert_allclose(reading.scores.sum(axis=-1), 1, atol=1e-5)
    assert (reading.padding_share == 0).all()


def test_rows_of_an_unmasked_model_sum_to_one_with_their_padding_share(example):
    reading = example.read(example.vocabulary.encode(TEXT).ids)
    assert reading.scores.shape[-1] == 17
    np.testing.assert_allclose(reading.scores.sum(axis=-1) + reading.padding_share, 1, atol=1e-5)
    assert reading.padding_share.mean() > 0.5  # 103 of the 120 positions are padding


def test_scores_equal_softmax_recomputed_in_numpy_from_the_saved_weights(probe, small_run):
    """The first layer, by other means: from the arrays in model.keras alone."""
    model = small_run.load_model()
    tokens, positions = model.get_layer("embedding").get_weights()
    ids = probe.vocabulary.encode(TEXT).ids
    x = tokens[ids] + positions[: len(ids)]
    query, query_bias, key, key_bias = model.get_layer("block_1").attention.get_weights()[:4]
    q = np.einsum("td,dhk->htk", x, query) + query_bias[:, None]
    k = np.einsum("td,dhk->htk", x, key) + key_bias[:, None]
    energies = q @ k.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    expected = np.exp(energies) / np.exp(energies).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(probe.attention(TEXT)[0], expected, atol=1e-5)


@pytest.mark.parametrize("name", ["small_run", "example_run"])
def test_probabilities_equal_those_of_the_training(name, request):
    run = request.getfixturevalue(name)
    probe, corpus = Probe(run), load_corpus(run.config)
    with (run.path / "test_predictions.csv").open() as file:
        for row, sequence in zip(csv.DictReader(file), corpus.test.sequences, strict=True):
            expected = [float(row["p_negative"]), float(row["p_positive"])]
            np.testing.assert_allclose(probe.read(sequence).probabilities, expected, atol=1e-6)


def test_long_review_is_cut_as_in_training(probe):
    ids = [1, *range(4, 104)]
    reading = probe.read(ids)
    assert reading.scores.shape[-1] == 40
    np.testing.assert_array_equal(reading.probabilities, probe.read(ids[-40:]).probabilities)


@pytest.mark.parametrize("ids", [[1, 4, 500], [1, -1]])
def test_id_without_an_embedding_is_refused(probe, ids):
    with pytest.raises(UserError, match=rf"{ids[-1]} at position {len(ids) - 1}"):
        probe.read(ids)


@pytest.mark.parametrize("ids", [[], [[1, 4]]])
def test_anything_but_the_ids_of_one_review_is_refused(probe, ids):
    with pytest.raises(UserError, match="ids of one review"):
        probe.read(ids)
