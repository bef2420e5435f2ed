"""A manager whose team is told by the members' whole prompts, as AgentLite does by itself."""

from ossia_adapter_agentlite.common import AgentLiteAdapter

ADAPTER = AgentLiteAdapter(described=False)
