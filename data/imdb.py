"""The IMDB reviews, as official sequences; the only file that knows Keras's offset between ranks and ids."""

import json
from pathlib import Path

import numpy as np

from configs.schema import Config, DataConfig
from data.corpus import Corpus, Sequences, Split, cut_validation
from data.keras_cache import SEQUENCES_FILE, WORD_INDEX_FILE, cached_file
from data.raw_imdb import check_raw_path, read_raw_imdb
from data.vocabulary import FIRST_WORD, Vocabulary
from errors import UserError
from quiet_keras import import_keras

LABEL_NAMES = ("negative", "positive")
_COVERED_SHARE = 0.5  # of the reviews that must have a word in the word index
_INDEX_FROM = FIRST_WORD - 1  # get_word_index gives ranks from 1, and rank 1 is id 4


def load_imdb(config: Config) -> Corpus:
    """Loads the IMDB reviews as the official sequences, in the way that `config.data` names.

    Raises:
        UserError: the data is neither at `data.path` nor in the Keras cache, and cannot be downloaded.
    """
    data = config.data
    train, test, vocabulary, source = _from_raw(data) if data.path else _from_keras(data)
    if data.validation == "test":
        validation = test
    else:
        train, validation = cut_validation(train, data.validation_share, config.seed)
    return Corpus(train, validation, test, vocabulary, LABEL_NAMES, source)


def check_imdb(data: DataConfig) -> None:
    """Raises a `UserError` where files are missing, without reading reviews or loading Keras."""
    if data.path is None:
        cached_file(SEQUENCES_FILE)
    else:
        check_raw_path(Path(data.path))
    _find_word_index(data)


def load_imdb_test(config: Config) -> Split:
    """Loads the test split alone, to look reviews up in. Where there are texts its sequences stay empty."""
    if config.data.path is None:
        return _from_keras(config.data)[1]
    reviews = read_raw_imdb(Path(config.data.path), splits=("test",))["test"]
    return _split(reviews, Sequences.from_lists([[]] * len(reviews)))


def vocabulary_from_word_index(ranks: dict[str, int], size: int) -> Vocabulary:
    """Makes a `Vocabulary` of Keras's word index: the word of rank r gets id r + 3."""
    return Vocabulary(tuple(sorted(ranks, key=ranks.__getitem__)), size, unlisted="drop")


def _from_raw(data: DataConfig) -> tuple[Split, Split, Vocabulary, str]:
    vocabulary = vocabulary_from_word_index(_read_word_index(_find_word_index(data)), data.vocabulary_size)
    train, test = (
        _split(reviews, Sequences.from_lists(vocabulary.encode_ids(text) for _, text in reviews))
        for reviews in read_raw_imdb(Path(data.path)).values()
    )
    if np.mean(train.sequences.lengths > 1) < _COVERED_SHARE:
        raise UserError(f"{_find_word_index(data)} holds no word of most reviews in {data.path}; is it another index?")
    return train, test, vocabulary, f"raw IMDB reviews in {data.path}"


def _split(reviews: list[tuple[int, str]], sequences: Sequences) -> Split:
    return Split(sequences, np.array([label for label, _ in reviews]), [text for _, text in reviews])


def _from_keras(data: DataConfig) -> tuple[Split, Split, Vocabulary, str]:
    cached_file(SEQUENCES_FILE)  # says what is wrong with it before Keras would
    vocabulary = vocabulary_from_word_index(_read_word_index(_find_word_index(data)), data.vocabulary_size)
    keras = import_keras()
    splits = keras.datasets.imdb.load_data(num_words=data.vocabulary_size, index_from=_INDEX_FROM)
    train, test = (Split(Sequences.from_lists(x), np.asarray(y, dtype=np.int64)) for x, y in splits)
    return train, test, vocabulary, "keras.datasets.imdb"


def _find_word_index(data: DataConfig) -> Path:
    """`data.word_index`, else the file beside the archive or folder, else the Keras cache."""
    if data.word_index:
        if not Path(data.word_index).is_file():
            raise UserError(f"data.word_index: no file at {data.word_index}. Expected {WORD_INDEX_FILE}")
        return Path(data.word_index)
    beside = Path(data.path).parent / WORD_INDEX_FILE if data.path else None
    return beside if beside and beside.is_file() else cached_file(WORD_INDEX_FILE)


def _read_word_index(path: Path) -> dict[str, int]:
    try:
        ranks = json.loads(path.read_text(encoding="utf-8"))
        "".join(ranks).encode("utf-8")  # half a surrogate pair is no text
        complete = sorted(ranks.values()) == list(range(1, len(ranks) + 1)) and {*map(type, ranks.values())} == {int}
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"cannot read the word index {path}: {error}") from None
    except (AttributeError, TypeError):  # not an object, or ranks that are not numbers
        complete = False
    if not complete:
        raise UserError(f"{path} is not a word index: expected an object that gives words the ranks 1, 2, 3, ...")
    return ranks
