"""What kind of error a failed run made, by the paper's categories, from its recorded actions."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import StrEnum

from ossia_evaluation.workbench.actions import escaped, tool_name, writing_tools

_YESTERDAY, _TODAY = "2023-11-29", "2023-11-30"
_FIRST_FREE = "13:00:00"
_OTHER_STARTS = ("09:00:00", "11:00:00", "15:00:00", "15:30:00")
_MADE_UP = "@example"
_COLLEAGUES = ("@atlas", "@halden")
"""Addresses of the published office and of the generated one."""
_CONTEXT = re.compile(r"context[ _](window|length)|prompt is too long", re.IGNORECASE)
"""How frameworks and providers tell that a conversation has become too long."""


class Category(StrEnum):
    """Kinds of failed runs."""

    LIMIT = "iteration_or_time_limit"
    """The run had no turns, time or budget left."""
    FRAMEWORK = "framework_error"
    """The framework raised an exception. Recorded runs of the publication do not tell it apart."""
    CONTEXT = "context_window"
    """The conversation no longer fitted the model's context window."""
    NO_ACTIONS = "no_actions"
    """No tool was called."""
    WRONG_EMAIL = "wrong_email"
    """An address was made up instead of looked up."""
    END_DATE = "end_date_minor_error"
    """A range ends today where it was to end yesterday."""
    MEETING_START = "meeting_start_time_error"
    """A meeting starts at another time than the first free one."""
    OTHER = "other"


def outgrew(error: str) -> bool:
    """Return whether an error says that the conversation no longer fits the context window."""
    return _CONTEXT.search(error) is not None


def exact_match(predicted: Sequence[str], truth: Sequence[str]) -> bool:
    """Return whether the writing actions are the truth's, in any order and case."""
    writes = [text for text in predicted if tool_name(text) in writing_tools()]
    return _plain(writes) == _plain(truth)


def _plain(actions: Sequence[str]) -> list[str]:
    return sorted(escaped(text).lower() for text in actions)


def made_up_address(predicted: Sequence[str]) -> bool:
    """Return whether an address was made up, and no real one of a colleague is named anywhere."""
    told = "\n".join(predicted)
    return _MADE_UP in told and not any(domain in told for domain in _COLLEAGUES)


def ends_today(predicted: Collection[str], truth: Sequence[str]) -> bool:
    """Return whether every action of the truth was done with today in the place of yesterday."""
    return bool(truth) and all(
        _YESTERDAY in wanted and wanted.replace(_YESTERDAY, _TODAY) in predicted for wanted in truth
    )


def starts_elsewhen(predicted: Collection[str], truth: Sequence[str]) -> bool:
    """Return whether every action of the truth was done with another common time of the day."""
    return bool(truth) and all(
        _FIRST_FREE in wanted
        and any(wanted.replace(_FIRST_FREE, start) in predicted for start in _OTHER_STARTS)
        for wanted in truth
    )


def categorise(predicted: Sequence[str], truth: Sequence[str], error: str) -> Category:
    """Return the category of a failed run.

    Args:
        predicted: its actions as recorded.
        truth: the truth's actions.
        error: what the framework told of its own end; empty when nothing.
    """
    if error:
        return Category.CONTEXT if outgrew(error) else Category.LIMIT
    if not predicted:
        return Category.NO_ACTIONS
    if made_up_address(predicted):
        return Category.WRONG_EMAIL
    if ends_today(predicted, truth):
        return Category.END_DATE
    if starts_elsewhen(predicted, truth):
        return Category.MEETING_START
    return Category.OTHER
