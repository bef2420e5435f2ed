"""What a suite adds to the report of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup


@dataclass(frozen=True)
class ReportPart:
    """A part of a report.

    Attributes:
        title: what it is called in the page's list of parts.
        anchor: the id of its first heading.
        html: what stands in the page; every text in it is escaped.
        files: what is written beside the page: texts by the names of their files.
    """

    title: str
    anchor: str
    html: Markup
    files: Mapping[str, str] = field(default_factory=dict)
