"""The record of one review: what the model saw, what it answered, and its attention scores."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from data.vocabulary import Token, UnseenWord
from interpretation.attribution import Attribution

RECORD, SCORES = "explanation.json", "attention.npz"


@dataclass(frozen=True)
class Kept:
    """Which words of a review the model read, by number from 1; None where it read none."""

    first: int | None
    last: int | None
    of: int

    def __str__(self) -> str:
        return f"no word of {self.of}" if self.first is None else f"words {self.first}-{self.last} of {self.of}"


@dataclass(frozen=True)
class Prediction:
    """The model's answer: the most probable label and the probability of each."""

    label: str
    probabilities: dict[str, float]

    def __str__(self) -> str:
        return f"{self.label} {self.probabilities[self.label]:.3f}"


@dataclass(frozen=True, eq=False)
class Explanation:
    """Everything known about one review.

    Attributes:
        text: the review.
        tokens: the T tokens that the model read, in order.
        unseen: words that it did not read.
        kept: which words it read.
        prediction: its answer.
        true_label: the label where it is known.
        scores: attention scores after the softmax, float32 `(layers, heads, T, T)`, axes `(layer, head, query,
            key)`. A row and its padding share sum to 1.
        padding_share: what each query gives to padding, float32 `(layers, heads, T)`.
        warnings: sentences that a reader should know.
        attributions: which words decided, by each method that was asked for.
    """

    text: str
    tokens: tuple[Token, ...]
    unseen: tuple[UnseenWord, ...]
    kept: Kept
    prediction: Prediction
    true_label: str | None
    scores: np.ndarray
    padding_share: np.ndarray
    warnings: tuple[str, ...]
    attributions: tuple[Attribution, ...] = ()

    @property
    def layers(self) -> int:
        return self.scores.shape[0]

    @property
    def heads(self) -> int:
        return self.scores.shape[1]

    @property
    def words(self) -> list[str]:
        """The tokens as a reader knows them, one for each row and column of the scores."""
        return [token.text for token in self.tokens]

    def to_record(self) -> dict[str, Any]:
        """Returns what `explanation.json` holds; `explanation.schema.json` describes it."""
        tokens = [asdict(token) for token in self.tokens]
        for token in tokens:
            del token["word"]
        return {
            "text": self.text,
            "tokens": tokens,
            "unseen": [asdict(word) for word in self.unseen],
            "kept": asdict(self.kept),
            "prediction": asdict(self.prediction),
            "true_label": self.true_label,
            "attention": {"file": SCORES, "layers": self.layers, "heads": self.heads},
            "attributions": [attribution.to_record() for attribution in self.attributions],
            "warnings": list(self.warnings),
        }

    def write(self, folder: Path) -> None:
        """Writes `explanation.json` and `attention.npz` into an existing folder."""
        record = json.dumps(self.to_record(), ensure_ascii=False, indent=2, allow_nan=False)
        (folder / RECORD).write_text(record + "\n", encoding="utf-8")
        np.savez_compressed(folder / SCORES, scores=self.scores, padding_share=self.padding_share)
