"""The tools that the SDK gives to roles, and a call of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DATE_TOOL = "get_date"
HTTP_TOOL = "http_request"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that a role wants to use.

    Attributes:
        tool: The tool's name.
        arguments: What to give it.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
