"""WorFBench: a user's copy of the published gold workflows."""

from ossia_dataset.worfbench.published import (
    HELD_OUT,
    SOURCES,
    PublishedGold,
    WorFBenchError,
    read_worfbench,
)

__all__ = ["HELD_OUT", "SOURCES", "PublishedGold", "WorFBenchError", "read_worfbench"]
