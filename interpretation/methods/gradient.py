"""Methods that follow the gradient of the target's logit F back to attention or to the embeddings."""

from typing import TYPE_CHECKING

import numpy as np

from interpretation.attribution import method
from interpretation.subject import Subject

if TYPE_CHECKING:
    from interpretation.probe import Probe

STEPS = 64
_STEPS_AT_ONCE = 16
_SMALLEST_DIFFERENCE = 0.1


def _has_blocks(probe: "Probe") -> bool:
    return probe.layers > 0


@method("gradient_attention", signed=False, applies=_has_blocks)
def gradient_attention(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """Gradient x attention in the last layer, positive part, heads averaged, summed over the queries.

    Reference:
        Barkan et al., Grad-SAM: Explaining Transformers via Gradient Self-Attention Maps, CIKM 2021.
    """
    trace = probe.trace(subject, target)
    return np.maximum(trace.scores_gradient[-1] * trace.scores[-1], 0).mean(axis=0).sum(axis=0)


@method("relevance", signed=False, applies=_has_blocks)
def relevance(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """Relevance carried through all layers by R <- R + A R, with A the positive part of gradient x attention.

    Pooling is treated as one more layer of attention with one query: its row is the positive part of gradient x
    weight, where the weight's gradient is that of F with respect to how much each position is pooled.

    Reference:
        Chefer, Gur and Wolf, Generic Attention-model Explainability, ICCV 2021, rules 5 and 6.
    """
    trace = probe.trace(subject, target)
    if trace.weights is not None:
        row = np.maximum(trace.weights_gradient * trace.weights, 0)
    else:  # the mean: weight 1 / n, whose gradient times itself is input x gradient at the pooling's input
        row = np.maximum((trace.pooled_inputs * trace.pooled_inputs_gradient).sum(axis=-1), 0)
    for scores, gradient in zip(trace.scores[::-1], trace.scores_gradient[::-1], strict=True):
        row = row + row @ np.maximum(scores * gradient, 0).mean(axis=0)
    return row


@method("gradient_input", signed=True)
def gradient_input(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """Gradient x input at the embeddings, summed over their width.

    Reference:
        Shrikumar et al., Learning Important Features Through Propagating Activation Differences, ICML 2017.
    """
    trace = probe.trace(subject, target)
    return (trace.embeddings_gradient * trace.embeddings).sum(axis=-1)


@method("integrated_gradients", signed=True)
def integrated_gradients(probe: "Probe", subject: Subject, target: int) -> tuple[np.ndarray, float]:
    """Gradients integrated along the straight line from a review without its words, by the midpoint rule.

    The baseline has the same positions and the same mask; `probe.baseline_id` stands in for each word, by default the
    unknown id, which training has met.

    Returns:
        The attributions and their completeness error, |sum - (F(x) - F(baseline))|, relative to
        max(|F(x) - F(baseline)|, 0.1).

    Reference:
        Sundararajan, Taly and Yan, Axiomatic Attribution for Deep Networks, ICML 2017.
    """
    x, base = (
        probe.halves.embed(ids)[0].numpy()  # (1, W, D)
        for ids in (subject.ids, subject.without(subject.is_word[None], replacement=probe.baseline_id))
    )
    ends, _ = probe.halves.along(np.concatenate([base, x]), subject.ids, target)
    places = (np.arange(STEPS, dtype=np.float32) + 0.5)[:, None, None] / STEPS
    mean_gradient = np.zeros(x.shape[1:], np.float32)
    for some in np.array_split(places, STEPS // _STEPS_AT_ONCE):
        _, gradients = probe.halves.along(base + some * (x - base), subject.ids, target)
        mean_gradient += gradients.sum(axis=0) / STEPS
    scores = (mean_gradient * (x - base)[0]).sum(axis=-1)
    change = float(ends[1] - ends[0])
    return scores, abs(float(scores.sum()) - change) / max(abs(change), _SMALLEST_DIFFERENCE)
