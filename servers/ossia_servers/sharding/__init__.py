"""Several server processes on one port, each of which holds its share of the worlds."""

from ossia_servers.sharding.family import MOST_PROCESSES, Member, can_share, run_family
from ossia_servers.sharding.forward import Forwarding
from ossia_servers.sharding.link import LinkLost

__all__ = ["MOST_PROCESSES", "Forwarding", "LinkLost", "Member", "can_share", "run_family"]
