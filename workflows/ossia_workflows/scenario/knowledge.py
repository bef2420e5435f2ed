"""The forms of a scenario's workflow knowledge, all of which say the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ossia_workflows.graph import (
    GraphError,
    WorkflowGraph,
    read_code,
    read_mermaid,
    read_steps,
    write_code,
    write_mermaid,
    write_steps,
)

__all__ = ["FORMS", "Form"]


@dataclass(frozen=True, slots=True)
class Form:
    """How a graph is written, and read again from what was written."""

    write: Callable[[WorkflowGraph], str]
    read: Callable[[str], WorkflowGraph]


_SINGLE: Final[Mapping[str, Form]] = {
    "text": Form(write_steps, read_steps),
    "code": Form(write_code, read_code),
    "mermaid": Form(write_mermaid, read_mermaid),
}
_HEAD: Final = re.compile(r"^## (\w+)\n\n", re.MULTILINE)


def _write_all(graph: WorkflowGraph) -> str:
    return "\n\n".join(f"## {name}\n\n{form.write(graph)}" for name, form in _SINGLE.items())


def _read_all(text: str) -> WorkflowGraph:
    before, *parts = _HEAD.split(text)
    names = parts[::2]
    if before or names != list(_SINGLE):
        raise GraphError(f"an ensemble has the headings {', '.join(f'## {n}' for n in _SINGLE)}")
    first, *others = (
        _SINGLE[name].read(part.rstrip("\n")) for name, part in zip(names, parts[1::2], strict=True)
    )
    if any(other != first for other in others):
        raise GraphError("the forms of the ensemble do not say the same")
    return first


FORMS: Final[Mapping[str, Form]] = {**_SINGLE, "ensemble": Form(_write_all, _read_all)}
"""By name; an ensemble is all the others."""
