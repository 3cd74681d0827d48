import re
from collections import Counter

import numpy as np
import pytest

from configs.read import read_config
from configs.schema import Config, DataConfig
from data import planted_words as words
from data.planted import generate_reviews, is_held_out, load_planted, load_planted_test
from tests.conftest import REPOSITORY

QUICKSTART = read_config(REPOSITORY / "configs" / "quickstart.toml")
NEGATIONS = {"not", "wasn't", "isn't", "never", "nothing", "nobody", "cannot", "hardly", "no"}


@pytest.fixture(scope="module")
def corpus():
    """The very corpus that the quickstart trains on."""
    return load_planted(QUICKSTART)


def test_language_is_varied(corpus):
    assert len(words.PLAIN + words.NEGATED + words.CONTRASTS + words.NEUTRAL) >= 40
    assert len(corpus.vocabulary.words) >= 300


def test_reviews_have_60_to_120_tokens_on_average(corpus):
    assert 60 <= np.mean(corpus.test.sequences.lengths) <= 120


def test_no_test_review_is_in_train_and_none_is_there_twice(corpus):
    train, test = [*corpus.train.texts, *corpus.validation.texts], corpus.test.texts
    assert not set(train) & set(test)
    assert len(set(train)) == len(train)
    assert len(set(test)) == len(test)


def pairs(text):
    """The aspect and the opinion of each clause that has them; clauses end at commas, full stops and marks."""
    for clause in re.split(r"[.,!]", text.lower()):
        aspects = [word for word in clause.split() if word in words.ASPECTS]
        opinions = [word for word in clause.split() if word in words.POSITIVE + words.NEGATIVE]
        if opinions:
            assert len(aspects) == len(opinions) == 1
            yield aspects[0], opinions[0]


def test_some_pairs_of_aspect_and_opinion_occur_only_in_test(corpus):
    train = {pair for text in [*corpus.train.texts, *corpus.validation.texts] for pair in pairs(text)}
    test = {pair for text in corpus.test.texts for pair in pairs(text)}
    held_out = {pair for pair in test if is_held_out(*pair)}
    assert len(held_out) > 100
    assert not held_out & train


def test_labels_are_balanced_and_every_review_has_deciding_words(corpus):
    assert 0.45 < corpus.test.labels.mean() < 0.55
    assert all(rationale for rationale in corpus.test.rationales)


def test_deciding_words_are_opinions_and_negations_and_give_the_label(corpus):
    """An independent reading of the rationale: each opinion, flipped by a negation before it, is the label."""
    for text, label, rationale in zip(
        corpus.test.texts, corpus.test.labels, corpus.test.rationales, strict=True
    ):  # fmt: skip
        negated = False
        for word in (text[start:end].lower() for start, end in sorted(rationale)):
            if word in NEGATIONS:
                negated = True
                continue
            assert (word in words.POSITIVE) != (word in words.NEGATIVE)
            assert ((word in words.POSITIVE) != negated) == bool(label)
            negated = False


@pytest.mark.parametrize("position", ["first", "last"])
def test_conceded_opinions_decide_nothing(position):
    conceded = 0
    for review in generate_reviews(300, np.random.default_rng(3), held_out=True):
        decided = {start for start, _ in review.decided}
        for sentence in re.finditer(r"[^.!]+", review.text):
            first, comma, last = sentence.group().partition(",")
            clause = first if position == "first" else last
            if comma and clause.strip().lower().startswith(("although", "though", "even though", "while")):
                start = sentence.start() + (0 if position == "first" else len(first) + 1)
                assert not any(start <= place < start + len(clause) for place in decided)
                conceded += 1
    assert conceded > 50


def test_a_seed_decides_every_review(corpus):
    again = load_planted(QUICKSTART)
    other = load_planted(Config(seed=1, data=DataConfig(source="planted", train_reviews=60, test_reviews=20)))
    assert again.checksum() == corpus.checksum()
    assert not set(other.test.texts) & set(corpus.test.texts)


def test_test_split_can_be_made_alone(corpus):
    assert load_planted_test(QUICKSTART).checksum() == corpus.test.checksum()


def test_vocabulary_is_ordered_by_frequency(corpus):
    texts = [*corpus.train.texts, *corpus.validation.texts]
    counts = Counter(token.text.lower() for text in texts for token in corpus.vocabulary.encode(text).tokens[1:])
    frequencies = [counts[word] for word in corpus.vocabulary.words]
    assert frequencies == sorted(frequencies, reverse=True)


@pytest.mark.parametrize(("longest", "bound"), [(1, 0.75), (2, 0.85)])
def test_word_order_matters(corpus, longest, bound):
    """Logistic regression on counts of words (and pairs), tuned on validation, cannot solve it."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    counter = CountVectorizer(ngram_range=(1, longest), token_pattern=r"[^\s.,!]+")
    train, validation = counter.fit_transform(corpus.train.texts), counter.transform(corpus.validation.texts)
    models = [
        LogisticRegression(C=strength, max_iter=2000).fit(train, corpus.train.labels)
        for strength in (0.001, 0.01, 0.1, 1.0)
    ]
    best = max(models, key=lambda model: model.score(validation, corpus.validation.labels))
    accuracy = best.score(counter.transform(corpus.test.texts), corpus.test.labels)
    assert 0.6 < accuracy <= bound
