"""Which words decided: the registry of methods, and what each of them returns."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from errors import UserError

if TYPE_CHECKING:
    from interpretation.probe import Probe
    from interpretation.subject import Subject


@dataclass(frozen=True, eq=False)
class Attribution:
    """One signed number for each token, for one class.

    Attributes:
        method: the name of the method.
        target: the label that the numbers speak for; a positive number speaks for it.
        scores: float32 `(T,)`, one for each token that the model read.
        signed: whether a negative number means "against"; methods that are not signed say only how much.
        error: the method's own error, where it can tell one.
        seconds: how long it took.
    """

    method: str
    target: str
    scores: np.ndarray
    signed: bool
    error: float | None
    seconds: float

    def to_record(self) -> dict[str, Any]:
        """Returns what `explanation.json` holds of it."""
        return {
            "method": self.method,
            "target": self.target,
            "signed": self.signed,
            "scores": [float(score) for score in self.scores],
            "error": self.error,
            "seconds": round(self.seconds, 4),
        }


Function = Callable[["Probe", "Subject", int], np.ndarray | tuple[np.ndarray, float]]


@dataclass(frozen=True)
class Method:
    """A way to compute attributions.

    Attributes:
        name: as in `--methods`.
        function: given the probe, a review and the number of a class, returns float `(W,)` over the padded review,
            or that and its own error.
        signed: whether its numbers are signed.
        applies: whether it applies to a classifier.
        builtin: whether it needs no optional package; `--methods all` means the built-in ones.
    """

    name: str
    function: Function
    signed: bool
    applies: Callable[["Probe"], bool]
    builtin: bool


METHODS: dict[str, Method] = {}


def method(
    name: str, *, signed: bool, applies: Callable[["Probe"], bool] = lambda probe: True, builtin: bool = True
) -> Callable[[Function], Function]:
    """Registers a function as a method of attribution; see `Method` for what it takes and returns."""

    def register(function: Function) -> Function:
        METHODS[name] = Method(name, function, signed, applies, builtin)
        return function

    return register


def attribute(probe: "Probe", subject: "Subject", name: str, target: int) -> Attribution:
    """Computes the attributions of one method for one review.

    A defined number always comes back: where a method has none (a gradient of infinity, say), it is 0.

    Args:
        probe: the classifier.
        subject: the review.
        name: of the method.
        target: the number of the class; F is its logit.
    """
    chosen = METHODS[name]
    started = time.perf_counter()
    result = chosen.function(probe, subject, target)
    scores, error = result if isinstance(result, tuple) else (result, None)
    seconds = time.perf_counter() - started
    cropped = np.nan_to_num(np.asarray(scores, dtype=np.float32)[subject.real])
    return Attribution(name, probe.label_names[target], cropped, chosen.signed, error, seconds)


def methods_for(probe: "Probe", names: Sequence[str]) -> list[str]:
    """Returns those of `names` that apply to the classifier; a `UserError` names one that is no method."""
    _check_names(names)
    return [name for name in names if METHODS[name].applies(probe)]


def parse_methods(text: str) -> list[str]:
    """Reads `--methods`: names between commas, or `all` for all that are built in.

    Raises:
        UserError: a name is not that of a method.
    """
    if text == "all":
        return [name for name, method in METHODS.items() if method.builtin]
    names = [name.strip() for name in text.split(",")]
    _check_names(names)
    return list(dict.fromkeys(names))


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if name not in METHODS:
            raise UserError(f"--methods: expected all or names out of {', '.join(METHODS)}. Received: {name!r}")


def check_label(target: str, names: Sequence[str]) -> None:
    """Raises a `UserError` where `target` is not one of the labels."""
    if target not in names:
        raise UserError(f"--target: expected one of {', '.join(names)}. Received: {target!r}")
