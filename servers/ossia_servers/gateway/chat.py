"""The wire format of chat completions: reading requests, writing answers and errors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from ossia_servers.gateway.estimates import message_text
from ossia_servers.gateway.models import Completion
from ossia_servers.gateway.records import Usage
from ossia_servers.http.guard import Fault

_ROLE = re.compile(r"ossia-([A-Za-z0-9][A-Za-z0-9_.-]*)")
_NOT_FORCED = frozenset(
    {"messages", "tools", "response_format", "model", "stream", "stream_options"}
)

# JSON writers give up at 254 levels; a request that deep could be answered but not recorded.
_MOST_LEVELS = 200


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a request says, as far as it could be read.

    Attributes:
        body: The JSON object without keys; empty if there was none.
        model: The model's name as requested; empty if there was none.
        role: The role in that name; empty if there was none.
        streamed: Whether the answer shall be a stream.
        with_usage: Whether the stream shall end with the tokens.
        fault: What is wrong with the request, in one sentence, or None.
    """

    body: dict[str, Any]
    model: str = ""
    role: str = ""
    streamed: bool = False
    with_usage: bool = False
    fault: str | None = None


def read_request(raw: bytes) -> ChatRequest:
    """Read the body of a chat completion request.

    Args:
        raw: The body as received.

    Returns:
        The request; a malformed one says what its fault is.
    """
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        return ChatRequest({}, fault=f"The body is not JSON: {error}.")
    if not isinstance(body, dict):
        return ChatRequest({}, fault="The body is not a JSON object.")
    if raw.count(b"[") + raw.count(b"{") > _MOST_LEVELS and is_deep(body):
        return ChatRequest({}, fault=f"The body is nested deeper than {_MOST_LEVELS} levels.")
    body.pop("api_key", None)
    model = body.get("model")
    found = _ROLE.fullmatch(model) if isinstance(model, str) else None
    options = body.get("stream_options")
    return ChatRequest(
        body=body,
        model=model if isinstance(model, str) else "",
        role=found[1] if found else "",
        streamed=body.get("stream") is True,
        with_usage=isinstance(options, dict) and options.get("include_usage") is True,
        fault=_fault(body) if found else "The model must be named ossia-ROLE.",
    )


def within(request: ChatRequest, roles: Collection[str] | None) -> ChatRequest:
    """Return a request as it stands for an account that only some roles may ask with.

    Args:
        request: The request.
        roles: Those roles; None for any.

    Returns:
        The request; one of another role says that this is its fault.
    """
    if request.fault is not None or roles is None or request.role in roles:
        return request
    named = ", ".join(f"ossia-{role}" for role in roles)
    return replace(request, fault=f"This episode has no model {request.model}; it has: {named}.")


def forced_parameters(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a framework set beyond what every request carries.

    Args:
        body: The body of a request.

    Returns:
        Such as `temperature`, `max_tokens`, `tool_choice` and `stop`.
    """
    return {name: value for name, value in body.items() if name not in _NOT_FORCED}


def answer_body(identity: str, model: str, completion: Completion, usage: Usage | None) -> bytes:
    """Write a plain answer.

    Args:
        identity: The answer's id.
        model: The model's name as requested.
        completion: The answer.
        usage: Its tokens, if known.

    Returns:
        The JSON body.
    """
    body: dict[str, Any] = {
        "id": identity,
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": completion.message,
                "logprobs": None,
                "finish_reason": completion.finish_reason,
            }
        ],
    }
    if usage is not None:
        body["usage"] = _usage_body(usage)
    return orjson.dumps(body)


def stream_body(
    identity: str, model: str, completion: Completion, usage: Usage | None, *, with_usage: bool
) -> bytes:
    """Write an answer as server-sent events.

    Args:
        identity: The answer's id.
        model: The model's name as requested.
        completion: The answer.
        usage: Its tokens, if known.
        with_usage: Whether a last chunk with the tokens was asked for.

    Returns:
        All events.
    """
    head = {"id": identity, "object": "chat.completion.chunk", "created": 0, "model": model}
    # As in the original interface, every chunk names usage where it was asked for.
    tail: dict[str, Any] = {"usage": None} if with_usage else {}
    events: list[dict[str, Any]] = [
        {
            **head,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}],
            **tail,
        }
        for delta, reason in _deltas(completion)
    ]
    if with_usage:
        events.append({**head, "choices": [], "usage": _usage_body(usage) if usage else None})
    lines = [b"data: " + orjson.dumps(event) + b"\n\n" for event in events]
    return b"".join([*lines, b"data: [DONE]\n\n"])


def error_body(message: str, kind: str, code: str) -> bytes:
    """Write an error.

    Args:
        message: One sentence.
        kind: The error's type, such as `ossia_budget`.
        code: What exactly, such as `calls`.

    Returns:
        The JSON body.
    """
    return orjson.dumps({"error": {"message": message, "type": kind, "code": code}})


def fault_body(fault: Fault) -> bytes:
    """Write why a request was refused before anybody looked at its key."""
    return error_body(fault.message, "invalid_request_error", fault.code.lower())


def models_body(roles: tuple[str, ...]) -> bytes:
    """Write the list of models.

    Args:
        roles: The roles to list.

    Returns:
        The JSON body.
    """
    return orjson.dumps({"object": "list", "data": [model_entry(role) for role in roles]})


def model_entry(role: str) -> dict[str, Any]:
    """Return the entry of a role's model in the list of models."""
    return {"id": f"ossia-{role}", "object": "model", "created": 0, "owned_by": "ossia"}


def is_deep(body: Any) -> bool:
    """Say whether a JSON value is nested deeper than can be recorded."""
    # A bare number or truth value has no levels.
    level, here = 0, [body] if isinstance(body, dict | list) else []
    while here:
        level += 1
        if level > _MOST_LEVELS:
            return True
        here = [
            inner
            for value in here
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, dict | list)
        ]
    return False


def _fault(body: Mapping[str, Any]) -> str | None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "messages must be a list with at least one message."
    for number, message in enumerate(messages):
        fault = _message_fault(message)
        if fault:
            return f"messages[{number}] {fault}."
    tools = body.get("tools")
    if tools is not None and not (
        isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools)
    ):
        return "tools must be a list of objects."
    return _parameter_fault(body)


def _message_fault(message: Any) -> str | None:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        return "must be an object with a role"
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        if not isinstance(content, list):
            return "has a content that is neither text nor a list of parts"
        if not all(isinstance(part, dict) for part in content):
            return "has a content part that is not an object"
    calls = message.get("tool_calls")
    if calls is not None and not (
        isinstance(calls, list) and all(isinstance(call, dict) for call in calls)
    ):
        return "has tool_calls that are not a list of objects"
    return None


def _parameter_fault(body: Mapping[str, Any]) -> str | None:
    form = body.get("response_format")
    if form is not None and not (isinstance(form, dict) and isinstance(form.get("type"), str)):
        return "response_format must be an object with a type."
    if not isinstance(body.get("tool_choice"), str | dict | None):
        return "tool_choice must be a text or an object."
    if not isinstance(body.get("stream"), bool | None):
        return "stream must be true or false."
    if body.get("n") not in (None, 1):
        return "n must be 1: one answer is made for each request."
    return None


def _usage_body(usage: Usage) -> dict[str, Any]:
    body: dict[str, Any] = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
    if usage.cached_tokens:
        body["prompt_tokens_details"] = {"cached_tokens": usage.cached_tokens}
    return body


def _deltas(completion: Completion) -> Iterator[tuple[dict[str, Any], str | None]]:
    message = completion.message
    rest = {k: v for k, v in message.items() if k not in ("role", "content", "tool_calls")}
    empty = None if message.get("content") is None else ""
    yield {"role": "assistant", "content": empty, **rest}, None
    text = message_text(message)
    if text:
        yield {"content": text}, None
    for index, call in enumerate(message.get("tool_calls") or ()):
        # Name first and arguments after, in two chunks, as clients that put them together expect.
        function = call.get("function") or {}
        opened = {**call, "index": index, "function": {**function, "arguments": ""}}
        yield {"tool_calls": [opened]}, None
        arguments = {"arguments": function.get("arguments", "")}
        yield {"tool_calls": [{"index": index, "function": arguments}]}, None
    yield {}, completion.finish_reason
