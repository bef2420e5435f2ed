"""Adapters and their variants as lines of a terminal, and as a table of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ossia.adapters.info import AdapterInfo
from ossia.adapters.registry import sdk_project, survey_adapters
from ossia.adapters.stale import installed_adapters, stale_environments

__all__ = ["adapter_lines", "variants_table"]


def adapter_lines(home: Path, width: int | None = None) -> Iterator[str]:
    """Yield all adapters, their variants, and environments that are out of date, a line each.

    Args:
        home: the folder of their environments.
        width: how long a line may be before an adapter or variant takes several; None for as long
            as it is.
    """
    survey = survey_adapters(home)
    projects = {info.project for info in survey.adapters}
    kept = installed_adapters(home, sdk_project())
    infos = (*survey.adapters, *(info for info in kept if info.project not in projects))
    rows = [
        (
            *(info.name, info.distribution, info.version or "-", _state(info)),
            *(info.status.text if info.status else "-", str(info.project)),
        )
        for info in infos
    ]
    rows += [(each.name, "-", "-", "broken", "-", each.reason) for each in survey.broken]
    yield from _fitting(rows, width)
    variants = [
        (f"{info.name}:{each.name}", info.with_variant(each.name).label, each.idiom, each.page)
        for info in infos
        for each in info.variants
    ]
    if variants:
        yield "variants, the default one of each first:"
        yield from _fitting(variants, width, indent="  ")
    for stale in stale_environments(home, sdk_project()):
        gone = stale.project is None or not stale.project.is_dir()
        remedy = "may be deleted" if gone else f"removed by `ossia adapter install {stale.project}`"
        yield f"stale: {stale.folder} ({remedy})"


def variants_table(infos: Sequence[AdapterInfo]) -> str:
    """Return the variants of adapters as a Markdown table, the default one of each first."""
    lines = ["| variant | idiom | called | what it is |", "|---|---|---|---|"]
    for info in infos:
        for each in info.variants:
            label = info.with_variant(each.name).label
            about = f"{each.about} ([documentation]({each.page}))"
            cells = (f"`{info.name}:{each.name}`", each.idiom, label, about.replace("|", "\\|"))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _fitting(rows: Sequence[tuple[str, ...]], width: int | None, indent: str = "") -> Iterator[str]:
    """Yield rows in columns where all of them fit, else each row on lines of its own."""
    lines = list(_columns(rows, indent))
    if width is None or max(map(len, lines), default=0) <= width:
        yield from lines
        return
    for name, *middle, last in rows:
        yield f"{indent}{name}  {', '.join(cell for cell in middle if cell != '-')}".rstrip()
        yield f"{indent}  {last}"


def _columns(rows: Sequence[tuple[str, ...]], indent: str = "") -> Iterator[str]:
    """Yield rows, all columns but the last of one width each."""
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    for *cells, last in rows:
        fixed = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        yield indent + "  ".join([*fixed, last])


def _state(info: AdapterInfo) -> str:
    return f"{info.state}, editable" if info.editable else info.state
