"""Errors that a user can mend: one clear line, and an exit code that is not 0."""

from __future__ import annotations

from typing import ClassVar

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells expect it."""


class UserError(Exception):
    """The command cannot be carried out as given; the message says what to do."""

    code: ClassVar[int] = 2
    """Exit code of the command."""


class AllInvalid(UserError):
    """Nothing but infrastructure failures: going on would only repeat them.

    The command was right as it stands, so it does not end with the code of bad input.
    """

    code: ClassVar[int] = 1


class RunStopped(UserError):
    """A run has ended early, since going on would cost money or time for nothing.

    What is finished is kept, and the same command resumes when the cause is fixed.
    """

    code: ClassVar[int] = 3


class ReplayFailed(UserError):
    """A replay came to nothing for a reason outside the framework; another try may succeed."""

    code: ClassVar[int] = 1
