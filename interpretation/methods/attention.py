"""Methods that read attention: how much each word is looked at, with or without what it then says."""

from typing import TYPE_CHECKING

import numpy as np

from interpretation.attribution import method
from interpretation.subject import Subject

if TYPE_CHECKING:
    from interpretation.probe import Probe


def _has_blocks(probe: "Probe") -> bool:
    return probe.layers > 0


def _has_weights(probe: "Probe") -> bool:
    return probe.pools_by_attention


@method("attention", signed=False)
def attention(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """Attention received in the last layer, heads averaged.

    The mean over the real queries; where pooling is attention, its weights say how much each query counts. A model
    without attention layers has its pooling weights alone.
    """
    trace = probe.trace(subject, target)
    if not probe.layers:
        return trace.weights
    return _query_weights(probe, subject, trace) @ trace.scores[-1].mean(axis=0)


@method("rollout", signed=False, applies=_has_blocks)
def rollout(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """Attention carried through the layers: the product of (A + I) / 2, read by the pooling.

    Heads are averaged. Masked padding has no column to pass attention on, so that the product stays among words.

    Reference:
        Abnar and Zuidema, Quantifying Attention Flow in Transformers, ACL 2020.
    """
    trace = probe.trace(subject, target)
    carried = _query_weights(probe, subject, trace)
    for scores in trace.scores[::-1]:
        carried = carried @ (scores.mean(axis=0) + np.eye(subject.width)) / 2
    return carried


@method("value_norms", signed=False, applies=_has_blocks)
def value_norms(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """Norms of what each word contributes in the last layer: || sum over heads of A_ij (x_j W_V + b_V) W_O ||.

    Reference:
        Kobayashi et al., Attention is Not Only a Weight, EMNLP 2020.
    """
    trace = probe.trace(subject, target)
    values_kernel, values_bias, output_kernel = probe.value_weights(layer=-1)
    values = np.einsum("td,dhk->htk", trace.block_inputs[-1], values_kernel) + values_bias[:, None]
    transformed = np.einsum("htk,hkd->htd", values, output_kernel)  # (H, W, D)
    weights = _query_weights(probe, subject, trace)
    queries = np.flatnonzero(weights)
    norms = [np.linalg.norm(np.einsum("ht,htd->td", trace.scores[-1][:, q], transformed), axis=-1) for q in queries]
    return weights[queries] @ np.stack(norms)


@method("pooling", signed=False, applies=_has_weights)
def pooling(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """The weights of attention pooling, one distribution over the tokens.

    Reference:
        Bahdanau et al. 2015; Yang et al., Hierarchical Attention Networks for Document Classification, 2016.
    """
    return probe.trace(subject, target).weights


def _query_weights(probe: "Probe", subject: Subject, trace) -> np.ndarray:
    """How much the pooling reads of each query, `(W,)`, summing to 1."""
    if trace.weights is not None:
        return trace.weights
    return subject.is_real / subject.is_real.sum()
