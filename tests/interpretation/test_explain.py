import dataclasses
import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import interpretation
from data.vocabulary import Vocabulary
from interpretation.explain import explain
from interpretation.probe import Probe

SCHEMA = json.loads((Path(interpretation.__file__).parent / "explanation.schema.json").read_text(encoding="utf-8"))
TEXTS = [
    "The plot was not dull.",
    "superb",
    "!!!",
    "zzqx",
    "The plot was dull. " * 40,
    'Quotes " and \\ and <b>tags</b> & $maths$',
    "🎬 電影很好看 الفيلم رائع",
]


@pytest.fixture(scope="module")
def probe(small_run):
    return Probe(small_run)


@pytest.fixture(scope="module")
def dropping(small_run):
    """The same model with a vocabulary that drops the words it does not list, as IMDB's does."""
    probe = Probe(small_run)
    probe.vocabulary = Vocabulary(probe.vocabulary.words, probe.vocabulary.size, unlisted="drop")
    return probe


@pytest.mark.parametrize("text", TEXTS)
def test_written_record_fits_its_schema_and_its_scores(probe, text, tmp_path):
    explanation = explain(probe, text, "negative")
    explanation.write(tmp_path)
    record = json.loads((tmp_path / "explanation.json").read_text(encoding="utf-8"))
    jsonschema.validate(record, SCHEMA)
    assert record["text"] == text
    assert record["true_label"] == "negative"
    assert sum(record["prediction"]["probabilities"].values()) == pytest.approx(1, abs=1e-6)
    with np.load(tmp_path / record["attention"]["file"]) as arrays:
        count = len(record["tokens"])
        assert arrays["scores"].shape == (2, 2, count, count)
        assert arrays["padding_share"].shape == (2, 2, count)
        assert arrays["scores"].dtype == np.float32
    for token in record["tokens"]:
        assert token["start"] is None or text[token["start"] : token["end"]] == token["text"]


def test_kept_words_are_counted_from_one_and_the_rest_is_unseen(probe):
    explanation = explain(probe, " ".join(f"word{number}" for number in range(1, 101)))
    assert (explanation.kept.first, explanation.kept.last, explanation.kept.of) == (61, 100, 100)
    assert str(explanation.kept) == "words 61-100 of 100"
    assert [word.text for word in explanation.unseen] == [f"word{number}" for number in range(1, 61)]
    assert explanation.words[0] == "word61"


def test_truncating_post_keeps_the_first_words(probe, small_run):
    other = Probe(small_run)
    data = other.config.data.model_copy(update={"truncating": "post"})
    other.config = other.config.model_copy(update={"data": data})
    explanation = explain(other, " ".join(f"word{number}" for number in range(1, 101)))
    assert explanation.words[:2] == ["[START]", "word1"]
    assert (explanation.kept.first, explanation.kept.last) == (1, 39)  # [START] takes the fortieth place


def test_dropped_words_keep_their_numbers(dropping):
    explanation = explain(dropping, "zzqx the qqq plot")
    assert explanation.words == ["[START]", "the", "plot"]
    assert dataclasses.astuple(explanation.kept) == (2, 4, 4)
    assert [(word.text, word.reason) for word in explanation.unseen] == [
        ("zzqx", "not_in_index"),
        ("qqq", "not_in_index"),
    ]


def test_review_of_which_nothing_is_seen_is_answered_with_a_warning(dropping):
    explanation = explain(dropping, "電影 zzqx")
    assert explanation.words == ["[START]"]
    assert str(explanation.kept) == "no word of 2"
    assert "saw no word" in explanation.warnings[0]
    assert np.isfinite(list(explanation.prediction.probabilities.values())).all()


def test_mostly_dropped_review_is_answered_with_a_warning(dropping):
    warnings = explain(dropping, "电影 很 糟糕 superb").warnings
    assert warnings == ("3 of the 4 words are unknown to the model",)


def test_mostly_unknown_review_is_answered_with_a_warning(probe):
    assert explain(probe, "the zzqx qqq www").warnings == ("3 of the 4 words are unknown to the model",)
    assert explain(probe, "the plot was dull").warnings == ()


def test_attention_that_goes_to_padding_is_a_warning(example_run):
    warning = explain(Probe(example_run), "the plot was dull").warnings[-1]
    share = float(warning.split()[0])
    assert 0.5 < share < 1
    assert "padding" in warning
