"""Code agents: each answer is a block of Python, and the last one calls `final_answer`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.protocols.executed import Executed

_END = "final_answer"
_DEFINED = re.compile(r"^\s*(?:async )?def (\w+)\((.*)", re.MULTILINE)
_BLOCK = re.compile(r"<code>\s*(.*?)\s*</code>|```(?:python|py)?\s*\n(.*?)```", re.DOTALL)
_PRINTED = re.compile(
    r"Execution logs:\s*\n(.*?)(?=^Last output from code snippet:|\Z)", re.MULTILINE | re.DOTALL
)
_REPORT = re.compile(
    r"\A(?:Here is the final answer from your managed agent '[^']*':)\s*", re.DOTALL
)
_TASK = frozenset(("task", "query", "request", "message"))


def applies(conversation: Conversation) -> bool:
    """Say whether the request follows this protocol."""
    if not conversation.messages or conversation.tools:
        return False
    text = conversation.messages[0].text
    return f"{_END}(" in text and ("<code>" in text or "```py" in text)


def offered(conversation: Conversation) -> list[str]:
    """Return the names of the functions that the prompt defines, tools and agents alike."""
    names = (name for name, _ in _DEFINED.findall(conversation.messages[0].text))
    return [name for name in dict.fromkeys(names) if name != _END]


def executed(conversation: Conversation) -> list[Executed]:
    """Return the functions that were called so far, with what each block printed."""
    found = []
    for message, after in zip(conversation.messages, conversation.messages[1:], strict=False):
        call = read_call(message.text) if message.role == "assistant" else None
        # Some frameworks say the call once more before its output.
        printed = _PRINTED.search(after.text)
        if call is not None and printed is not None:
            found.append(Executed(call[0], _REPORT.sub("", printed.group(1).strip()), call[1]))
    return found


def call_text(conversation: Conversation, name: str, arguments: Mapping[str, Any]) -> str:
    """Return the block that calls a function and prints what it gives."""
    given = ", ".join(f"{field}={value!r}" for field, value in arguments.items())
    return _block(f"print({name}({given}))")


def hand_text(conversation: Conversation, name: str, task: str) -> str:
    """Return the block that gives an agent a task."""
    return call_text(conversation, name, {_task_field(conversation, name): task})


def finish_text(conversation: Conversation, text: str) -> str:
    """Return the block that ends the turn with a text."""
    return _block(f"{_END}({text!r})")


def read_call(content: str) -> tuple[str, dict[str, Any]] | None:
    """Return name and keyword arguments of the first function that a content calls; else None.

    Args:
        content: What a model wrote.
    """
    calls = _calls(content)
    found = next(((name, given) for name, given in calls if name not in ("print", _END)), None)
    return None if any(name == _END for name, _ in calls) else found


def is_end(content: str) -> bool:
    """Say whether a content ends the turn."""
    return any(name == _END for name, _ in _calls(content))


def _calls(content: str) -> list[tuple[str, dict[str, Any]]]:
    """All calls of the code in a content; code that cannot be parsed has none."""
    code = "\n".join(one or other for one, other in _BLOCK.findall(content))
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        (node.func.id, dict(_keywords(node)))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]


def _keywords(node: ast.Call) -> Iterator[tuple[str, Any]]:
    for keyword in node.keywords:
        if keyword.arg is not None and isinstance(keyword.value, ast.Constant):
            yield keyword.arg, keyword.value.value


def _task_field(conversation: Conversation, name: str) -> str:
    """The parameter of an agent's function that takes the task."""
    for defined, parameters in _DEFINED.findall(conversation.messages[0].text):
        if defined == name:
            fields = re.findall(r"(\w+)\s*:", parameters)
            known = [field for field in fields if field in _TASK]
            return str([*known, *fields, "task"][0])
    return "task"


def _block(code: str) -> str:
    return f"Thought: I know what to do next.\n<code>\n{code}\n</code>"
