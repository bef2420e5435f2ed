"""What plays the suites of WorFBench without a model: a planner that reads the prompt alone."""

from ossia_servers.worfbench.offline import OfflinePlanner, open_planner

__all__ = ["OfflinePlanner", "open_planner"]
