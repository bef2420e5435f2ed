"""A manager and members that only act: the reasoning type without an action to think."""

from ossia_adapter_agentlite.common import AgentLiteAdapter

ADAPTER = AgentLiteAdapter(described=True, reasoning="act")
