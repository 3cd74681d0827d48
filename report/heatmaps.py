"""Attention scores as heatmaps: one figure a layer, one panel a head."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from errors import UserError
from interpretation.explanation import Explanation
from report.labels import font_families, label

_LABEL_POINTS = 7.0
_LABEL_SPACING = 1.25 * _LABEL_POINTS / 72  # inches that a label needs
_PANEL_INCHES = (2.6, 7.5)  # the smallest and the largest side of a panel
_COLUMNS = 4
_LABELS_ON_EVERY_PANEL = 60  # tokens up to which every panel has words on its left
_STYLE = {"fontsize": _LABEL_POINTS, "parse_math": False}


def attention_figure(explanation: Explanation, layer: int = 1, heads: Sequence[int] | None = None) -> Figure:
    """Draws the attention scores of one layer.

    Args:
        explanation: the review.
        layer: the layer's number, from 1.
        heads: numbers from 1 of the heads to draw; all by default.

    Returns:
        A figure with one panel a head, all on one colour scale. Rows are queries ("from"), columns keys ("to").
        Where words are too many to write each, the keys that receive most attention and every n-th query are.

    Raises:
        UserError: the model has no such layer or head.
    """
    check_numbers("layer", [layer], explanation.layers)
    check_numbers("heads", heads or (), explanation.heads)
    heads = list(heads or range(1, explanation.heads + 1))
    scores = explanation.scores[layer - 1][[head - 1 for head in heads]]  # (heads, T, T)
    columns = min(_COLUMNS, len(heads))
    rows = math.ceil(len(heads) / columns)
    side = float(np.clip(1.4 * _LABEL_SPACING * scores.shape[-1], *_PANEL_INCHES))
    with rc_context({"font.family": list(font_families())}):
        figure = Figure(figsize=(columns * (side + 0.7) + 1.2, rows * (side + 1.1) + 0.6), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for place, (panel, head, matrix) in enumerate(zip(panels, heads, scores, strict=False)):
            mesh = panel.pcolormesh(matrix, vmin=0, vmax=max(scores.max(), 1e-6), cmap="viridis", rasterized=True)
            _label_keys(panel, explanation.words, matrix.mean(axis=0), side)
            _label_queries(panel, explanation.words, side, leftmost=place % columns == 0)
            panel.set_title(f"head {head}", fontsize=10)
            panel.set_aspect("equal")
            panel.tick_params(length=1.5, pad=1.5)
        for panel in panels[len(heads) :]:
            panel.remove()
        figure.colorbar(mesh, ax=panels[: len(heads)].tolist(), label="attention score", shrink=min(1, 3 / side))
        figure.suptitle(_title(explanation, layer), fontsize=11, parse_math=False)
    return figure


def check_numbers(name: str, numbers: Sequence[int], count: int) -> None:
    """Raises a `UserError` for the first of `numbers` that does not lie from 1 to `count`."""
    for number in numbers:
        if not 1 <= number <= count:
            raise UserError(f"{name}: expected numbers from 1 to {count}. Received: {number}")


def _label_keys(panel: Axes, words: list[str], received: np.ndarray, side: float) -> None:
    """Writes the words under a panel; where there is no room for all, those that receive most attention."""
    step = _step(len(words), side)
    places = _spaced(received, step)
    panel.set_xticks(places + 0.5, [label(words[place]) for place in places], rotation=90, **_STYLE)
    panel.set_xlabel("to (key)" if step == 1 else "to (key), the most attended words written", fontsize=8)


def _label_queries(panel: Axes, words: list[str], side: float, leftmost: bool) -> None:
    """Writes the words beside a panel, every n-th where there is no room for all."""
    step = _step(len(words), side)
    places = np.arange(0, len(words), step)
    shown = leftmost or len(words) <= _LABELS_ON_EVERY_PANEL
    panel.set_yticks(places + 0.5, [label(words[place]) if shown else "" for place in places], **_STYLE)
    if shown:
        panel.set_ylabel("from (query)" if step == 1 else f"from (query), one word in {step} written", fontsize=8)
    panel.invert_yaxis()


def _step(count: int, side: float) -> int:
    """How many tokens apart labels must be."""
    return math.ceil(count * _LABEL_SPACING / side)


def _spaced(weights: np.ndarray, step: int) -> np.ndarray:
    """Returns places at least `step` apart, the heaviest first choice, in ascending order."""
    free, chosen = np.ones(len(weights), dtype=bool), []
    for place in np.argsort(-weights, kind="stable"):
        if free[place]:
            chosen.append(place)
            free[max(0, place - step + 1) : place + step] = False
    return np.sort(chosen)


def _title(explanation: Explanation, layer: int) -> str:
    truth = f" (true label: {explanation.true_label})" if explanation.true_label else ""
    return f"Layer {layer} of {explanation.layers}: attention. Prediction: {explanation.prediction}{truth}"
