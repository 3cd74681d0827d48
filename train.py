"""Trains a text classifier: python train.py --config configs/imdb.toml"""

import argparse
import sys
from pathlib import Path

from console import CommandParser, run_command
from errors import UserError
from quiet_keras import import_keras

_DEFAULT_CONFIG = Path(__file__).parent / "configs" / "imdb.toml"


def main() -> None:
    arguments = _parser().parse_args()
    # Imports follow the parser, so that --help answers at once; TensorFlow waits until the configuration is sound.
    from configs.read import read_config
    from data.load import check_data
    from run_folder import check_new_run

    config = read_config(arguments.config, arguments.set)
    path = arguments.run or Path("runs") / arguments.config.stem
    if path.suffix in (".keras", ".h5"):
        raise UserError(f"--run expects a folder, which will hold model.keras. Received: {path}")
    check_new_run(path, arguments.overwrite)
    check_data(config)

    import_keras()
    from training.train import train

    _print_summary(train(config, path, arguments.overwrite))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="train.py", description="Trains a Transformer text classifier and writes a run folder for interpret.py."
    )
    parser.add_argument(
        "--config", type=Path, default=_DEFAULT_CONFIG, metavar="FILE", help="a TOML file (default: configs/imdb.toml)"
    )
    parser.add_argument("--run", type=Path, metavar="DIR", help="the run folder (default: runs/NAME_OF_CONFIG)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="override a setting, e.g. model.num_heads=4"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a run that is there, with all that its folder holds"
    )
    return parser


def _print_summary(run) -> None:
    metrics = run.metrics
    test, names = metrics["test"], metrics["label_names"]
    print(f"\nparameters         {metrics['parameters']:,}")
    print(f"training           {metrics['seconds']:.1f} s")
    print(f"test accuracy      {test['accuracy']:.4f}   (majority baseline {metrics['majority_baseline']:.4f})")
    print(f"test macro-F1      {test['macro_f1']:.4f}")
    print(_confusion_table(test["confusion_matrix"], names))
    print(f"run folder         {run.path}")
    print(f'next               python interpret.py {run.path} --text "This film was just brilliant!"')


def _confusion_table(matrix: list[list[int]], names: list[str]) -> str:
    width = max(12, *(len(name) + 2 for name in names))
    lines = ["confusion (rows true, columns predicted)", " " * width + "".join(name.rjust(width) for name in names)]
    for name, row in zip(names, matrix, strict=True):
        lines.append(name.rjust(width) + "".join(f"{count:,}".rjust(width) for count in row))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(run_command(main))
