"""One turn of a graph, and what it said."""

from __future__ import annotations

from typing import Any, TypeAlias

from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from ossia_adapter import Episode

Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]


async def converse(
    graph: Graph, episode: Episode, task: str, settings: RunnableConfig
) -> list[AnyMessage]:
    """Run a graph for one turn of the user's, on the conversation's thread; return its messages."""
    if episode.memory is not None:
        saver = episode.memory.setdefault("saver", InMemorySaver())
        graph = graph.builder.compile(checkpointer=saver)
        settings["configurable"] = {"thread_id": episode.id}
    state = await graph.ainvoke({"messages": [HumanMessage(task)]}, settings)
    # Only the user's own words have no name.
    asked = [n for n, one in enumerate(state["messages"]) if one.type == "human" and not one.name]
    return list(state["messages"][asked[-1] + 1 :])


def answer_text(spoken: list[AnyMessage], final: str | None) -> str:
    """Return the final role's last words, else those of whoever spoke last, else nothing."""
    by_final = [message for message in spoken if message.name == final]
    return str((by_final or spoken)[-1].text) if spoken else ""
