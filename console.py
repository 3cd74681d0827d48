"""What both commands share at the terminal: one line for a user's mistake, exit statuses, streams and signals."""

import argparse
import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from errors import UserError

MISTAKE, INTERRUPTED = 2, 130


class CommandParser(argparse.ArgumentParser):
    """A parser whose complaints are one line, like those about everything else."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (python {self.prog} --help)")


class _LastingStream:
    """A stream whose reader may go away, as `head` does, without ending the work that writes to it."""

    def __init__(self, stream):
        self._stream = stream

    def write(self, text: str) -> int:
        return self._lasting(lambda: self._stream.write(text)) or len(text)

    def flush(self) -> None:
        self._lasting(self._stream.flush)

    def __getattr__(self, name: str):
        return getattr(self._stream, name)

    def _lasting(self, action: Callable):
        try:
            return action()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
            return None


def run_command(command: Callable[[], None]) -> int:
    """Runs a command and returns its exit status: 0, 2 for a mistake that the user can mend, 130 for Ctrl-C."""
    _prepare_streams()
    os.environ["MPLBACKEND"] = "agg"  # figures go to files; whatever else is set could only fail
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)  # clean up as after Ctrl-C
    try:
        command()
    except (UserError, OSError) as error:  # a full disk or a name too long is for the user to mend as well
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return MISTAKE
    except KeyboardInterrupt:
        print("\ninterrupted; nothing was left half-written", file=sys.stderr)
        return INTERRUPTED
    finally:
        sys.stdout.flush()
    return 0


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or open(os.devnull, "w")  # noqa: PTH123, SIM115 - closed by whoever started us
        # A terminal that cannot show a word must not end the work; a log must grow line by line.
        stream.reconfigure(errors="replace", line_buffering=True)
        setattr(sys, name, _LastingStream(stream))
