"""The datasheet's tables and figures, as Markdown, made of the task sets alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ossia_dataset.statistics import SetStatistics

BEGIN: Final = "<!-- made by `ossia dataset stats --write`: begin -->"
END: Final = "<!-- made by `ossia dataset stats --write`: end -->"
"""The marks between which a file holds the tables."""

_BAR: Final = 40
"""Longest bar of a figure, in characters."""


def counts_sheet(sets: Mapping[str, Mapping[str, Mapping[str, int]]]) -> str:
    """Return rows of counts as a Markdown table for each set.

    Args:
        sets: the rows by the name of the set, the counts by the column.
    """
    lines = []
    for name, rows in sets.items():
        columns = [*next(iter(rows.values()), {})]
        lines += [f"| {name} | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
        lines += [
            f"| {row} | {' | '.join(f'{count:,}' for count in counts.values())} |"
            for row, counts in rows.items()
        ]
        lines.append("")
    return "\n".join(lines)


def datasheet(sets: Mapping[str, SetStatistics], version: str) -> str:
    """Return the tables and figures of a suite's task sets as Markdown.

    Args:
        sets: statistics by the name of the set.
        version: the recorded version; empty where there is none.
    """
    parts = [
        *_sizes(sets, version),
        "### Domains and intents",
        "",
        *_domains(sets),
        "### Slots",
        "",
        *_counts("slot", {name: one.slots for name, one in sets.items()}),
        "### Times and places",
        "",
        *_counts("form of a normal form", {name: one.times for name, one in sets.items()}),
        *_figures(sets),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _sizes(sets: Mapping[str, SetStatistics], version: str) -> Iterator[str]:
    if version:
        yield f"Version {version} of the dataset."
        yield ""
    kinds = list(dict.fromkeys(kind for one in sets.values() for kind in one.kinds))
    rows: dict[str, list[object]] = {
        "tasks": [one.tasks for one in sets.values()],
        **{kind: [one.kinds.get(kind, 0) for one in sets.values()] for kind in kinds},
        "with a setup": [one.setups for one in sets.values()],
        "days": [one.days for one in sets.values()],
        "homes": [len(one.homes) for one in sets.values()],
        "different places": [one.places for one in sets.values()],
        "words of an utterance, median": [f"{one.median_words:g}" for one in sets.values()],
        "different words": [one.vocabulary for one in sets.values()],
        "facts of a task, mean": [f"{one.facts / one.tasks:.1f}" for one in sets.values()],
        "hash": [f"`{one.hash}`" for one in sets.values()],
    }
    yield from _table(["", *sets], [[name, *cells] for name, cells in rows.items()])


def _domains(sets: Mapping[str, SetStatistics]) -> Iterator[str]:
    """One line a domain: how many tasks each set has, and of each intent."""
    domains = sorted({domain for one in sets.values() for domain in one.domains})
    rows: list[list[object]] = []
    for domain in domains:
        held = [one.domains.get(domain, {}) for one in sets.values()]
        intents = sorted({intent for intents in held for intent in intents})
        spread = ", ".join(
            f"{intent} {'/'.join(str(one.get(intent, 0)) for one in held)}" for intent in intents
        )
        rows.append([domain, *(sum(one.values()) for one in held), spread])
    yield from _table(["domain", *sets, f"of each intent ({'/'.join(sets)})"], rows)


def _counts(title: str, counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    totals: dict[str, int] = {}
    for one in counts.values():
        for name, count in one.items():
            totals[name] = totals.get(name, 0) + count
    names = sorted(totals, key=lambda name: (-totals[name], name))
    rows = [[name, *(one.get(name, 0) for one in counts.values())] for name in names]
    yield from _table([title, *counts], rows)


def _figures(sets: Mapping[str, SetStatistics]) -> Iterator[str]:
    for title, figure in (
        ("Words of an utterance", "words"),
        ("Hours of the clock", "hours"),
        ("Months of the clock", "months"),
        ("Days of the week", "weekdays"),
    ):
        yield from (f"### {title}", "", "```")
        for name, one in sets.items():
            yield f"{name}, {one.tasks} tasks"
            yield from _bars(getattr(one, figure))
            yield ""
        yield from ("```", "")


def _bars(counts: Mapping[str, int]) -> Iterator[str]:
    most = max(counts.values())
    width = max(map(len, counts))
    for name, count in counts.items():
        bar = "#" * max(1, round(_BAR * count / most))
        yield f"{name:>{width}} {bar} {count}"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""
