"""A manager whose team is told by the members' descriptions, as to every other manager."""

from ossia_adapter_agentlite.common import AgentLiteAdapter

ADAPTER = AgentLiteAdapter(described=True)
