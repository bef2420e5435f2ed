"""Writing figures into a document, between the markers of each benchmark."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from benchmarks.machine import machine
from ossia_dataset.files import write_whole

__all__ = ["MissingMarker", "place_options", "recorded", "told", "write_figures"]


class MissingMarker(ValueError):
    """The document has no place for a benchmark's figures."""


def recorded(text: str, figures: Mapping[str, str]) -> str:
    """Return a document with figures in their places.

    Args:
        text: The document; `<!-- NAME: begin -->` and `<!-- NAME: end -->` enclose the place of
            the benchmark NAME.
        figures: Markdown by the benchmark's name; other places stay as they are.

    Raises:
        MissingMarker: A benchmark has no place, or more than one.
    """
    for name, figure in figures.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed or begin in rest or end in before + after:
            raise MissingMarker(f"the document needs one pair of {begin} and {end}")
        text = f"{before}{begin}\n{figure.strip()}\n{end}{after}"
    return text


def write_figures(path: Path, tables: Mapping[str, str], *, day: date, machine: str) -> None:
    """Write figures into a document, with the day and the machine.

    Args:
        path: The document.
        tables: Markdown by the benchmark's name.
        day: When they were measured.
        machine: The machine in words.

    Raises:
        MissingMarker: A benchmark has no place in the document.
        OSError: The document cannot be read or written.
    """
    stamp = f"Measured on {day.isoformat()} on {machine}."
    figures = {name: f"{table}\n\n{stamp}" for name, table in tables.items()}
    text = recorded(path.read_text("utf-8"), figures)
    write_whole(path, text)


def place_options(parser: argparse.ArgumentParser) -> None:
    """Add the options by which a table goes into a document: `--write` and `--date`."""
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="where the table is written")
    parser.add_argument("--date", type=date.fromisoformat, help="the day that is recorded")


def told(options: argparse.Namespace, name: str, table: str) -> None:
    """Print a table, or write it into its place of the document that the options name.

    Args:
        options: With those of `place_options`.
        name: The place's name.
        table: Markdown.

    Raises:
        MissingMarker: The document has no such place.
        OSError: The document cannot be read or written.
        ValueError: The day is not told.
    """
    if options.write is None:
        print(table)
        return
    if options.date is None:
        raise ValueError("--write needs --date")
    write_figures(options.write, {name: table}, day=options.date, machine=machine())
