"""Worlds: the isolated, durable state of all domain servers for one episode."""

from ossia_servers.worlds.durable import GroupCommit
from ossia_servers.worlds.store import (
    Overtaken,
    UnknownWorld,
    Worlds,
    WorldStore,
    WorldsUnavailable,
)

__all__ = [
    "GroupCommit",
    "Overtaken",
    "UnknownWorld",
    "WorldStore",
    "Worlds",
    "WorldsUnavailable",
]
