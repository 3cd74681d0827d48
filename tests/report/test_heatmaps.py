import io
import itertools

import numpy as np
import pytest

from data.vocabulary import Token
from errors import UserError
from interpretation.explanation import Explanation, Kept, Prediction
from report.heatmaps import attention_figure
from report.labels import label


def make_explanation(words, layers=2, heads=3) -> Explanation:
    count = len(words)
    scores = np.random.default_rng(0).dirichlet(np.ones(count), size=(layers, heads, count)).astype("float32")
    return Explanation(
        text=" ".join(words),
        tokens=tuple(Token(word, 4, None, None, True, None) for word in words),
        unseen=(),
        kept=Kept(1, count, count),
        prediction=Prediction("positive", {"negative": 0.25, "positive": 0.75}),
        true_label="negative",
        scores=scores,
        padding_share=np.zeros((layers, heads, count), "float32"),
        warnings=(),
    )


def panels(figure):
    return [axes for axes in figure.axes if axes.get_title().startswith("head")]


def save(figure, kind="png") -> bytes:
    """Draws everything; warnings, for example of a glyph that is missing, are errors."""
    file = io.BytesIO()
    figure.savefig(file, format=kind, dpi=60)
    return file.getvalue()


def test_each_panel_shows_the_scores_of_its_head_on_one_scale():
    explanation = make_explanation(["[START]", "a", "fine", "film"])
    figure = attention_figure(explanation, layer=2, heads=[3, 1])
    assert [panel.get_title() for panel in panels(figure)] == ["head 3", "head 1"]
    for panel, head in zip(panels(figure), (3, 1), strict=True):
        mesh = panel.collections[0]
        np.testing.assert_array_equal(mesh.get_array(), explanation.scores[1, head - 1])
        assert mesh.get_clim() == (0, explanation.scores[1, [2, 0]].max())


def test_rows_are_queries_from_the_top_and_columns_are_keys():
    words = ["[START]", "not", "bad"]
    figure = attention_figure(make_explanation(words))
    panel = panels(figure)[0]
    assert panel.get_xlabel() == "to (key)"
    assert panel.get_ylabel() == "from (query)"
    assert [text.get_text() for text in panel.get_xticklabels()] == words
    assert [text.get_text() for text in panel.get_yticklabels()] == words
    assert panel.yaxis_inverted()
    save(figure)


def test_most_attended_word_of_a_long_review_is_written():
    explanation = make_explanation([f"word{number}" for number in range(200)], heads=2)
    explanation.scores[0, 1, :, 137] = 0.9
    labels = [text.get_text() for text in panels(attention_figure(explanation))[1].get_xticklabels()]
    assert "word137" in labels
    assert len(labels) >= 30


@pytest.mark.parametrize("arguments", [{"layer": 0}, {"layer": 3}, {"heads": [0]}, {"heads": [1, 4]}])
def test_layer_or_head_that_is_not_there_is_refused(arguments):
    with pytest.raises(UserError, match="expected numbers from 1 to"):
        attention_figure(make_explanation(["a", "b"]), **arguments)


def test_title_says_prediction_and_true_label():
    title = attention_figure(make_explanation(["a", "b"])).get_suptitle()
    assert "positive 0.750" in title
    assert "true label: negative" in title


@pytest.mark.parametrize("count", [1, 5, 60, 200])
def test_labels_do_not_overlap_and_are_at_least_6_points(count):
    figure = attention_figure(make_explanation([f"word{number}" for number in range(count)], heads=2))
    save(figure)
    panel = panels(figure)[0]
    boxes = [text.get_window_extent() for text in panel.get_yticklabels()]
    assert len(boxes) >= min(count, 40)
    assert all(text.get_fontsize() >= 6 for text in panel.get_yticklabels())
    assert all(upper.y0 >= lower.y1 - 0.5 for upper, lower in itertools.pairwise(boxes))


@pytest.mark.parametrize(
    "word", ["$x$", "a_b^{c}", "電影", "الفيلم", "🎬🎬", "x" * 300, "\\frac", "<b>", "\x07", "e\u0301"]
)
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_any_word_can_be_a_label(word, kind):
    assert len(save(attention_figure(make_explanation(["[START]", word])), kind)) > 1000


def test_label_is_short_and_literal():
    assert label("x" * 300) == "x" * 15 + "…"
    assert label("$x$") == "$x$"
    assert label("café") == "café"
    assert label("\x07") == "\N{WHITE VERTICAL RECTANGLE}"
