import dataclasses

import numpy as np
import pytest

from interpretation.attribution import Attribution
from report.terminal import coloured_words, printable
from report.word_bars import AGAINST, FOR, UNSIGNED, attribution_figure
from tests.report.test_heatmaps import make_explanation, save

WORDS = ["[START]", "not", "bad", "film"]


def make(scores, signed=True, words=WORDS):
    attribution = Attribution("leave_one_out", "positive", np.array(scores, np.float32), signed, None, 0.1)
    return dataclasses.replace(make_explanation(words), attributions=(attribution,))


@pytest.mark.parametrize(("signed", "colours"), [(True, [FOR, AGAINST, FOR]), (False, [UNSIGNED] * 3)])
def test_bars_have_the_length_and_colour_of_the_scores(signed, colours):
    from matplotlib.colors import to_hex

    (panel,) = attribution_figure(make([0, 0.5, -2, 1], signed)).axes
    bars = panel.patches
    assert [bar.get_width() for bar in bars] == [0, 0.5, -2, 1]
    assert [to_hex(bar.get_facecolor()) for bar in bars[1:]] == colours
    assert [text.get_text() for text in panel.get_yticklabels()] == WORDS


def test_long_review_shows_its_largest_numbers_in_the_order_of_the_text():
    words = [f"word{number}" for number in range(200)]
    scores = np.arange(200) % 100
    (panel,) = attribution_figure(make(scores, words=words)).axes
    shown = [int(text.get_text()[4:]) for text in panel.get_yticklabels()]
    assert shown == sorted(shown)
    assert len(shown) == 40
    assert min(scores[shown]) >= 80


@pytest.mark.parametrize("kind", ["png", "svg"])
@pytest.mark.parametrize("word", ["$x$", "電影", "\x1b[2J"])
def test_any_word_and_all_zeros_can_be_drawn(word, kind):
    assert len(save(attribution_figure(make([0, 0], words=["[START]", word])), kind)) > 1000


def test_words_are_coloured_by_sign_and_strength():
    line = coloured_words(make([0, 0.1, -2, 1]))
    assert "[START] not \x1b[48;5;210m" in line  # 0.1 of 2 is too faint, -2 is the strongest
    assert line.count("\x1b[0m") == 2


def test_without_colour_the_largest_numbers_are_told():
    assert coloured_words(make([0, 0.1, -2, 1]), colour=False).split(maxsplit=1)[1] == "bad -2, film +1, not +0.1"


def test_characters_that_steer_a_terminal_are_replaced():
    assert printable("a\x1b[2J") == "a\N{REPLACEMENT CHARACTER}[2J"
    assert "\x1b[2J" not in coloured_words(make([1, 1], words=["a", "\x1b[2J"]))
