"""Recorded actions such as `email.delete_email.func(email_id="00000312")`, read and never run.

The published evaluator hands each text to Python and skips it silently when that raises. Here a
text is parsed, and what would raise there is told as an `ActionError`.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ossia_servers.workbench.office import toolkits

_CALL_PARTS = 3
"""Toolkit, tool and `func`."""


class ActionError(ValueError):
    """The published evaluator would skip this action, since it raises there."""


@dataclass(frozen=True)
class Action:
    """One call of a tool."""

    toolkit: str
    tool: str
    arguments: Mapping[str, str]
    """By parameter name; a value that is no text is told by `foreign`."""

    @property
    def name(self) -> str:
        """`toolkit.tool`."""
        return f"{self.toolkit}.{self.tool}"


@cache
def signatures() -> Mapping[str, tuple[str, ...]]:
    """Return the parameters of every tool in order, by `toolkit.tool`."""
    return {f"{kit.name}.{tool.name}": tool.signature for kit in toolkits() for tool in kit.tools}


@cache
def writing_tools() -> frozenset[str]:
    """Return the names of all tools that may change the state."""
    return frozenset(
        f"{kit.name}.{tool.name}" for kit in toolkits() for tool in kit.tools if tool.writes
    )


def escaped(text: str) -> str:
    """Return an action with its line breaks escaped, as the published evaluator does first.

    So they may stand inside a text, and nowhere else.
    """
    return text.replace("\n", "\\n")


def tool_name(text: str) -> str:
    """Return `toolkit.tool` as it is written before the first bracket, even in a broken text."""
    return ".".join(text.split("(", 1)[0].split(".")[:2])


def write_action(name: str, arguments: Mapping[str, str]) -> str:
    """Return a call in the recorded notation, which escapes nothing."""
    told = ", ".join(f'{key}="{value}"' for key, value in arguments.items())
    return f"{name}.func({told})"


def parse_action(text: str) -> Action:
    """Read a recorded action.

    Args:
        text: a call of a tool's `func` with literal arguments.

    Raises:
        ActionError: it is no such call, there is no such tool, or the arguments do not fit it.
    """
    call = _call(escaped(text))
    name = _callee(call.func)
    known = signatures().get(name)
    if known is None:
        raise ActionError(f"no tool is called '{name}'")
    given = _bind(call, known)
    toolkit, _, tool = name.partition(".")
    # An argument of None is what is passed when it is left out.
    return Action(toolkit, tool, {k: _text(v) for k, v in given.items() if v is not None})


def foreign(value: object) -> str:
    """Return a text that stands for a value that is no text, and equals no text of a table."""
    return f"\ue000{type(value).__name__} {value!r}"


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    # Tools ask whether an argument is there by its truth, and 0 or an empty list has none.
    return foreign(value) if value else ""


def _call(text: str) -> ast.Call:
    try:
        with warnings.catch_warnings():
            # A backslash that escapes nothing is warned of, and stays.
            warnings.simplefilter("ignore")
            tree = ast.parse(text.lstrip(" \t"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ActionError(f"no Python: {error}") from None
    if not isinstance(tree, ast.Call):
        raise ActionError("no call")
    return tree


def _callee(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise ActionError("no call of a tool")
    parts.append(node.id)
    if len(parts) != _CALL_PARTS or parts[0] != "func":
        raise ActionError("no call of a tool's func")
    return f"{parts[2]}.{parts[1]}"


def _bind(call: ast.Call, signature: tuple[str, ...]) -> dict[str, object]:
    positional: list[object] = []
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            positional.extend(_iterable(_literal(argument.value)))
        else:
            positional.append(_literal(argument))
    if len(positional) > len(signature):
        raise ActionError("too many arguments")
    given = dict(zip(signature, positional, strict=False))
    for keyword in call.keywords:
        value = _literal(keyword.value)
        pairs = [(keyword.arg, value)] if keyword.arg is not None else _pairs(value)
        for name, item in pairs:
            if name not in signature:
                raise ActionError(f"unknown argument {name!r}")
            if name in given:
                raise ActionError(f"the argument '{name}' is given twice")
            given[name] = item
    return given


def _iterable(value: object) -> list[object]:
    if not isinstance(value, (str, list, tuple, set, dict, bytes)):
        raise ActionError("unpacks what holds nothing")
    return list(value)


def _pairs(value: object) -> list[tuple[str, object]]:
    if not isinstance(value, dict):
        raise ActionError("unpacks what is no mapping")
    if not all(isinstance(key, str) for key in value):
        raise ActionError("unpacks keys that are no names")
    return list(value.items())


def _literal(node: ast.expr) -> object:
    """Return a literal's value; of operations only those that join or choose texts are known."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _literal(node.left), _literal(node.right)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
    if isinstance(node, ast.BoolOp):
        ends_on = isinstance(node.op, ast.Or)
        value: object = None
        for operand in node.values:
            value = _literal(operand)
            if bool(value) is ends_on:
                break
        return value
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise ActionError(f"an argument is no literal: {error}") from None
