"""What both commands share at the terminal: one line for a user's mistake, exit statuses."""

import os
import sys
from collections.abc import Callable

from errors import UserError

MISTAKE, INTERRUPTED = 2, 130


def run_command(command: Callable[[], None]) -> int:
    """Runs a command and returns its exit status: 0, 2 for a user's mistake, 130 for Ctrl-C."""
    try:
        command()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return MISTAKE
    except KeyboardInterrupt:
        print("\ninterrupted; nothing was left half-written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, `head` for example, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
