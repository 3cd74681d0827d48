"""Methods that change the words and watch the answer; and the floor that any method must beat."""

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from interpretation.attribution import method
from interpretation.subject import Subject

if TYPE_CHECKING:
    from interpretation.probe import Probe


@method("leave_one_out", signed=True)
def leave_one_out(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """F(x) - F(x without the word), each word replaced in place by the unknown id.

    Reference:
        Zeiler and Fergus, Visualizing and Understanding Convolutional Networks, ECCV 2014 (occlusion); Li, Monroe and
        Jurafsky, Understanding Neural Networks through Representation Erasure, 2016.
    """
    words = subject.words
    scores = np.zeros(subject.width, np.float32)
    if len(words):
        removed = np.zeros((len(words), subject.width), dtype=bool)
        removed[np.arange(len(words)), words] = True
        logits = probe.logits(np.concatenate([subject.ids, subject.without(removed)]))[:, target]
        scores[words] = logits[0] - logits[1:]
    return scores


@method("random", signed=True)
def random(probe: "Probe", subject: Subject, target: int) -> np.ndarray:
    """Numbers that know nothing of the model; the same for the same review."""
    digest = hashlib.sha256(subject.ids.tobytes()).digest()
    return np.random.default_rng(list(digest)).normal(size=subject.width)
