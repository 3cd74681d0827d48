import numpy as np
import pytest
from sklearn import metrics as reference

from training.metrics import classification_metrics, majority_baseline


@pytest.mark.parametrize("classes", [2, 4])
def test_figures_agree_with_scikit_learn(classes):
    random = np.random.default_rng(classes)
    labels = random.integers(classes, size=200)
    probabilities = random.dirichlet(np.ones(classes), size=200)
    ours, predicted = classification_metrics(labels, probabilities), probabilities.argmax(axis=1)
    assert ours["accuracy"] == pytest.approx(reference.accuracy_score(labels, predicted))
    assert ours["macro_f1"] == pytest.approx(reference.f1_score(labels, predicted, average="macro"))
    assert ours["confusion_matrix"] == reference.confusion_matrix(labels, predicted).tolist()


def test_class_that_never_occurs_is_no_division_by_zero():
    figures = classification_metrics(np.array([0, 0]), np.array([[0.9, 0.1], [0.8, 0.2]]))
    assert figures == {"accuracy": 1.0, "macro_f1": 0.5, "confusion_matrix": [[2, 0], [0, 0]]}


def test_majority_baseline_takes_the_majority_of_train():
    assert majority_baseline(np.array([1, 1, 0]), np.array([0, 0, 0, 1])) == 0.25
