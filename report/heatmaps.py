"""Attention scores as heatmaps: one figure a layer, one panel a head."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from interpretation.explanation import Explanation
from report.labels import font_families, label

_LABEL_POINTS = 7.0
_LABEL_SPACING = 1.25 * _LABEL_POINTS / 72  # inches that a label needs
_PANEL_INCHES = (2.6, 7.5)  # the smallest and the largest side of a panel
_COLUMNS = 4
_LABELS_ON_EVERY_PANEL = 60  # tokens up to which every panel has its own labels


def attention_figure(explanation: Explanation, layer: int = 1, heads: Sequence[int] | None = None) -> Figure:
    """Draws the attention scores of one layer.

    Args:
        explanation: the review.
        layer: the layer's number, from 1.
        heads: numbers from 1 of the heads to draw; all by default.

    Returns:
        A figure with one panel a head, all on one colour scale. Rows are queries ("from"), columns keys ("to").
        Where words are too many to write each, every n-th is written.
    """
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
            outer = (place % columns == 0, place + columns >= len(heads))
            _label_panel(panel, explanation.words, side, outer)
            panel.set_title(f"head {head}", fontsize=10)
        for panel in panels[len(heads) :]:
            panel.remove()
        figure.colorbar(mesh, ax=panels[: len(heads)].tolist(), label="attention score", shrink=min(1, 3 / side))
        figure.suptitle(_title(explanation, layer), fontsize=11, parse_math=False)
    return figure


def _label_panel(panel: Axes, words: list[str], side: float, outer: tuple[bool, bool]) -> None:
    count = len(words)
    step = math.ceil(count * _LABEL_SPACING / side)
    every = "" if step == 1 else f", every {step}th word written" if step > 3 else f", one word in {step} written"
    places = np.arange(0, count, step)
    texts = [label(words[place]) for place in places]
    style = {"fontsize": _LABEL_POINTS, "parse_math": False}
    left, bottom = outer if count > _LABELS_ON_EVERY_PANEL else (True, True)
    panel.set_xticks(places + 0.5, texts if bottom else [], rotation=90, **style if bottom else {})
    panel.set_yticks(places + 0.5, texts if left else [], **style if left else {})
    panel.set_xlabel("to (key)" + every if bottom else "", fontsize=8)
    panel.set_ylabel("from (query)" + every if left else "", fontsize=8)
    panel.set_aspect("equal")
    panel.invert_yaxis()
    panel.tick_params(length=1.5, pad=1.5)


def _title(explanation: Explanation, layer: int) -> str:
    truth = f" (true label: {explanation.true_label})" if explanation.true_label else ""
    return f"Layer {layer} of {explanation.layers}: attention. Prediction: {explanation.prediction}{truth}"
