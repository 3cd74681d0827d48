"""One review as the model reads it: padded, with the places of its tokens and of those that may be ranked."""

from dataclasses import dataclass

import numpy as np

from data.vocabulary import FIRST_WORD, UNKNOWN


@dataclass(frozen=True, eq=False)
class Subject:
    """A review of T tokens, padded to W.

    Attributes:
        ids: int32 `(1, W)`.
        real: the places of the T tokens among the W.
    """

    ids: np.ndarray
    real: slice

    @property
    def width(self) -> int:
        return self.ids.shape[1]

    @property
    def is_word(self) -> np.ndarray:
        """Bool `(W,)`: True for words, unknown ones included. Only they are removed and ranked."""
        return (self.ids[0] >= FIRST_WORD) | (self.ids[0] == UNKNOWN)

    @property
    def is_real(self) -> np.ndarray:
        """Bool `(W,)`: True for the tokens, False for padding."""
        mask = np.zeros(self.width, dtype=bool)
        mask[self.real] = True
        return mask

    @property
    def words(self) -> np.ndarray:
        """The places of the words among the W."""
        return np.flatnonzero(self.is_word)

    def without(self, removed: np.ndarray, replacement: int = UNKNOWN) -> np.ndarray:
        """Returns variants of the review in which words are replaced.

        Args:
            removed: bool `(N, W)`, True where a variant loses its word.
            replacement: the id that takes the word's place.

        Returns:
            int32 `(N, W)`.
        """
        return np.where(removed & self.is_word, np.int32(replacement), self.ids)
