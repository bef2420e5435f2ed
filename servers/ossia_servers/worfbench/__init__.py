"""What plays the suites of WorFBench without a model: a planner that reads the prompt alone."""

from ossia_servers.worfbench.offline import OfflinePlanner

__all__ = ["OfflinePlanner"]
