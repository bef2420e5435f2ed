"""What plays FlowBench without a model: it reads the prompt and the conversation, nothing else."""

from ossia_servers.flowbench.offline.player import OfflineAgent

__all__ = ["OfflineAgent"]
