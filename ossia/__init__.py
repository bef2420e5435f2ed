"""Ossia: run one agent team on many orchestration frameworks and say which agent failed.

From Python:

    import ossia

    run = ossia.compare(["control", "langgraph"], limit=20)
    print(run.summary.finding)
    failed = [row for row in run.episodes if row.verdict == "failure"]

What is not exported here may change with any version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ossia.api import Run, compare, load
    from ossia.errors import UserError

__all__ = ["Run", "UserError", "compare", "load"]

_PLACES = {"Run": "api", "compare": "api", "load": "api", "UserError": "errors"}


def __getattr__(name: str) -> Any:
    """Load what is exported when it is first asked for: the command line starts without it."""
    from importlib import import_module

    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
