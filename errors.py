"""The one exception that stands for a user's mistake."""


class UserError(Exception):
    """A mistake that the user can mend.

    The message is one line that says what was expected and what was received. The commands print it
    without a traceback and exit with status 2.
    """
