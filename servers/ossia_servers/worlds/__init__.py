"""Worlds: the isolated, durable state of all domain servers for one episode."""

from ossia_servers.worlds.durable import GroupCommit
from ossia_servers.worlds.store import UnknownWorld, WorldStore

__all__ = [
    "GroupCommit",
    "UnknownWorld",
    "WorldStore",
]
