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
    from ossia.adapters import AdapterError
    from ossia.api import Observer, Run, compare, load
    from ossia.errors import AllInvalid, RunStopped, UserError
    from ossia.worker import WorkerStartError
    from ossia_servers.gateway import Budget

__all__ = [
    "AdapterError",
    "AllInvalid",
    "Budget",
    "Observer",
    "Run",
    "RunStopped",
    "UserError",
    "WorkerStartError",
    "compare",
    "load",
]

_PLACES = {
    "AdapterError": "ossia.adapters",
    "AllInvalid": "ossia.errors",
    "Budget": "ossia_servers.gateway",
    "Observer": "ossia.api",
    "Run": "ossia.api",
    "RunStopped": "ossia.errors",
    "UserError": "ossia.errors",
    "WorkerStartError": "ossia.worker",
    "compare": "ossia.api",
    "load": "ossia.api",
}


def __getattr__(name: str) -> Any:
    """Load what is exported when it is first asked for: the command line starts without it."""
    from importlib import import_module

    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
