"""Several server processes on one port, each of which holds its share of the worlds."""

from ossia_servers.sharding.forward import Forwarding
from ossia_servers.sharding.link import LinkLost
from ossia_servers.sharding.processes import ServerProcess, can_share, run_processes

__all__ = ["Forwarding", "LinkLost", "ServerProcess", "can_share", "run_processes"]
