"""Texts and attributions in the terminal: words coloured by how much each decided."""

import numpy as np

from interpretation.attribution import Attribution
from interpretation.explanation import Explanation

# From faint to strong, in the 256-colour palette.
_SHADES = {"for": (153, 111, 75), "against": (224, 217, 210), "unsigned": (254, 250, 246)}
_FAINTEST = 0.15  # of the largest number; below it a word stays plain
_TOP = 3


def printable(text: str) -> str:
    """Returns a text of somebody else's as a terminal may show it: characters that could steer it are replaced."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def coloured_words(explanation: Explanation, colour: bool = True) -> str:
    """Returns one block of text for each attribution.

    Args:
        explanation: a review with attributions.
        colour: False gives the words with the largest numbers instead, for files and plain terminals.
    """
    lines, words = [], [printable(word) for word in explanation.words]
    for attribution in explanation.attributions:
        shown = _coloured(attribution, words) if colour else _largest(attribution, words)
        lines.append(f"  {attribution.method:<21} {shown}")
    return "\n".join(lines)


def _coloured(attribution: Attribution, words: list[str]) -> str:
    largest = np.abs(attribution.scores).max() or 1.0
    return " ".join(
        _paint(word, score / largest, attribution.signed) for word, score in zip(words, attribution.scores, strict=True)
    )


def _paint(word: str, strength: float, signed: bool) -> str:
    if abs(strength) < _FAINTEST:
        return word
    shades = _SHADES["unsigned" if not signed else "for" if strength > 0 else "against"]
    return f"\x1b[48;5;{shades[min(2, int(abs(strength) * 3))]}m\x1b[38;5;16m{word}\x1b[0m"


def _largest(attribution: Attribution, words: list[str]) -> str:
    places = np.argsort(-np.abs(attribution.scores), kind="stable")[:_TOP]
    return ", ".join(f"{words[place]} {attribution.scores[place]:+.3g}" for place in places)
