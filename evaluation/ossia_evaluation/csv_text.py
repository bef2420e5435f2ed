"""CSV as every file of the product is written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ossia_evaluation.visible import visible


def csv_text(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Return CSV with a header; None is empty.

    Texts may quote a model, a server or a task: what would steer a terminal is written out.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for cells in (header, *lines):
        writer.writerow([visible(cell) if isinstance(cell, str) else cell for cell in cells])
    return out.getvalue()
