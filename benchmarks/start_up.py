"""Times `interpret.py` against `python -c "import keras"`, in turn, as whole processes.

    python benchmarks/start_up.py runs/imdb --repeats 5
    python benchmarks/start_up.py runs/imdb --repeats 5 --test 0

Without `--test` it interprets a text of seven words, with it a review of the test split. The ratio of the medians
comes last.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_TEXT = "This film was just brilliant and moving"
_INTERPRET = Path(__file__).parent.parent / "interpret.py"


def seconds(*command: str) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a run folder")
    parser.add_argument("--test", metavar="INDEX", help="a review of the test split instead of the text")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    review = ["--test", arguments.test] if arguments.test else ["--text", _TEXT]
    measured: dict[str, list[float]] = {"import keras": [], "interpret": []}
    for _ in range(arguments.repeats + 1):
        measured["import keras"].append(seconds(sys.executable, "-c", "import keras"))
        with tempfile.TemporaryDirectory() as out:
            command = [str(_INTERPRET), arguments.run, *review, "--out", out]
            measured["interpret"].append(seconds(sys.executable, *command))
    medians = {name: statistics.median(values[1:]) for name, values in measured.items()}  # the first is a warm-up
    for name, median in medians.items():
        print(f"{name:12} median {median:5.2f} s")
    print(f"ratio {medians['interpret'] / medians['import keras']:.2f}")


if __name__ == "__main__":
    main()
