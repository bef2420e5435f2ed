"""The environment variables of a worker: an explicit list, nothing passed through by accident."""

from collections.abc import Mapping
from pathlib import Path

__all__ = ["worker_environment"]

# A key of the user's, a proxy or a tracing switch must never reach a framework, so the list is
# of what is let in. The fixed values make prompts equal on every machine and in every process.
_FIXED = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "PYTHONUTF8": "1",
    "PYTHONUNBUFFERED": "1",
}


def worker_environment(home: Path, switches: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a worker.

    Args:
        home: The worker's private folder; frameworks that write into the home folder or the
            temporary folder write here.
        switches: What the adapter declares, such as a switch against telemetry; these win over
            the fixed values.

    Returns:
        Every variable that the worker gets.
    """
    return {**_FIXED, **switches, "HOME": str(home), "TMPDIR": str(home)}
