"""A Ray cluster of several nodes on this machine, made to be broken."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

__all__ = ["Nodes", "ray_nodes"]

_PORTS: Final = (
    "metrics_agent_port",
    "metrics_export_port",
    "dashboard_agent_listen_port",
    "runtime_env_agent_port",
)

_PATIENT: Final = {
    # On a busy machine the helpers of a node take long to start.
    "RAY_raylet_start_wait_time_s": "120",
    "RAY_agent_register_timeout_ms": "120000",
    # By default what it runs yields to all else, and waits long beside other tests.
    "RAY_worker_niceness": "0",
    "RAY_enable_metrics_collection": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
}

# Whoever reaches a port of Ray can run code, unless a token is asked for. Ray reads both variables
# once, when it is imported.
_TOKEN: Final = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


class Nodes:
    """The nodes of a cluster, the first of them its head."""

    def __init__(self, folder: str, count: int, cpus: int) -> None:
        """Start them.

        Args:
            folder: where Ray keeps its session; its path is short.
            count: how many nodes.
            cpus: what each says that it has.
        """
        from ray.cluster_utils import Cluster

        self.folder = folder
        self._cpus = cpus
        self._joined = 0
        settings = {"health_check_period_ms": 1000, "health_check_failure_threshold": 3}
        head: dict[str, Any] = {"include_dashboard": False, "temp_dir": folder, "no_monitor": True}
        head["_system_config"] = settings
        self._cluster: Any = Cluster(initialize_head=True, head_node_args={**self._node(), **head})
        self.others: list[Any] = []
        """All nodes but the head."""
        for _ in range(count - 1):
            self.add()

    @property
    def address(self) -> str:
        """The address of the cluster."""
        return str(self._cluster.address)

    def add(self) -> None:
        """Let a node join."""
        # With addresses of their own, as a command finds the node that it is on by the address.
        self._joined += 1
        place = f"127.0.1.{self._joined}"
        self.others.append(self._cluster.add_node(**self._node(), node_ip_address=place))

    def lose(self, node: Any) -> None:
        """Kill a node with all its processes."""
        self.others.remove(node)
        self._cluster.remove_node(node, allow_graceful=False)

    def lose_head(self) -> None:
        """Kill the head with all its processes."""
        self._cluster.head_node.kill_all_processes(check_alive=False, allow_graceful=False)

    def end(self) -> None:
        """Kill what is left."""
        for node in (*self.others, self._cluster.head_node):
            node.kill_all_processes(check_alive=False, allow_graceful=False)

    def _node(self) -> dict[str, Any]:
        return {
            "num_cpus": self._cpus,
            "object_store_memory": 100 * 2**20,
            "include_log_monitor": False,
            **dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True)),
        }


@contextmanager
def ray_nodes(count: int = 3, cpus: int = 2, **environ: str) -> Iterator[Nodes]:
    """Run a cluster on this machine. Ray must not have been imported before.

    Args:
        count: how many nodes.
        cpus: what each says that it has.
        environ: what stands in the environment of the nodes, and not of this process.
    """
    place = tempfile.mkdtemp(prefix="ray-")
    # Ray writes the address of the newest cluster to its usual folder, which it makes only for a
    # cluster that is kept there, and which another user of the machine may own.
    folder = Path(place, "ray")
    folder.mkdir()
    added = {**_PATIENT, **_TOKEN, "RAY_TMPDIR": place, **environ}
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        nodes = Nodes(str(folder), count, cpus)
    finally:
        for name in environ:
            del os.environ[name]
    try:
        yield nodes
    finally:
        nodes.end()
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(place, ignore_errors=True)


def _free_ports(count: int) -> list[int]:
    taken = [socket.socket() for _ in range(count)]
    for each in taken:
        each.bind(("", 0))
    ports = [int(each.getsockname()[1]) for each in taken]
    for each in taken:
        each.close()
    return ports
