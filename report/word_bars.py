"""Attributions as bars beside the words: one panel a method."""

import math

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from interpretation.attribution import Attribution
from interpretation.explanation import Explanation
from report.labels import font_families, label

FOR, AGAINST, UNSIGNED = "#2166ac", "#b2182b", "#5e5e5e"  # apart for colour-blind eyes as well
_MOST_WORDS = 40
_COLUMNS = 5


def attribution_figure(explanation: Explanation) -> Figure:
    """Draws the attributions of a review.

    Args:
        explanation: a review with at least one attribution.

    Returns:
        A figure with one panel a method, words from top to bottom in the order of the text. Of a review of more than
        40 words each panel shows those 40 to which its method gives the largest numbers, in the order of the text.
    """
    attributions = explanation.attributions
    columns = min(_COLUMNS, len(attributions))
    rows = math.ceil(len(attributions) / columns)
    height = 0.17 * min(_MOST_WORDS, len(explanation.tokens)) + 1.1
    with rc_context({"font.family": list(font_families())}):
        figure = Figure(figsize=(2.9 * columns, rows * height + 0.5), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel, attribution in zip(panels, attributions, strict=False):
            _draw(panel, attribution, explanation.words)
        for panel in panels[len(attributions) :]:
            panel.remove()
        target, prediction = attributions[0].target, explanation.prediction
        figure.suptitle(f"Which words speak for {target}? Prediction: {prediction}", fontsize=11, parse_math=False)
    return figure


def _draw(panel: Axes, attribution: Attribution, words: list[str]) -> None:
    scores = attribution.scores
    shown = np.sort(np.argsort(-np.abs(scores), kind="stable")[:_MOST_WORDS])
    colours = [(FOR if score > 0 else AGAINST) if attribution.signed else UNSIGNED for score in scores[shown]]
    panel.barh(np.arange(len(shown)), scores[shown], color=colours)
    panel.set_yticks(np.arange(len(shown)), [label(words[place]) for place in shown], fontsize=7, parse_math=False)
    panel.invert_yaxis()
    panel.axvline(0, color="0.3", linewidth=0.6)
    panel.tick_params(axis="x", labelsize=7)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.set_title(attribution.method.replace("_", " "), fontsize=9)
