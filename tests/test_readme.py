"""What the README promises: its code runs, its commands are understood, its files and settings are there."""

import os
import re
import shlex
import subprocess
import sys

import interpret
import train
from configs.read import read_config
from tests.conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
COMMANDS = [line.split("#")[0].strip() for line in README.splitlines() if line.startswith("python ")]


def test_python_code_runs_as_written(small_run, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "quickstart").symlink_to(small_run.path)
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "(2, 2, 10, 10)" in result.stdout  # [START] and nine words
    assert (tmp_path / "attention.png").is_file()


def test_commands_are_understood():
    assert len(COMMANDS) >= 6
    for command in COMMANDS:
        _, script, *arguments = shlex.split(command)
        if script == "train.py":
            parsed = train._parser().parse_args(arguments)
            read_config(REPOSITORY / parsed.config, parsed.set)
        else:
            assert script == "interpret.py"
            interpret._parser().parse_args(arguments)


def test_files_that_it_names_are_there():
    for name in re.findall(r"`((?:configs|benchmarks|interpretation|training)/[\w./]*)`", README):
        assert (REPOSITORY / name).exists(), name
    for name in re.findall(r"\]\((\w[\w/.]+)\)", README):
        assert name.startswith("http") or (REPOSITORY / name).exists(), name
