"""Text to ids and back: the one owner of every convention about ids and words."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from errors import UserError

PADDING, START, UNKNOWN, UNUSED, FIRST_WORD = 0, 1, 2, 3, 4
SPECIAL_NAMES = {PADDING: "[PAD]", START: "[START]", UNKNOWN: "[OOV]", UNUSED: "[UNUSED]"}

# The preparation of the official IMDB sequences: these characters, tab, newline and space separate words. The
# apostrophe does not, and neither do the other characters that Python calls white space.
_WORD = re.compile(r"""[^!"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~\t\n ]+""")


@dataclass(frozen=True)
class Token:
    """One id that the model can read, and where it came from.

    Attributes:
        text: the user's own spelling, or a name such as `[START]`.
        id: the id.
        start: first code point in the text, None for special tokens.
        end: one past the last code point, None for special tokens.
        in_vocabulary: False where the id stands for an unknown word.
        word: the number of the word in the text, from 1; None for special tokens.
    """

    text: str
    id: int
    start: int | None
    end: int | None
    in_vocabulary: bool
    word: int | None


@dataclass(frozen=True)
class UnseenWord:
    """A word of the text that the model does not read, and why."""

    text: str
    start: int
    end: int
    reason: Literal["truncated", "not_in_index"]


@dataclass(frozen=True)
class Encoding:
    """A whole text as tokens, nothing cut off yet.

    Attributes:
        text: the text.
        tokens: one for each id, the start token first.
        unseen: words that have no id.
        word_count: words in the text, the unseen ones included.
    """

    text: str
    tokens: tuple[Token, ...]
    unseen: tuple[UnseenWord, ...]
    word_count: int

    @property
    def ids(self) -> list[int]:
        return [token.id for token in self.tokens]


class _Record(BaseModel):
    """What a vocabulary file holds."""

    model_config = ConfigDict(strict=True)
    words: list[str]
    size: Annotated[int, Field(gt=FIRST_WORD)]
    unlisted: Literal["drop", "unknown"]


@dataclass(frozen=True)
class Vocabulary:
    """Words by frequency, and the rules that turn text into ids.

    Ids: 0 padding, 1 start, 2 unknown word, 3 never used, 4 the first (most frequent) word.

    Attributes:
        words: every word of the index, the most frequent first.
        size: ids run below `size`; a word of the index at or above it becomes id 2.
        unlisted: what a word outside the index becomes: `"drop"` leaves it out, as the official IMDB
            sequences do, `"unknown"` makes it id 2.
    """

    words: tuple[str, ...]
    size: int
    unlisted: Literal["drop", "unknown"] = "drop"

    def __post_init__(self):
        object.__setattr__(self, "_ids", {word: id for id, word in enumerate(self.words, FIRST_WORD)})

    def word_id(self, word: str) -> int | None:
        """Returns the id of one word in the user's spelling, or None where the word is dropped."""
        id = self._ids.get(word.lower())
        if id is None:
            return UNKNOWN if self.unlisted == "unknown" else None
        return id if id < self.size else UNKNOWN

    def encode(self, text: str) -> Encoding:
        """Encodes a text of any length in any script.

        Args:
            text: any Unicode text.

        Returns:
            An `Encoding` whose `ids` begin with 1 (start), each with the user's spelling and its place in
            `text`, counted in code points.
        """
        tokens = [Token(SPECIAL_NAMES[START], START, None, None, True, None)]
        unseen, number = [], 0
        for number, match in enumerate(_WORD.finditer(text), 1):
            word, (start, end) = match.group(), match.span()
            id = self.word_id(word)
            if id is None:
                unseen.append(UnseenWord(word, start, end, "not_in_index"))
            else:
                tokens.append(Token(word, id, start, end, id != UNKNOWN, number))
        return Encoding(text, tuple(tokens), tuple(unseen), number)

    def encode_ids(self, text: str) -> list[int]:
        """Returns `encode(text).ids`, without the places; for whole data sets."""
        known, size = self._ids, self.size
        fallback = UNKNOWN if self.unlisted == "unknown" else None
        found = [known.get(word.lower(), fallback) for word in _WORD.findall(text)]
        return [START, *(id if id < size else UNKNOWN for id in found if id is not None)]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Returns one word for each id; special ids get names such as `[PAD]`.

        Raises:
            UserError: an id is below 0 or not below `size`.
        """
        ids = list(ids)
        self.check_ids(ids)
        return [SPECIAL_NAMES.get(id) or self._word(id) for id in ids]

    def encoding_of_ids(self, ids: Sequence[int]) -> Encoding:
        """Returns the `Encoding` of a review that is known by its ids alone: its text is the decoded words."""
        words = self.decode(ids)
        tokens, parts, place, number = [], [], 0, 0
        for id, word in zip(ids, words, strict=True):
            if id in (PADDING, START, UNUSED):
                tokens.append(Token(word, int(id), None, None, True, None))
                continue
            number += 1
            tokens.append(Token(word, int(id), place, place + len(word), id != UNKNOWN, number))
            parts.append(word)
            place += len(word) + 1
        return Encoding(" ".join(parts), tuple(tokens), (), number)

    def check_ids(self, ids: Iterable[int]) -> None:
        """Raises a `UserError` that names the first position whose id the model has no embedding for."""
        for position, id in enumerate(ids):
            if not 0 <= id < self.size:
                raise UserError(f"ids must be from 0 to {self.size - 1}. Received: {id} at position {position}")

    def to_json(self) -> str:
        """Returns the text of the file that `from_json` reads."""
        record = {"size": self.size, "unlisted": self.unlisted, "words": list(self.words)}
        return json.dumps(record, ensure_ascii=False)

    @classmethod
    def from_json(cls, path: Path) -> "Vocabulary":
        """Reads a vocabulary file.

        Raises:
            UserError: the file is not one that `to_json` wrote.
        """
        try:
            record = _Record.model_validate_json(path.read_bytes())
        except ValidationError as error:
            problem = error.errors()[0]["msg"]
            raise UserError(f"{path} is not a vocabulary of Headlight: {problem}") from None
        if len(set(record.words)) != len(record.words):
            raise UserError(f"{path} is not a vocabulary of Headlight: a word stands in it twice")
        return cls(tuple(record.words), record.size, record.unlisted)

    def _word(self, id: int) -> str:
        place = id - FIRST_WORD
        return self.words[place] if place < len(self.words) else SPECIAL_NAMES[UNUSED]
