"""Single turns of sessions as tasks: what has been said and changed before is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import Said, SessionTask, TurnTask
from ossia_dataset.tasks import Request
from ossia_servers.flowbench.arguments import argument_text
from ossia_servers.flowbench.script import gold_turns
from ossia_servers.flowbench.services import gold_service
from ossia_servers.flowbench.walk import Call, walk
from ossia_workflows.scenario import Scenario

__all__ = ["turn_tasks"]


def turn_tasks(session: SessionTask, scenarios: Mapping[str, Scenario]) -> Iterator[TurnTask]:
    """Yield the turns of a session's gold run in which something is due, each as a task.

    Due is a call, a slot to ask for or a fact to tell; how a truth value is told no words say.

    Args:
        session: the session.
        scenarios: its scenarios by name.

    Raises:
        WalkError: it has no gold run, or its user does not follow it.
    """
    visits = walk(session, scenarios, gold_service(session))
    given = dict(session)
    changing = _changing(session, scenarios)
    before: list[Said] = []
    setup: list[Request] = []
    for number, turn in enumerate(gold_turns(session, scenarios, visits)):
        changed = {
            "id": f"{session.id}.turn{number}",
            "utterance": turn.user,
            "setup": tuple(setup),
            "turn": number,
            "before": tuple(before),
        }
        if turn.calls or turn.asks or any(map(_has_words, turn.tells.values())):
            # All of it is checked: the session when it was read, the rest by its types.
            yield TurnTask.model_construct(**given | changed)
        before.append(Said(user=turn.user, answer=turn.answer))
        setup += [_request(session.role, call) for call in turn.calls if call.tool in changing]


def _has_words(value: JsonValue) -> bool:
    return not isinstance(value, bool) and value not in (None, "", [], {})


def _changing(session: SessionTask, scenarios: Mapping[str, Scenario]) -> frozenset[str]:
    """The tools that change something."""
    wanted = (scenarios[wish.scenario].tools.items() for wish in session.wishes)
    return frozenset(name for tools in wanted for name, tool in tools if tool.changes)


def _request(role: str, call: Call) -> Request:
    given = {name: argument_text(value) for name, value in call.arguments.items()}
    return Request(domain=role, params={"intent": call.tool, **given})
