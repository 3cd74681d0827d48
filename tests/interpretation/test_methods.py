"""Each method on cases worked by hand, or against an independent computation."""

import keras
import numpy as np
import pytest

from data.vocabulary import UNKNOWN
from errors import UserError
from interpretation.attribution import METHODS, attribute, methods_for, parse_methods
from interpretation.explain import explain
from interpretation.halves import Trace
from interpretation.methods import attention, gradient
from interpretation.probe import Probe
from interpretation.subject import Subject

TEXT = "The plot was not dull. Although the acting was superb, the ending was never very funny!"
BUILT_IN = [name for name, method in METHODS.items() if method.builtin]


@pytest.fixture(scope="module")
def probe(small_run):
    return Probe(small_run)


@pytest.fixture(scope="module")
def subject(probe):
    return probe.subject(probe.vocabulary.encode(TEXT).ids)


class Stub:
    """A probe whose trace is given: two tokens, two layers of one head, mean pooling."""

    layers = 2

    def __init__(self, **parts):
        empty = dict.fromkeys(Trace.__dataclass_fields__)
        self._trace = Trace(**{**empty, **parts})

    def trace(self, subject, target):
        return self._trace


TWO_TOKENS = Subject(np.array([[1, 7]], np.int32), slice(0, 2))
FIRST, SECOND = np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.25, 0.75]])
SCORES = np.stack([FIRST, SECOND])[:, None]  # (layers, heads, query, key)


def test_attention_is_the_mean_column_of_the_last_layer():
    np.testing.assert_allclose(attention.attention(Stub(scores=SCORES), TWO_TOKENS, 0), [0.625, 0.375])


def test_attention_counts_queries_by_the_pooling_weights_where_there_are_some():
    stub = Stub(scores=SCORES, weights=np.array([0.2, 0.8]))
    np.testing.assert_allclose(attention.attention(stub, TWO_TOKENS, 0), [0.2 + 0.8 * 0.25, 0.8 * 0.75])


def test_rollout_of_two_layers_worked_out_by_hand():
    # (A2 + I) / 2 = [[1, 0], [1/8, 7/8]]; (A1 + I) / 2 = [[3/4, 1/4], [0, 1]]; product [[3/4, 1/4], [3/32, 29/32]]
    expected = [(3 / 4 + 3 / 32) / 2, (1 / 4 + 29 / 32) / 2]
    np.testing.assert_allclose(attention.rollout(Stub(scores=SCORES), TWO_TOKENS, 0), expected)


def test_relevance_of_two_layers_worked_out_by_hand():
    """Positive gradient x attention: layer 1 [[.5, 0], [0, 1]], layer 2 [[0, 0], [.5, 0]]; pooling row [1, 2]."""
    gradients = np.array([[[[1.0, -1.0], [3.0, 1.0]]], [[[-1.0, 5.0], [2.0, -2.0]]]])
    stub = Stub(scores=SCORES, scores_gradient=gradients, weights=np.array([0.5, 0.5]), weights_gradient=[2.0, 4.0])
    # [1, 2] + [1, 2] A2 = [2, 2]; [2, 2] + [2, 2] A1 = [3, 4]
    np.testing.assert_allclose(gradient.relevance(stub, TWO_TOKENS, 0), [3.0, 4.0])


def test_gradient_attention_keeps_the_positive_part():
    gradients = np.array([[[[9.0, 9.0], [9.0, 9.0]]], [[[-1.0, 5.0], [2.0, -2.0]]]])
    np.testing.assert_allclose(
        gradient.gradient_attention(Stub(scores=SCORES, scores_gradient=gradients), TWO_TOKENS, 0), [0.5, 0.0]
    )


def test_value_norms_equal_the_block_computed_head_by_head(probe, subject):
    """Independent: attention's output for one query is the sum of what each key contributes, plus the bias."""
    trace = probe.trace(subject, 1)
    kernel, bias, output = probe.value_weights(layer=-1)
    count = len(subject.words) + 1
    contributions = np.zeros((count, count, trace.block_inputs.shape[-1]))
    for query in range(count):
        for key in range(count):
            for head in range(2):
                value = trace.block_inputs[-1][key] @ kernel[:, head] + bias[head]
                contributions[query, key] += trace.scores[-1][head, query, key] * value @ output[head]
    layer = probe.halves.blocks[-1].attention
    x = trace.block_inputs[-1][None, :count]
    whole = keras.ops.convert_to_numpy(layer(x, x))[0] - layer.output_dense.get_weights()[1]
    np.testing.assert_allclose(contributions.sum(axis=1), whole, atol=1e-5)
    expected = trace.weights[:count] @ np.linalg.norm(contributions, axis=-1)
    np.testing.assert_allclose(attribute(probe, subject, "value_norms", 1).scores, expected, atol=1e-5)


def test_gradients_equal_finite_differences(probe, subject):
    trace = probe.trace(subject, 1)
    direction = np.random.default_rng(0).normal(size=trace.embeddings.shape).astype("float32")
    path = np.stack([trace.embeddings - 3e-4 * direction, trace.embeddings + 3e-4 * direction])
    logits, _ = probe.halves.along(path, subject.ids, 1)
    slope = (logits[1] - logits[0]) / 6e-4
    assert (trace.embeddings_gradient * direction).sum() == pytest.approx(slope, rel=0.02, abs=1e-3)


class Linear:
    """A probe of a linear model: F is the sum over the words of a weight for each id, so every answer is known."""

    baseline_id = UNKNOWN
    weights = np.array([0.0, 0.5, -0.25, 0.0, 2.0, -3.0, 1.0], np.float32)

    class halves:  # noqa: N801 - stands for an attribute
        @staticmethod
        def embed(ids):
            return (_Tensor(Linear.weights[ids][..., None]),)

        @staticmethod
        def along(path, ids, target):
            return path.sum(axis=(1, 2)), np.ones_like(path)

    def logits(self, ids):
        return np.stack([-self.weights[ids].sum(axis=1), self.weights[ids].sum(axis=1)], axis=1)

    def trace(self, subject, target):
        embeddings = self.weights[subject.ids[0]][:, None]
        empty = dict.fromkeys(Trace.__dataclass_fields__)
        return Trace(**{**empty, "embeddings": embeddings, "embeddings_gradient": np.ones_like(embeddings)})


class _Tensor:
    def __init__(self, array):
        self._array = array

    def numpy(self):
        return self._array


LINEAR_SUBJECT = Subject(np.array([[1, 4, 5, 6, 0]], np.int32), slice(0, 4))


def test_linear_model_is_attributed_exactly():
    """Against the unknown word of weight -0.25; start and padding get nothing."""
    expected = [0, 2.25, -2.75, 1.25, 0]
    scores, error = gradient.integrated_gradients(Linear(), LINEAR_SUBJECT, 1)
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert error < 1e-5
    leave_one_out = METHODS["leave_one_out"].function(Linear(), LINEAR_SUBJECT, 1)
    np.testing.assert_allclose(leave_one_out, expected, atol=1e-6)
    np.testing.assert_allclose(METHODS["gradient_input"].function(Linear(), LINEAR_SUBJECT, 1), [0.5, 2, -3, 1, 0])


@pytest.mark.parametrize("name", ["small_run", "example_run"])
def test_integrated_gradients_are_complete(name, request):
    probe = Probe(request.getfixturevalue(name))
    subject = probe.subject(probe.vocabulary.encode(TEXT).ids)
    attribution = attribute(probe, subject, "integrated_gradients", 1)
    assert attribution.error < 0.01
    baseline = subject.without(subject.is_word[None])
    change = float(probe.logits(subject.ids)[0, 1] - probe.logits(baseline)[0, 1])
    assert attribution.scores.sum() == pytest.approx(change, abs=0.01 * max(abs(change), 0.1))


def test_leave_one_out_is_what_prediction_loses(probe, subject):
    scores = attribute(probe, subject, "leave_one_out", 1).scores
    ids = probe.vocabulary.encode(TEXT).ids
    changed = [*ids[:5], UNKNOWN, *ids[6:]]
    logits = [np.log(probe.read(some).probabilities) for some in (ids, changed)]
    # softmax keeps differences of logits: compare F_1 - F_0
    other = attribute(probe, subject, "leave_one_out", 0).scores
    assert scores[5] - other[5] == pytest.approx(np.diff(logits[0])[0] - np.diff(logits[1])[0], abs=1e-4)


@pytest.mark.parametrize("run", ["small_run", "example_run"])
def test_every_method_gives_one_number_a_token_and_repeats_itself(run, request):
    probe = Probe(request.getfixturevalue(run))
    subject = probe.subject(probe.vocabulary.encode(TEXT).ids)
    names = methods_for(probe, BUILT_IN)
    assert ("pooling" in names) == (run == "small_run")
    for name in names:
        first, second = (attribute(probe, subject, name, 0) for _ in range(2))
        assert first.scores.shape == (17,)
        assert np.isfinite(first.scores).all()
        np.testing.assert_array_equal(first.scores, second.scores)
        assert first.target == "negative"
        assert METHODS[name].signed or (first.scores >= -1e-6).all()


def test_methods_never_touch_the_model(probe, subject):
    before = [weight.copy() for weight in probe.model.get_weights()]
    for name in BUILT_IN:
        attribute(probe, subject, name, 1)
    assert all(np.array_equal(a, b) for a, b in zip(before, probe.model.get_weights(), strict=True))


@pytest.mark.parametrize("text", ["superb", "!!!", "zzqx qqq"])
def test_reviews_of_one_token_or_of_unknown_words_get_numbers(probe, text):
    explanation = explain(probe, text, methods=BUILT_IN)
    for attribution in explanation.attributions:
        assert len(attribution.scores) == len(explanation.tokens)
        assert np.isfinite(attribution.scores).all()


def test_target_is_the_prediction_unless_it_is_named(probe):
    explanation = explain(probe, TEXT, methods=["attention"])
    assert explanation.attributions[0].target == explanation.prediction.label
    for label in ("negative", "positive"):
        assert explain(probe, TEXT, methods=["attention"], target=label).attributions[0].target == label
    with pytest.raises(UserError, match="negative, positive"):
        explain(probe, TEXT, target="neutral")


def test_method_that_does_not_apply_is_told(example_run):
    explanation = explain(Probe(example_run), TEXT, methods=["pooling", "random"])
    assert [attribution.method for attribution in explanation.attributions] == ["random"]
    assert "pooling does not apply to this classifier" in explanation.warnings


def test_unknown_method_is_refused_from_python_as_well(probe):
    with pytest.raises(UserError, match="'magic'"):
        explain(probe, TEXT, methods=["magic"])


def test_names_of_methods_are_read():
    assert parse_methods("attention, random,attention") == ["attention", "random"]
    assert parse_methods("all") == BUILT_IN
    with pytest.raises(UserError, match="integrated_gradients"):
        parse_methods("attention,gradients")
