"""The machine in words: what a reader needs to judge a figure, and nothing that names a place."""

from __future__ import annotations

import os
import platform
from pathlib import Path

__all__ = ["machine", "processor"]


def processor(cpuinfo: str) -> str:
    """Return the processor's model.

    Args:
        cpuinfo: The text of `/proc/cpuinfo`.

    Returns:
        The model's name, or `unknown processor`.
    """
    for line in cpuinfo.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name" and value.strip():
            return " ".join(value.split())
    return "unknown processor"


def machine() -> str:
    """Return cores, processor, memory, system and Python of this machine in one line."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = processor(Path("/proc/cpuinfo").read_text("utf-8"))
    return (
        f"{cores} cores of {model}, {memory:.0f} GiB memory,"
        f" {platform.system()}, Python {platform.python_version()}"
    )
