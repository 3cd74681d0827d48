"""What both commands share at the terminal: one line for a user's mistake, and exit statuses."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from errors import UserError

MISTAKE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


class CommandParser(argparse.ArgumentParser):
    """A parser whose complaints are one line, like those about everything else."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (python {self.prog} --help)")


def run_command(command: Callable[[], None]) -> int:
    """Runs a command and returns its exit status: 0, 2 for a mistake that the user can mend, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a terminal that cannot show a word must not end the work
    try:
        command()
    except BrokenPipeError:  # the reader of our output, `head` for example, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (UserError, OSError) as error:  # a full disk or a name too long is for the user to mend as well
        print(f"error: {error}", file=sys.stderr)
        return MISTAKE
    except KeyboardInterrupt:
        print("\ninterrupted; nothing was left half-written", file=sys.stderr)
        return INTERRUPTED
    return 0
