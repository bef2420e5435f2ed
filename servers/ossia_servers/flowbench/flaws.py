"""What in a session does not fit the scenarios of its role, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ossia_dataset.flowbench.sessions import Answer, SessionTask, Wish
from ossia_workflows.flowbench import Knowledge
from ossia_workflows.scenario import Act, Scenario, Tool
from ossia_workflows.scenario.model import fits_value

__all__ = ["session_flaws"]


def session_flaws(task: SessionTask, scenarios: Mapping[str, Scenario]) -> Iterator[str]:
    """Yield what names or values a session has that its scenarios have not.

    Args:
        task: the session.
        scenarios: the scenarios of its role, by name.
    """
    if task.knowledge not in {*Knowledge}:
        yield f"there is no form of knowledge '{task.knowledge}'"
    for wish in task.wishes:
        if wish.scenario in scenarios:
            yield from _of_wish(wish, scenarios[wish.scenario])
        else:
            yield f"{task.role} has no scenario '{wish.scenario}'"
    for aside in task.asides:
        if aside.turn >= task.most_turns:
            yield f"an aside is in turn {aside.turn}, and there are {task.most_turns} at most"
    tools = {name: tool for each in scenarios.values() for name, tool in each.tools.items()}
    for answer in task.answers:
        if answer.tool in tools:
            yield from _of_answer(answer, tools[answer.tool])
        else:
            yield f"{task.role} has no tool '{answer.tool}', which gives an answer"


def _of_wish(wish: Wish, scenario: Scenario) -> Iterator[str]:
    given = [wish.slots, *(move.slots for move in wish.moves)]
    for slot, value in ((slot, value) for slots in given for slot, value in slots.items()):
        if slot not in scenario.slots:
            yield f"{wish.scenario} has no slot '{slot}'"
        elif not fits_value(value, scenario.slots[slot].type):
            yield f"the slot {slot} of {wish.scenario} cannot be {value!r}"
    for slot in wish.told:
        if slot not in wish.slots:
            yield f"{wish.scenario} has no value of the slot '{slot}', which is told"
    for move in wish.moves:
        if move.step not in scenario.steps:
            yield f"{wish.scenario} has no step '{move.step}', at which the user {move.act}"
        if move.act not in {*Act}:
            yield f"'{move.act}' at {move.step} is no act; acts are {', '.join(Act)}"


def _of_answer(answer: Answer, tool: Tool) -> Iterator[str]:
    for name, value in answer.result.items():
        if name not in tool.gives:
            yield f"{answer.tool} gives no '{name}'"
        elif not fits_value(value, tool.gives[name]):
            yield f"{name} of {answer.tool} cannot be {value!r}"
