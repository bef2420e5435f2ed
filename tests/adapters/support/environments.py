"""The installed environments of the adapters that come with Ossia."""

import os
from pathlib import Path

from ossia.adapters import AdapterInfo, InstallError, find_adapter, install, ossia_home

from .index import skip_or_fail

ROOT = Path(__file__).resolve().parents[3]
FRAMEWORKS = ("agent-framework", "agentlite", "autogen", "camel", "langgraph")
ADAPTERS = ("control", *FRAMEWORKS)


def found(name: str) -> AdapterInfo:
    """Return an adapter with its environment in the tester's home, installed or not."""
    return find_adapter(name, ossia_home({"OSSIA_HOME": str(ROOT / ".ossia"), **os.environ}))


def installed(name: str) -> AdapterInfo:
    """Return an adapter whose environment is there; without an index to make it from, skip."""
    info = found(name)
    try:
        install(info)
    except InstallError as error:
        skip_or_fail(f"{error}: {error.output[-300:]}")
    return info
