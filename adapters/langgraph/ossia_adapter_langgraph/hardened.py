"""The router with what LangGraph has against failures: nodes are tried again, tool errors told."""

from __future__ import annotations

from functools import lru_cache

from langchain.agents.middleware import ToolRetryMiddleware
from langgraph.types import RetryPolicy

from ossia_adapter import Limits, Team
from ossia_adapter_langgraph.common import LangGraphAdapter
from ossia_adapter_langgraph.router import routed
from ossia_adapter_langgraph.talk import Graph

# Its own `retry_on` leaves out what a malformed answer raises, such as ValidationError.
RETRY = RetryPolicy(initial_interval=0.1, jitter=False, retry_on=Exception)


@lru_cache(maxsize=8)
def build_graph(team: Team, limits: Limits, url: str) -> tuple[Graph, int]:
    """Build the router's graph: each node has three attempts, and agents hear of tool errors."""
    return routed(team, limits, url, RETRY, [ToolRetryMiddleware(initial_delay=0.1, jitter=False)])


ADAPTER = LangGraphAdapter(build_graph)
