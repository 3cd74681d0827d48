from collections import Counter

import numpy as np
import pytest

from configs.schema import Config, DataConfig
from data import planted_words as words
from data.planted import generate_reviews, is_held_out, load_planted, load_planted_test

NEGATIONS = {"not", "wasn't", "isn't", "never", "nothing", "nobody", "cannot", "hardly", "no"}


@pytest.fixture(scope="module")
def corpus():
    return load_planted(Config(data=DataConfig(source="planted", train_reviews=6000, test_reviews=1000)))


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


def test_some_pairs_of_aspect_and_opinion_occur_only_in_test(corpus):
    def held_out(text):
        tokens = text.lower().replace(".", "").replace(",", "").replace("!", "").split()
        aspects = [t for t in tokens if t in words.ASPECTS]
        opinions = [t for t in tokens if t in words.POSITIVE + words.NEGATIVE]
        return len(aspects) == len(opinions) and any(is_held_out(a, o) for a, o in zip(aspects, opinions, strict=True))

    # Most clauses name the aspect and the opinion in the same order, so that pairing them in order is enough here.
    share = {name: np.mean([held_out(t) for t in getattr(corpus, name).texts]) for name in ("train", "test")}
    assert share["test"] > 0.15
    assert share["train"] < share["test"] / 2


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


def test_conceded_opinions_decide_nothing():
    reviews = generate_reviews(300, np.random.default_rng(3), held_out=True)
    conceded = 0
    for review in reviews:
        decided = {start for start, _ in review.decided}
        for sentence_start, sentence in sentences(review.text):
            if sentence.lower().startswith(("although", "though", "even though", "while")):
                end_of_concession = sentence_start + sentence.index(",")
                assert not any(sentence_start <= start < end_of_concession for start in decided)
                conceded += 1
    assert conceded > 50


def sentences(text):
    start = 0
    for sentence in text.replace("!", ".").split("."):
        yield start + len(sentence) - len(sentence.lstrip()), sentence.lstrip()
        start += len(sentence) + 1


def test_a_seed_decides_every_review(corpus):
    again = load_planted(Config(data=DataConfig(source="planted", train_reviews=6000, test_reviews=1000)))
    other = load_planted(Config(seed=1, data=DataConfig(source="planted", train_reviews=60, test_reviews=20)))
    assert again.checksum() == corpus.checksum()
    assert not set(other.test.texts) & set(corpus.test.texts)


def test_test_split_can_be_made_alone(corpus):
    config = Config(data=DataConfig(source="planted", train_reviews=6000, test_reviews=1000))
    assert load_planted_test(config).checksum() == corpus.test.checksum()


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
