"""Figures that say how well class probabilities fit labels."""

from typing import Any

import numpy as np


def classification_metrics(labels: np.ndarray, probabilities: np.ndarray) -> dict[str, Any]:
    """Measures predictions.

    Args:
        labels: int `(count,)`.
        probabilities: float `(count, classes)`.

    Returns:
        `accuracy`; `macro_f1`, the mean over the classes of F1, which is 0 for a class that neither occurs nor
        is predicted; and `confusion_matrix`, whose row i counts the reviews of class i by predicted class.
    """
    classes = probabilities.shape[1]
    predicted = probabilities.argmax(axis=1)
    matrix = np.zeros((classes, classes), dtype=int)
    np.add.at(matrix, (labels, predicted), 1)
    hits, occurrences = matrix.diagonal(), matrix.sum(axis=0) + matrix.sum(axis=1)
    f1 = np.divide(2 * hits, occurrences, out=np.zeros(classes), where=occurrences > 0)
    return {
        "accuracy": float(hits.sum() / len(labels)),
        "macro_f1": float(f1.mean()),
        "confusion_matrix": matrix.tolist(),
    }


def majority_baseline(train_labels: np.ndarray, test_labels: np.ndarray) -> float:
    """Returns the test accuracy of always answering with the most frequent label of train."""
    return float(np.mean(test_labels == np.bincount(train_labels).argmax()))
