"""Failures for the terminal: each that several frameworks share once, with who shares it."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from ossia.attribution.matrix import UNKNOWN
from ossia_evaluation.attribution import Attribution, Status
from ossia_evaluation.attribution.shared import SharedFailure, shared_failures, told

WIDTH = 80
"""The narrowest terminal that lines are counted for."""

_INDENT = 2


def evidence_lines(found: Sequence[Attribution]) -> RenderableType:
    """Return all failures, each once, with everything that is known of it.

    Beside each cause stands its responsibility, and after the evidence what was absorbed.

    Args:
        found: the attributions.
    """
    among = {item.framework for item in found}
    parts: list[RenderableType] = [Text("\nFailures", style="bold")]
    for one in shared_failures(found):
        parts += [Text(line) for line in _block(one, among, full=True)]
    return Group(*parts)


def first_blocks(
    shared: Sequence[SharedFailure], among: Collection[str], room: int
) -> tuple[list[str], int]:
    """Return the lines of the first failures that fit, and how many failures these are.

    Args:
        shared: the failures, the most telling first.
        among: all frameworks that are attributed.
        room: so many lines on a terminal of 80 columns; one failure is shown in any case.
    """
    lines: list[str] = []
    for number, one in enumerate(shared):
        block = _block(one, among, full=False)
        room -= sum(max(1, len(_wrapped(line, WIDTH))) for line in block)
        if room < 0 and number:
            return lines, number
        lines += block
    return lines, len(shared)


def frameworks_text(one: SharedFailure, among: Collection[str]) -> str:
    """Return who shares a failure: `all 5 frameworks`, or `camel, control x2`.

    Args:
        one: the failure.
        among: all frameworks that are attributed.
    """
    counts = one.frameworks
    if len(among) > 2 and counts.keys() >= set(among):
        extra = len(one.items) - len(counts)
        return f"all {len(counts)} frameworks" + (f", {len(one.items)} episodes" if extra else "")
    return ", ".join(f"{name} x{count}" if count > 1 else name for name, count in counts.items())


def _block(one: SharedFailure, among: Collection[str], *, full: bool) -> list[str]:
    """The lines of one failure: what failed, where and at which step, then why."""
    item = one.first
    status = item.status.value
    parts = [one.task, frameworks_text(one, among)]
    if full or item.status is not Status.ATTRIBUTED:
        parts.append(status)
    parts.append(_distinct([_causes(each, full=full) for each in one.items]))
    if full:
        parts.append(_replays(one))
    sentence = told(item) + (f" ({item.recovery_text})" if item.recovery_text else "")
    if full:
        sentence += _distinct([_absorbed(each) for each in one.items])
    head = " | ".join(part for part in parts if part)
    wrapped = _wrapped(sentence, WIDTH - _INDENT) if not full else [sentence]
    return [head, *(f"{' ' * _INDENT}{line}" for line in wrapped)]


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text; an address, whose date has hyphens, stays whole."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _causes(item: Attribution, *, full: bool) -> str:
    """The families, with the responsibility in full: `time#1 0.50 + url#1 0.50 or url#2 1.00`."""
    shares = {cause.situation: f" {cause.responsibility:.2f}" for cause in item.causes}
    if not full:
        shares = {}
    families = (" + ".join(f"{name}{shares.get(name, '')}" for name in f) for f in item.families)
    return " or ".join(families) or (UNKNOWN if full else "")


def _replays(one: SharedFailure) -> str:
    fewest, most = (pick(item.replays for item in one.items) for pick in (min, max))
    return f"{most} replays" if fewest == most else f"{fewest} to {most} replays"


def _absorbed(item: Attribution) -> str:
    """A clause on the deviations that a later step took the harm out of; nothing without one."""
    found = [f"{one.situation} by {one.absorbed_by}" for one in item.deviations if one.absorbed_by]
    return f" (absorbed downstream: {', '.join(found)})" if found else ""


def _distinct(texts: Sequence[str]) -> str:
    return " / ".join(dict.fromkeys(text for text in texts if text))
