"""Worlds: the isolated, durable state of all domain servers for one episode."""

from ossia_servers.worlds.diff import Diff, RowChange
from ossia_servers.worlds.durable import GroupCommit
from ossia_servers.worlds.state import Start, Touched, World
from ossia_servers.worlds.store import UnknownWorld, WorldStore

__all__ = [
    "Diff",
    "GroupCommit",
    "RowChange",
    "Start",
    "Touched",
    "UnknownWorld",
    "World",
    "WorldStore",
]
