"""Generated film reviews whose deciding words are known, because the generator put them there."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from configs.schema import Config
from data.corpus import Corpus, Sequences, Span, Split, cut_validation
from data.planted_words import (
    ASPECTS,
    CONTRASTS,
    FILLERS,
    INTENSIFIERS,
    NEGATED,
    NEGATIVE,
    NEUTRAL,
    PLAIN,
    POSITIVE,
)
from data.vocabulary import Vocabulary

LABEL_NAMES = ("negative", "positive")
_NEGATED_SHARE = 0.3
_CONTRAST_SHARE = 0.35
_CONCEDED_IS_OPPOSITE = 0.75
_OPINIONS, _NEUTRALS = (3, 5), (2, 4)  # sentences in a review, fewest and most


@dataclass(frozen=True)
class PlantedReview:
    """One generated review.

    Attributes:
        text: the review.
        label: 0 negative, 1 positive.
        decided: the places `(start, end)` in the text, in code points, of the words that decided the label.
    """

    text: str
    label: int
    decided: tuple[Span, ...]


def load_planted(config: Config) -> Corpus:
    """Generates the corpus that `config.seed` decides.

    A word *decided* the label when it is an opinion word that counts, or the negation of one. An opinion counts
    unless it is conceded, that is, stands in a clause that opens with "although", "though", "even though" or
    "while". All opinions of a review that count agree with its label once their negations are applied; conceded
    ones mostly contradict it. Aspects, intensifiers, conjunctions, conceded clauses and neutral sentences decide
    nothing.

    Some pairs of aspect and opinion occur only in test, and no test review occurs in train.
    """
    random = np.random.default_rng(config.seed)
    test = generate_reviews(config.data.test_reviews, random, held_out=True)  # first: see load_planted_test
    taken = {review.text for review in test}
    train = generate_reviews(config.data.train_reviews, random, held_out=False, taken=taken)
    vocabulary = _vocabulary(train, config.data.vocabulary_size)
    rest, validation = cut_validation(_split(train, vocabulary), config.data.validation_share, config.seed)
    test_split = _split(test, vocabulary)
    if config.data.validation == "test":
        rest, validation = _split(train, vocabulary), test_split
    return Corpus(rest, validation, test_split, vocabulary, LABEL_NAMES, f"planted reviews of seed {config.seed}")


def load_planted_test(config: Config) -> Split:
    """Generates the test split alone, to look reviews up in; its sequences stay empty."""
    reviews = generate_reviews(config.data.test_reviews, np.random.default_rng(config.seed), held_out=True)
    return Split(
        Sequences.from_lists([[]] * len(reviews)),
        np.array([review.label for review in reviews]),
        [review.text for review in reviews],
        [review.decided for review in reviews],
    )


def generate_reviews(
    count: int, random: np.random.Generator, held_out: bool, taken: set[str] | frozenset[str] = frozenset()
) -> list[PlantedReview]:
    """Generates distinct reviews.

    Args:
        count: how many.
        random: decides everything.
        held_out: whether the pairs of aspect and opinion that are kept for test may occur.
        taken: texts that must not occur.
    """
    reviews: dict[str, PlantedReview] = {}
    while len(reviews) < count:
        review = _review(random, held_out)
        if review.text not in taken:
            reviews[review.text] = review
    return list(reviews.values())


def _review(random: np.random.Generator, held_out: bool) -> PlantedReview:
    label = int(random.integers(2))
    sentences = [_opinion_sentence(label, random, held_out) for _ in range(_between(_OPINIONS, random))]
    neutral = random.choice(len(NEUTRAL), size=_between(_NEUTRALS, random), replace=False)
    sentences += [_fill(NEUTRAL[place], {}, random) for place in neutral]
    text, decided = "", []
    for place in random.permutation(len(sentences)):
        sentence, spans = _mark_up(sentences[place])
        decided += [(start + len(text), end + len(text)) for start, end in spans]
        text += sentence + (". " if random.random() < 0.9 else "! ")
    return PlantedReview(text.rstrip(), label, tuple(decided))


def _opinion_sentence(label: int, random: np.random.Generator, held_out: bool) -> str:
    """Returns a sentence in which each word that decides is marked by a leading star."""
    main = _clause(label, random, held_out)
    if random.random() >= _CONTRAST_SHARE:
        return main
    opposite = random.random() < _CONCEDED_IS_OPPOSITE
    conceded = _clause(1 - label if opposite else label, random, held_out).replace("*", "")
    return _pick(CONTRASTS, random).replace("{m}", main).replace("{d}", conceded)


def _clause(polarity: int, random: np.random.Generator, held_out: bool) -> str:
    negated = random.random() < _NEGATED_SHARE
    words = POSITIVE if bool(polarity) != negated else NEGATIVE
    aspect, opinion = _pick(ASPECTS, random), _pick(words, random)
    while not held_out and is_held_out(aspect, opinion):
        opinion = _pick(words, random)
    intensifier = _pick(INTENSIFIERS, random) if random.random() < 0.3 else ""
    pattern = _pick(NEGATED if negated else PLAIN, random)
    return _fill(pattern, {"a": aspect, "o": "*" + opinion, "i": intensifier}, random)


def is_held_out(aspect: str, opinion: str) -> bool:
    """Whether a pair of aspect and opinion is kept for test; about one pair in ten is."""
    words = POSITIVE if opinion in POSITIVE else NEGATIVE
    return (ASPECTS.index(aspect) + 3 * words.index(opinion)) % 10 == 0


def _fill(pattern: str, chosen: dict[str, str], random: np.random.Generator) -> str:
    words: list[str] = []
    for part in pattern.split():
        name = part.strip(",{}")
        if "{" in part:
            word = chosen[name] if name in chosen else _pick(FILLERS[name], random)
            part = part.replace("{" + name + "}", word)
            if words and words[-1] == "a" and part[0] in "aeiou":
                words[-1] = "an"
        words += [part] if part else []
    return " ".join(words)


def _mark_up(sentence: str) -> tuple[str, list[Span]]:
    """Takes the stars out; returns the capitalised sentence and the places of the words that bore them."""
    text, spans = "", []
    for word in sentence.split():
        text += " " if text else ""
        if word.startswith("*"):
            spans.append((len(text), len(text) + len(word.strip("*,"))))
        text += word.removeprefix("*")
    return text[0].upper() + text[1:], spans


def _vocabulary(train: list[PlantedReview], size: int) -> Vocabulary:
    """Every word of the training reviews by frequency, ties by spelling."""
    speller = Vocabulary((), size, unlisted="unknown")
    counts = Counter(token.text.lower() for review in train for token in speller.encode(review.text).tokens[1:])
    return Vocabulary(tuple(sorted(counts, key=lambda word: (-counts[word], word))), size, unlisted="unknown")


def _split(reviews: list[PlantedReview], vocabulary: Vocabulary) -> Split:
    return Split(
        Sequences.from_lists(vocabulary.encode_ids(review.text) for review in reviews),
        np.array([review.label for review in reviews]),
        [review.text for review in reviews],
        [review.decided for review in reviews],
    )


def _pick(choices: Sequence[str], random: np.random.Generator) -> str:
    return choices[random.integers(len(choices))]


def _between(bounds: tuple[int, int], random: np.random.Generator) -> int:
    return int(random.integers(bounds[0], bounds[1] + 1))
