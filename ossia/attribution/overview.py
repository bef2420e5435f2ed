"""What `ossia attribute` prints by default: a run's failures on two screens."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ossia.attribution.fault_table import fault_tables
from ossia.attribution.matrix import cause_matrix
from ossia.attribution.run import Outlook, Result
from ossia.attribution.shared_lines import WIDTH, first_blocks
from ossia.attribution.shown import head
from ossia.attribution.shown_verification import verification_text
from ossia.called import command
from ossia.runner.results import unreadable_text
from ossia_evaluation.attribution import verification_totals
from ossia_evaluation.attribution.columns import Grouping
from ossia_evaluation.attribution.shared import shared_failures, telling
from ossia_evaluation.words import plural

LINES = 48
"""Two screens of a terminal of 80 columns, less what the shell itself prints."""

_ROWS = 12
_MODES = 4
_VERIFIED = 4


def overview(result: Result, by: Grouping) -> RenderableType:
    """Return a run's failures in short: tables first, then the most telling ones; the rest counted.

    Args:
        result: the run's attributions.
        by: what the lines of the matrix are.
    """
    parts: list[RenderableType] = [head(result)]
    if result.summary.tables:
        parts.append(cause_matrix(result.summary, by, _ROWS))
        parts += fault_tables(result, _ROWS)
        parts += _modes(result)
    parts += _verified(result)
    shared = telling(shared_failures(result.attributions))
    if not shared:
        return Group(*parts)
    parts.append(Text("\nFailures, the most frequent kinds first", style="bold"))
    among = {item.framework for item in result.attributions}
    # The hint takes two lines.
    lines, shown = first_blocks(shared, among, LINES - _height(parts) - 2)
    parts += [Text(line) for line in lines]
    parts.append(Text(_hint(result, len(shared) - shown)))
    return Group(*parts)


def _hint(result: Result, left: int) -> str:
    episode = result.attributions[0].episode
    rest = f"and {left} more {plural('failure', left)}; " if left else ""
    return f"{rest}--all: everything; one episode: {command('show', episode)}"


def _modes(result: Result) -> list[RenderableType]:
    """The failure modes that show most, in a line."""
    counts = {
        f"{row.mode} {row.name}": sum(share.count for share in row.episodes.values())
        for row in result.modes.rows
    }
    most = sorted((name for name, count in counts.items() if count), key=lambda n: (-counts[n], n))
    if not most:
        return []
    more = f" and {len(most) - _MODES} more" if len(most) > _MODES else ""
    told = ", ".join(f"{name} ({counts[name]})" for name in most[:_MODES])
    return [Text(f"failure modes (MAST): {told}{more}")]


def _verified(result: Result) -> list[RenderableType]:
    """How many repairs the live model confirmed, and the first of them."""
    found = result.verifications
    if not found:
        return []
    first = dict(list(found.items())[:_VERIFIED])
    parts: list[RenderableType] = [verification_text(found if len(found) <= _VERIFIED else first)]
    if len(found) > _VERIFIED:
        parts.append(
            Text(f"and {len(found) - _VERIFIED} more: {verification_totals(found.values())}")
        )
    return parts


def _height(parts: list[RenderableType]) -> int:
    """How many lines parts take on a terminal of 80 columns."""
    console = Console(width=WIDTH, file=StringIO())
    return len(console.render_lines(Group(*parts), pad=False))


def outlook_lines(outlook: Outlook) -> Iterator[str]:
    """Yield what was stored and cannot be read, and what cannot be attributed, a line each."""
    if outlook.unreadable:
        again = "; attributed again" if len(outlook.unreadable) == 1 else "; all attributed again"
        yield unreadable_text("attribution", outlook.unreadable) + again
    if outlook.damaged:
        yield unreadable_text("episode", outlook.damaged) + "; left out"
    if outlook.supported < outlook.failures:
        yield (
            f"{outlook.supported} of {outlook.failures} failures can be attributed: the others"
            " are of tasks that give their roles no single right answer (unsupported)"
        )
