"""Shows what each attention head of a trained run looks at: python interpret.py runs/imdb --text "..." """

import argparse
import sys
from pathlib import Path

from console import CommandParser, run_command
from errors import UserError
from quiet_keras import import_keras


def main() -> None:
    arguments = _parser().parse_args()
    # Imports follow the parser, so that --help answers at once; TensorFlow waits until the request is sound.
    import interpretation.methods  # noqa: F401 - registers the methods
    from interpretation.attribution import check_label, parse_methods
    from report.heatmaps import check_numbers
    from run_folder import RunFolder

    run = RunFolder(arguments.run)
    check_numbers("--layers", arguments.layers or (), run.config.model.num_blocks)
    check_numbers("--heads", arguments.heads or (), run.config.model.num_heads)
    methods = parse_methods(arguments.methods) if arguments.methods else []
    check_label(arguments.target or run.label_names[0], run.label_names)
    out = arguments.out or run.path / "interpretations"
    _check_writable(out)
    reviews = _collect_reviews(arguments, run)
    _interpret(reviews, run, out, methods, arguments)


def _interpret(reviews, run, out: Path, methods: list[str], arguments: argparse.Namespace) -> None:
    from tqdm import tqdm

    import_keras()
    from interpretation.explain import explain
    from interpretation.probe import Probe
    from report.terminal import coloured_words

    probe = Probe(run)
    for review in tqdm(reviews, unit="review", disable=None if len(reviews) > 1 else True, leave=False):
        explanation = explain(probe, review.encoding, review.true_label, methods, arguments.target)
        _write(explanation, out / review.name, arguments)
        tqdm.write(_summary(explanation, out / review.name))
        if explanation.attributions:
            tqdm.write(coloured_words(explanation, colour=sys.stdout.isatty()))
    tqdm.write(f"\n{len(reviews)} {'review' if len(reviews) == 1 else 'reviews'} written to {out}")


def _write(explanation, folder: Path, arguments: argparse.Namespace) -> None:
    """Writes one review's folder; it appears whole or not at all."""
    from interpretation.explanation import RECORD
    from report.heatmaps import attention_figure
    from report.word_bars import attribution_figure
    from safe_folder import new_folder

    if folder.exists() and not (folder / RECORD).is_file():
        raise UserError(f"{folder} is there already and holds no {RECORD}; choose another place with --out")
    with new_folder(folder) as aside:
        explanation.write(aside)
        for layer in arguments.layers or range(1, explanation.layers + 1):
            figure = attention_figure(explanation, layer, arguments.heads)
            for kind in dict.fromkeys(arguments.format or ["png"]):
                figure.savefig(aside / f"attention-layer-{layer}.{kind}", dpi=110)
        if explanation.attributions:
            figure = attribution_figure(explanation)
            for kind in dict.fromkeys(arguments.format or ["png"]):
                figure.savefig(aside / f"attributions.{kind}", dpi=110)


def _summary(explanation, folder: Path) -> str:
    from report.terminal import printable

    shown = explanation.text if len(explanation.text) <= 70 else explanation.text[:69] + "…"
    truth = f"   true label: {explanation.true_label}" if explanation.true_label else ""
    dropped = sum(word.reason == "not_in_index" for word in explanation.unseen)
    lines = [
        f"\n{printable(' '.join(shown.split()))}",
        f"  prediction  {explanation.prediction}{truth}",
        f"  read        {explanation.kept}" + (f"; {dropped} not in the word index, so not read" if dropped else ""),
        *(f"  warning     {warning}" for warning in explanation.warnings),
        f"  written     {folder}",
    ]
    return "\n".join(lines)


def _collect_reviews(arguments: argparse.Namespace, run):
    from interpretation import reviews

    if arguments.set and arguments.test is None:
        raise UserError("--set belongs to --test, which alone opens the data set")
    if arguments.test is not None:
        return reviews.reviews_of_test(arguments.test, run, arguments.set)
    if arguments.file is not None:
        return [review for file in arguments.file for review in reviews.file_reviews(file, run)]
    return reviews.given_reviews(arguments.text, run)


def _check_writable(folder: Path) -> None:
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}") from None


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="interpret.py", description="Writes, for each review, what a trained run saw, answered and attended to."
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="a run folder that train.py wrote")
    reviews = parser.add_mutually_exclusive_group(required=True)
    reviews.add_argument(
        "--text",
        nargs="+",
        action="extend",
        metavar="TEXT",
        help="reviews, each in quotes; --text=... for one that starts with a dash",
    )
    reviews.add_argument(
        "--file", action="append", metavar="FILE", help="a UTF-8 file with one review a line; - is standard input"
    )
    reviews.add_argument(
        "--test", nargs="+", action="extend", type=int, metavar="INDEX", help="reviews of the test split, from 0"
    )
    parser.add_argument(
        "--methods", metavar="NAMES", help="which words decided, by these methods: names between commas, or all"
    )
    parser.add_argument("--target", metavar="LABEL", help="the label to attribute (default: the predicted one)")
    parser.add_argument(
        "--layers", nargs="+", action="extend", type=int, metavar="N", help="layers to draw, from 1 (default: all)"
    )
    parser.add_argument(
        "--heads", nargs="+", action="extend", type=int, metavar="N", help="heads to draw, from 1 (default: all)"
    )
    parser.add_argument(
        "--format", action="append", choices=("png", "svg", "pdf"), help="format of the figures; repeatable"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go (default: RUN/interpretations)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="with --test: data.path or data.word_index"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run_command(main))
