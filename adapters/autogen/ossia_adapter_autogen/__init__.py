"""The team in AutoGen: as a SelectorGroupChat, with AgentTools, as a Swarm, as Magentic-One."""

from ossia_adapter_autogen.selector import ADAPTER

__all__ = ["ADAPTER"]
