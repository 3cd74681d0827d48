"""What every source of reviews returns."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from data.vocabulary import Encoding, Vocabulary
from errors import UserError

Span = tuple[int, int]


class Sequences:
    """Many sequences of ids in two arrays, so that 50,000 reviews stay small and quick to slice.

    Attributes:
        values: int32 `(total,)`, all ids one after the other.
        offsets: int64 `(count + 1,)`, where each sequence begins and the last one ends.
    """

    def __init__(self, values: np.ndarray, offsets: np.ndarray):
        self.values = values
        self.offsets = offsets

    @classmethod
    def from_lists(cls, sequences: Iterable[Sequence[int]]) -> "Sequences":
        parts = [np.asarray(sequence, dtype=np.int32) for sequence in sequences]
        offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return cls(np.concatenate(parts) if parts else np.zeros(0, np.int32), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> np.ndarray:
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[index] for index in range(len(self)))

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    def take(self, indices: Sequence[int]) -> "Sequences":
        return Sequences.from_lists(self[index] for index in indices)


@dataclass(frozen=True)
class Split:
    """The reviews of one split.

    Attributes:
        sequences: the ids of each review, the start id first, nothing cut off.
        labels: int64 `(count,)`, places in `Corpus.label_names`.
        texts: the raw texts where the source has them, else None.
        rationales: for each review the places `(start, end)` in its text, in code points, of the words that
            decided its label; None where the source does not know them.
    """

    sequences: Sequences
    labels: np.ndarray
    texts: Sequence[str] | None = None
    rationales: Sequence[tuple[Span, ...]] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, indices: Sequence[int]) -> "Split":
        """Returns the reviews at `indices`, in that order."""
        return Split(
            self.sequences.take(indices),
            self.labels[indices],
            None if self.texts is None else [self.texts[index] for index in indices],
            None if self.rationales is None else [self.rationales[index] for index in indices],
        )

    def encoding(self, index: int, vocabulary: Vocabulary) -> Encoding:
        """Returns one review with its words and their places."""
        if self.texts is None:
            return vocabulary.encoding_of_ids(self.sequences[index].tolist())
        return vocabulary.encode(self.texts[index])

    def checksum(self) -> str:
        """Returns a SHA-256 over labels and reviews in order; the same for an archive and its unpacked folder."""
        digest = hashlib.sha256(np.ascontiguousarray(self.labels, dtype="<i8").tobytes())
        if self.texts is None:
            digest.update(np.ascontiguousarray(self.sequences.offsets, dtype="<i8").tobytes())
            digest.update(np.ascontiguousarray(self.sequences.values, dtype="<i4").tobytes())
        else:
            for text in self.texts:
                digest.update(text.encode("utf-8") + b"\0")
        return digest.hexdigest()


@dataclass(frozen=True)
class Corpus:
    """Everything that training needs to know of its data.

    Attributes:
        train: reviews to fit on; validation has been cut from it.
        validation: reviews to choose on; the test split itself under the official protocol.
        test: reviews to measure on, once.
        vocabulary: how their texts became ids.
        label_names: the name of each label.
        source: in words, where the reviews came from.
    """

    train: Split
    validation: Split
    test: Split
    vocabulary: Vocabulary
    label_names: tuple[str, ...]
    source: str

    def checksum(self) -> str:
        """Returns a SHA-256 over all three splits."""
        parts = (split.checksum() for split in (self.train, self.validation, self.test))
        return hashlib.sha256("".join(parts).encode("ascii")).hexdigest()


def cut_validation(train: Split, share: float, seed: int) -> tuple[Split, Split]:
    """Cuts a random share from train; returns `(rest, validation)`, each in its old order.

    Raises:
        UserError: nothing would be left to train on.
    """
    order = np.random.default_rng(seed).permutation(len(train))
    size = max(1, round(share * len(train)))
    if size >= len(train):
        raise UserError(f"data.validation_share {share} of {len(train)} training reviews leaves none to train on")
    return train.take(np.sort(order[size:])), train.take(np.sort(order[:size]))


def window(length: int, limit: int, truncating: str) -> slice:
    """Returns the part that the model reads of a sequence: its first (`"post"`) or last (`"pre"`) `limit` ids."""
    if length <= limit:
        return slice(0, length)
    return slice(0, limit) if truncating == "post" else slice(length - limit, length)
