"""What plays FlowBench without a model: it reads the prompt and the conversation, nothing else."""

from dataclasses import replace

from ossia_servers.flowbench.offline.player import OfflineAgent
from ossia_servers.gateway.models import Model
from ossia_servers.gateway.specification import ModelSpec
from ossia_workflows.flowbench import TeamKind

__all__ = ["OfflineAgent", "open_offline"]


def open_offline(kind: TeamKind, spec: ModelSpec) -> Model:
    """Return the offline model that plays a team.

    Raises:
        ValueError: options are asked for, of which it has its policy alone.
    """
    if str(replace(spec, policy=None)) != OfflineAgent.name:
        raise ValueError(f"the offline agent has no option but its policy, and {spec} names others")
    return OfflineAgent(kind, spec.policy)
