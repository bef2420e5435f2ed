"""Reading a recorded action as Python would evaluate it, without running any Python.

The published evaluator hands each text to `eval` and skips what raises. A text is nearly always one
call, `email.delete_email.func(email_id="1")`. But the part before `.func` is whatever a model gave
as the name of a tool, and values are put between quotes without any escaping, so that a text may
come to mean something else. What Python would have called before it raises has been done.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ossia_evaluation.workbench.actions import (
    Action,
    ActionError,
    escaped,
    foreign,
    servable,
    signatures,
)


@dataclass(frozen=True)
class ReadActions:
    """What evaluating a text comes to."""

    actions: tuple[Action, ...]
    """The calls, in the order in which they are made."""
    error: str | None
    """Why it raises after these; None where it does not."""


def read_actions(text: str) -> ReadActions:
    """Return the calls that evaluating a recorded action makes.

    Names, calls of tools, literals, joined texts, displays and choices are evaluated; any other
    expression counts as one that raises.
    """
    evaluation = _Evaluation()
    error = None
    try:
        evaluation.value(_tree(escaped(text)))
    except ActionError as failure:
        error = str(failure)
    except RecursionError:
        error = "nested too deeply"
    return ReadActions(tuple(evaluation.actions), error)


def _tree(text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            # A backslash that escapes nothing is warned of, and stays.
            warnings.simplefilter("ignore")
            tree = ast.parse(text.lstrip(" \t"), mode="eval")
            # Some errors are only found by compiling, such as a doubled argument.
            compile(tree, "action", "eval")
            return tree.body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ActionError(f"no Python: {error}") from None


@dataclass(frozen=True)
class _Named:
    """A toolkit, a tool of one, or a tool's function: one, two or three names."""

    path: tuple[str, ...]


class _Answer:
    """What a tool has answered, which nobody reads here."""


@dataclass
class _Evaluation:
    """Evaluates one expression in Python's order, and keeps the calls that it makes."""

    actions: list[Action] = field(default_factory=list)

    def value(self, node: ast.expr) -> object:
        """Return what an expression comes to.

        Raises:
            ActionError: Python raises there, or the expression is of no known kind.
        """
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return _named((node.id,))
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                return self._call(node)
            case ast.Subscript():
                self.value(node.value)
            case ast.JoinedStr():
                if all(isinstance(part, ast.Constant) for part in node.values):
                    return "".join(str(self.value(part)) for part in node.values)
            case ast.BoolOp():
                return self._choice(node)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return self._operation(node)
            case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
                return self._display(node)
        raise ActionError("an expression that is not evaluated")

    def _attribute(self, node: ast.Attribute) -> _Named:
        base = self.value(node.value)
        if not isinstance(base, _Named):
            raise ActionError(f"nothing is called '{node.attr}' there")
        return _named((*base.path, node.attr))

    def _call(self, node: ast.Call) -> _Answer:
        called = self.value(node.func)
        if not isinstance(called, _Named) or len(called.path) != len(_PLACES):
            raise ActionError("no call of a tool's func")
        positional: list[object] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                positional.extend(_iterable(self.value(argument.value)))
            else:
                positional.append(self.value(argument))
        named: list[tuple[str, object]] = []
        for keyword in node.keywords:
            value = self.value(keyword.value)
            named += [(keyword.arg, value)] if keyword.arg is not None else _pairs(value)
        toolkit, tool, _ = called.path
        given = _bind(positional, named, signatures()[f"{toolkit}.{tool}"])
        # An argument of None is what is passed when it is left out.
        told = {name: _text(value) for name, value in given.items() if value is not None}
        self.actions.append(Action(toolkit, tool, told))
        return _Answer()

    def _choice(self, node: ast.BoolOp) -> object:
        ends_on = isinstance(node.op, ast.Or)
        value: object = None
        for operand in node.values:
            value = self.value(operand)
            if isinstance(value, _Answer):
                raise ActionError("what follows depends on what a tool answers")
            if bool(value) is ends_on:
                break
        return value

    def _operation(self, node: ast.BinOp | ast.UnaryOp | ast.Compare) -> object:
        """Work both sides out, whatever is done with them; only texts and signs come to more."""
        if isinstance(node, ast.UnaryOp):
            value = self.value(node.operand)
            if isinstance(node.op, ast.USub) and isinstance(value, (int, float, complex)):
                return -value
        elif isinstance(node, ast.Compare):
            self.value(node.left)
            self.value(node.comparators[0])
        else:
            left, right = self.value(node.left), self.value(node.right)
            if isinstance(node.op, ast.Add) and isinstance(left, str) and isinstance(right, str):
                return left + right
        raise ActionError("an operation that is not evaluated")

    def _display(self, node: ast.Tuple | ast.List | ast.Set | ast.Dict) -> object:
        if isinstance(node, ast.Dict):
            return self._mapping(node)
        items = self._items(node.elts)
        if isinstance(node, ast.Set):
            return _hashed(set, items)
        return tuple(items) if isinstance(node, ast.Tuple) else items

    def _items(self, nodes: list[ast.expr]) -> list[object]:
        if any(isinstance(node, ast.Starred) for node in nodes):
            raise ActionError("an expression that is not evaluated")
        return [self.value(node) for node in nodes]

    def _mapping(self, node: ast.Dict) -> object:
        if None in node.keys:
            raise ActionError("an expression that is not evaluated")
        keys = [key for key in node.keys if key is not None]
        pairs = [(self.value(k), self.value(v)) for k, v in zip(keys, node.values, strict=True)]
        return _hashed(dict, pairs)


_PLACES = ("toolkit", "tool", "func")


def _named(path: tuple[str, ...]) -> _Named:
    """Return a toolkit, tool or function by its names.

    Raises:
        ActionError: there is none.
    """
    told = ".".join(path)
    if len(path) == 1:
        found = any(name.partition(".")[0] == told for name in signatures())
    elif len(path) == len(_PLACES):
        found = path[-1] == _PLACES[-1]
    else:
        found = told in signatures()
    if not found:
        raise ActionError(f"no tool is called '{told}'")
    return _Named(path)


def _bind(
    positional: list[object], named: list[tuple[str, object]], signature: tuple[str, ...]
) -> dict[str, object]:
    if len(positional) > len(signature):
        raise ActionError("too many arguments")
    given = dict(zip(signature, positional, strict=False))
    for name, value in named:
        if name not in signature:
            raise ActionError(f"unknown argument {name!r}")
        if name in given:
            raise ActionError(f"the argument '{name}' is given twice")
        given[name] = value
    return given


def _text(value: object) -> str:
    if isinstance(value, str):
        return servable(value)
    # Tools ask whether an argument is there by its truth, and 0 or an empty list has none.
    return foreign(value) if value else ""


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


def _hashed(make: Callable[[list[Any]], object], items: list[Any]) -> object:
    try:
        return make(items)
    except TypeError as error:
        raise ActionError(str(error)) from None
