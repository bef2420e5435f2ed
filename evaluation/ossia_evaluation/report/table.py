"""Episodes as CSV, one line each, for spreadsheets and notebooks."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from ossia_evaluation.compare import EpisodeRow


def episodes_csv(rows: Sequence[EpisodeRow]) -> str:
    """Return CSV with a header; unknown values are empty, lists are joined by `|`."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(EpisodeRow.model_fields), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        data = row.model_dump(mode="json")
        data["roles"] = "|".join(row.roles)
        data["forced"] = "|".join(row.forced)
        writer.writerow({name: "" if value is None else value for name, value in data.items()})
    return buffer.getvalue()
