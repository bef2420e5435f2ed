"""Worlds: the isolated, durable state of all domain servers for one episode."""

from ossia_servers.worlds.durable import GroupCommit
from ossia_servers.worlds.lock import DatabaseInUse, held_alone
from ossia_servers.worlds.shard import MOST_SHARDS, Shard
from ossia_servers.worlds.store import UnknownWorld, WorldStore, shards_of

__all__ = [
    "MOST_SHARDS",
    "DatabaseInUse",
    "GroupCommit",
    "Shard",
    "UnknownWorld",
    "WorldStore",
    "held_alone",
    "shards_of",
]
