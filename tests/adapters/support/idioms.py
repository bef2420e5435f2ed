"""What a model answers to frameworks whose manager leads by native tool calls."""

from __future__ import annotations

from ossia_servers.gateway import ModelCall
from ossia_servers.gateway.scripted import Reply

from .stage import member_natively, plan, spoken, tool_call

GIVEN_UP = "I could not do it."


def called(call: ModelCall) -> list[str]:
    """Return the tools that were called in a request's conversation, in order."""
    uses = [use for said in call.request["messages"] for use in said.get("tool_calls") or ()]
    return [str(use["function"]["name"]) for use in uses]


def with_tools(call: ModelCall, field: str) -> Reply:
    """Answer in a team whose manager has a tool for each member, told its work in a field."""
    if call.role != "manager":
        return member_natively(call)
    utterance, done = spoken(call), called(call)
    told = [str(m["content"]) for m in call.request["messages"] if m["role"] == "tool"]
    if told and "fail" in told[-1]:
        return GIVEN_UP
    left = [role for role in plan(utterance) if role not in done]
    if not left:
        return told[-1]
    results = " ".join(f"{name} says {words}." for name, words in zip(done, told, strict=True))
    return tool_call(call, left[0], {field: f'The user says: "{utterance}" {results}'})


def handing(call: ModelCall, tool: str, words: str) -> Reply:
    """Return words with the call of a handoff tool."""
    return {**tool_call(call, tool, {}), "content": words}


def with_handoffs(call: ModelCall, prefix: str) -> Reply:
    """Answer in a team whose handoff tools are named by a prefix; members hand back."""
    if call.role != "manager":
        back = f"{prefix}manager"
        return member_natively(call, lambda words: handing(call, back, words), besides=[back])
    done = called(call)
    left = [role for role in plan(spoken(call)) if prefix + role not in done]
    return tool_call(call, prefix + left[0], {}) if left else "It is done."
