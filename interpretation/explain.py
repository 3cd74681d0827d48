"""From a review to its Explanation."""

from collections.abc import Sequence

import interpretation.methods  # noqa: F401 - registers the methods
from data.vocabulary import UNKNOWN, Encoding, Token, UnseenWord
from interpretation.attribution import Attribution, attribute, check_label, methods_for
from interpretation.explanation import Explanation, Kept, Prediction
from interpretation.probe import Probe, Reading

_PADDING_SHARE_TO_WARN = 0.01
_UNKNOWN_SHARE_TO_WARN = 0.5
_ERROR_TO_WARN = 0.05


def explain(
    probe: Probe,
    review: str | Encoding,
    true_label: str | None = None,
    methods: Sequence[str] = (),
    target: str | None = None,
) -> Explanation:
    """Explains one review.

    Args:
        probe: the classifier.
        review: a text, or a review that is encoded already.
        true_label: its label, where it is known.
        methods: names of attribution methods; those that do not apply to the classifier are left out.
        target: the label to attribute; by default the one that is predicted.

    Returns:
        An `Explanation` of the T tokens that the model read.

    Raises:
        UserError: there is no such label or method.
    """
    encoding = probe.vocabulary.encode(review) if isinstance(review, str) else review
    reading = probe.read(encoding.ids)
    seen = probe.seen(len(encoding.tokens))
    tokens, unseen = encoding.tokens[seen], _unseen(encoding, seen)
    probabilities = {name: float(p) for name, p in zip(probe.label_names, reading.probabilities, strict=True)}
    label = max(probabilities, key=probabilities.get)
    attributions = _attributions(probe, encoding, methods, target or label)
    return Explanation(
        text=encoding.text,
        tokens=tokens,
        unseen=unseen,
        kept=_kept(tokens, encoding.word_count),
        prediction=Prediction(label, probabilities),
        true_label=true_label,
        scores=reading.scores,
        padding_share=reading.padding_share,
        warnings=(*_warnings(tokens, unseen, reading), *_method_warnings(methods, attributions)),
        attributions=attributions,
    )


def _attributions(probe: Probe, encoding: Encoding, methods: Sequence[str], target: str) -> tuple[Attribution, ...]:
    check_label(target, probe.label_names)
    if not methods:
        return ()
    subject = probe.subject(encoding.ids)
    number = probe.label_names.index(target)
    return tuple(attribute(probe, subject, name, number) for name in methods_for(probe, methods))


def _method_warnings(methods: Sequence[str], attributions: Sequence[Attribution]) -> list[str]:
    used = [attribution.method for attribution in attributions]
    left_out = [f"{name} does not apply to this classifier" for name in methods if name not in used]
    return left_out + [
        f"{attribution.method}: completeness error {attribution.error:.0%}; do not rely on its numbers"
        for attribution in attributions
        if attribution.error is not None and attribution.error > _ERROR_TO_WARN
    ]


def _unseen(encoding: Encoding, seen: slice) -> tuple[UnseenWord, ...]:
    cut = encoding.tokens[: seen.start] + encoding.tokens[seen.stop :]
    truncated = [UnseenWord(t.text, t.start, t.end, "truncated") for t in cut if t.word is not None]
    return tuple(sorted([*encoding.unseen, *truncated], key=lambda word: word.start))


def _kept(tokens: tuple[Token, ...], word_count: int) -> Kept:
    numbers = [token.word for token in tokens if token.word is not None]
    return Kept(numbers[0], numbers[-1], word_count) if numbers else Kept(None, None, word_count)


def _warnings(tokens: tuple[Token, ...], unseen: tuple[UnseenWord, ...], reading: Reading) -> list[str]:
    warnings = []
    words = [token for token in tokens if token.word is not None]
    dropped = sum(word.reason == "not_in_index" for word in unseen)
    unknown = dropped + sum(token.id == UNKNOWN for token in words)
    if not words:
        warnings.append("the model saw no word of this review; its answer says nothing about the text")
    elif unknown > _UNKNOWN_SHARE_TO_WARN * (len(words) + dropped):
        warnings.append(f"{unknown} of the {len(words) + dropped} words are unknown to the model")
    share = float(reading.padding_share.mean())
    if share > _PADDING_SHARE_TO_WARN:
        warnings.append(
            f"{share:.2f} of the words' attention on average goes to padding, since this model does not mask it"
        )
    return warnings
