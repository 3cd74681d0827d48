"""The picture of a finished training: its curves, and what it gets right and wrong on the test split."""

from pathlib import Path
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator


def draw_training(history: Path, metrics: dict[str, Any], path: Path) -> None:
    """Draws `training.png`.

    Args:
        history: a CSV file with one row an epoch and the columns `epoch`, `loss`, `accuracy`, `val_loss` and
            `val_accuracy`.
        metrics: the record of the run; `test`, `validation`, `majority_baseline` and `label_names` are used.
        path: the PNG file to write.
    """
    epochs = pd.read_csv(history)
    watched = "test" if metrics["validation"] is None else "validation"
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    loss, accuracy, confusion = figure.subplots(1, 3)
    _draw_curves(loss, epochs, "loss", watched)
    _draw_curves(accuracy, epochs, "accuracy", watched)
    accuracy.axhline(metrics["majority_baseline"], color="0.5", linestyle=":", label="majority baseline")
    accuracy.legend(frameon=False)
    _draw_confusion(confusion, metrics)
    figure.savefig(path, dpi=120)


def _draw_curves(axes: Axes, epochs: pd.DataFrame, measure: str, watched: str) -> None:
    number = epochs["epoch"] + 1
    sns.lineplot(x=number, y=epochs[measure], ax=axes, label="train", marker="o")
    sns.lineplot(x=number, y=epochs[f"val_{measure}"], ax=axes, label=watched, marker="o")
    axes.set(xlabel="epoch", ylabel=measure, title=measure.capitalize())
    axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
    axes.legend(frameon=False)
    sns.despine(ax=axes)


def _draw_confusion(axes: Axes, metrics: dict[str, Any]) -> None:
    test, names = metrics["test"], metrics["label_names"]
    sns.heatmap(
        test["confusion_matrix"], annot=True, fmt="d", cmap="Blues", cbar=False, square=True, ax=axes,
        xticklabels=names, yticklabels=names,
    )  # fmt: skip
    axes.set(xlabel="predicted", ylabel="true", title=f"Test accuracy {test['accuracy']:.4f}")
