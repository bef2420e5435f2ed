"""Errors that a user can mend: one clear line, exit code 2."""

from __future__ import annotations


class UserError(Exception):
    """The command cannot be carried out as given; the message says what to do."""


class AllInvalid(UserError):
    """Nothing but infrastructure failures from the start: going on would only repeat them."""
