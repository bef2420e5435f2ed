"""What a prompt tells of a role's scenarios: their tools, and their workflows in one form.

Each section begins with a heading, so that a program finds it as a person does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final

from ossia_workflows.scenario import FORMS, Kind, Scenario, Tool

__all__ = ["Knowledge", "knowledge_text", "tools_text"]


class Knowledge(StrEnum):
    """What a team knows of the workflows, as the publication varies it."""

    NONE_WITHOUT_TOOLS = "none_without_tools"
    """Nothing, and nothing of the tools."""
    NONE = "none"
    """The tools alone."""
    TEXT = "text"
    CODE = "code"
    FLOWCHART = "flowchart"
    """Mermaid."""
    ENSEMBLE = "ensemble"
    """The three forms, one after the other."""


_FORMS: Final[Mapping[Knowledge, str]] = {
    Knowledge.TEXT: "text",
    Knowledge.CODE: "code",
    Knowledge.FLOWCHART: "mermaid",
    Knowledge.ENSEMBLE: "ensemble",
}
"""The form of `ossia_workflows.scenario.FORMS` in which each is written."""

_WORKFLOWS: Final = """\
# Workflows

Find the scenario of what the user wants, follow its workflow from START, and keep your place in it
over the whole conversation. In each step do in this order what it has:

1. `asks`: ask the user for these slots, but for those that you have been told.
2. `call`: call the tool. `$SLOT` as an argument stands for what the user told of that slot,
   `$TOOL.FIELD` for that field of the latest result of that tool.
3. `tells`: tell the user these fields of results.

Then go on with the way whose condition is met. A condition with `TOOL.FIELD` is on the latest
result of that tool. One such as `user accepts` is on what the user says next: wait for it.
`otherwise` is met where no other condition is. At the end of a workflow the user may want something
else."""

_TOOLS: Final = """\
# Tools

{call}
Dates are written as 2026-03-20, times as 17:45, truth values as true or false. The answer's
`result` holds the fields of the result; where it holds none, `msg` says what is wrong.

{tools}"""

_NO_TOOLS: Final = """\
# Tools

{call}"""

_CALL: Final = """\
A tool is called by `http_request`: method GET, the path `/{role}?intent=TOOL&...` with one query
parameter for each argument, percent-encoded."""


def tools_text(role: str, scenarios: Iterable[Scenario], knowledge: Knowledge) -> str:
    """Return the section `# Tools`: how a role's tools are called, and which there are.

    A tool has a line each for what it does, what it takes, what it gives, and whether it changes
    something.

    Args:
        role: the role, by which its service is called.
        scenarios: its scenarios.
        knowledge: what the team knows.
    """
    call = _CALL.format(role=role)
    if knowledge is Knowledge.NONE_WITHOUT_TOOLS:
        return _NO_TOOLS.format(call=call)
    tools = {name: tool for scenario in scenarios for name, tool in scenario.tools.items()}
    lines = (line for name, tool in tools.items() for line in _tool(name, tool))
    return _TOOLS.format(call=call, tools="\n".join(lines))


def knowledge_text(scenarios: Iterable[Scenario], knowledge: Knowledge) -> str:
    """Return the section `# Workflows`, empty where the team knows none.

    Below it each scenario has a heading `## Scenario: NAME`, what it is for, its slots, a line
    each, and its workflow between a line of three backticks with the form's name in
    `ossia_workflows.scenario.FORMS` and one of three backticks alone.

    Args:
        scenarios: the scenarios.
        knowledge: what the team knows.
    """
    form = _FORMS.get(knowledge)
    if form is None:
        return ""
    return "\n\n".join((_WORKFLOWS, *(_scenario(scenario, form) for scenario in scenarios)))


def _scenario(scenario: Scenario, form: str) -> str:
    slots = [
        f"- `{name}` ({_kind(slot.type)}): {slot.about}" for name, slot in scenario.slots.items()
    ]
    told = "Slots, which only the user knows:\n\n" + "\n".join(slots) + "\n\n" if slots else ""
    written = FORMS[form].write(scenario.graph)
    return f"## Scenario: {scenario.name}\n\n{scenario.about}\n\n{told}```{form}\n{written}\n```"


def _tool(name: str, tool: Tool) -> Iterator[str]:
    yield f"- `{name}`: {tool.about}"
    if tool.parameters:
        yield f"  - takes {_fields(tool.parameters, tool.optional)}"
    yield f"  - gives {_fields(tool.gives)}"
    if tool.changes:
        yield "  - changes something"


def _fields(kinds: Mapping[str, Kind], optional: Iterable[str] = ()) -> str:
    left_out = frozenset(optional)
    return ", ".join(
        f"`{name}` ({_kind(kind)}{'; may be left out' if name in left_out else ''})"
        for name, kind in kinds.items()
    )


def _kind(kind: Kind) -> str:
    return kind if isinstance(kind, str) else f"one of {', '.join(kind)}"
