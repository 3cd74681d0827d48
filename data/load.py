"""The one door to all sources of reviews."""

from configs.schema import Config
from data.corpus import Corpus, Split
from data.imdb import check_imdb, load_imdb, load_imdb_test
from data.planted import load_planted, load_planted_test


def check_data(config: Config) -> None:
    """Raises a `UserError` where data is missing, long before it would be loaded."""
    if config.data.source == "imdb":
        check_imdb(config.data)


def load_corpus(config: Config) -> Corpus:
    """Loads what `config.data.source` names.

    Raises:
        UserError: the data is missing, damaged or cannot be downloaded.
    """
    return load_planted(config) if config.data.source == "planted" else load_imdb(config)


def load_test_split(config: Config) -> Split:
    """Loads the test split alone, to look reviews up in. Where there are texts its sequences stay empty."""
    return load_planted_test(config) if config.data.source == "planted" else load_imdb_test(config)
