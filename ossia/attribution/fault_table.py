"""The faults that failures show, by type and by who is at fault."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ossia.attribution.run import Result
from ossia_evaluation.attribution import ENDPOINT, Attribution, Cause, Status, role_in
from ossia_evaluation.attribution.shared import culprits
from ossia_evaluation.grade import SERVICE
from ossia_evaluation.words import counted

_UNTOLD = "no sign"


def fault_text(cause: Cause) -> str:
    """Return what the trace shows of a fault at a cause, as a line for people."""
    if cause.sign:
        return f"on the wire it looks like `{cause.sign}`"
    return f"it differs from the repair as `{cause.differs}` would make it"


def fault_tables(result: Result, most: int | None = None) -> list[RenderableType]:
    """Return the table of the faults that show, or nothing where none does.

    In a run without a fault plan a difference from the repair is no fault, and is left out.

    Args:
        result: the run's attributions.
        most: so many lines are shown, and the rest is counted; all of them where it is None.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    frameworks: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for item in result.attributions:
        for line in dict.fromkeys(_lines(item, stressed=result.stressed)):
            counts[line] += 1
            frameworks[line].add(item.framework)
    if not counts:
        return []
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for column in ("looks like", "at fault", "during role"):
        table.add_column(column, overflow="fold")
    for column in ("failures", "frameworks"):
        table.add_column(column, justify="right")
    ordered = sorted(counts, key=lambda line: (-counts[line], line))
    for line in ordered[:most]:
        table.add_row(*map(escape, line), str(counts[line]), str(len(frameworks[line])))
    left = len(ordered[most:]) if most is not None else 0
    rest = f"and {counted(left, 'more line')}; " if left else ""
    note = (
        f"{rest}read from the trace, not from the fault plan; *: by the difference from the repair"
    )
    title = Text("\nFaults that show, by type and who is at fault", style="bold")
    return [title, table, Text(note)]


def _lines(item: Attribution, *, stressed: bool) -> Iterator[tuple[str, str, str]]:
    """What an episode shows: the type, who is at fault, and during which role."""
    if item.status is Status.SERVICE:
        yield "+".join(item.service) or _UNTOLD, SERVICE, "-"
    for cause in culprits(item):
        turn = role_in(cause.situation)
        if cause.sign:
            yield cause.sign, cause.role, turn if cause.role == ENDPOINT else cause.role
        elif cause.differs and stressed:
            yield f"{cause.differs} *", cause.role, cause.role
