"""Where a suite of FlowBench gets its sessions from, and what it makes of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.flowbench.sessions import SUITE, SessionTask, TurnTask
from ossia_dataset.tasks import TaskError
from ossia_servers.flowbench.flaws import session_flaws
from ossia_servers.flowbench.llm_user import LlmUser
from ossia_servers.flowbench.services import gold_service, role_domains
from ossia_servers.flowbench.turns import turn_tasks
from ossia_servers.flowbench.user import AgendaUser
from ossia_servers.flowbench.walk import Visit, WalkError, walk
from ossia_servers.gateway import Ask
from ossia_servers.trace import UserTurn
from ossia_servers.worlds.domain import Domain
from ossia_workflows.flowbench import Knowledge, role_scenarios

__all__ = [
    "gold_run",
    "in_forms",
    "load_sessions",
    "load_turns",
    "model_user",
    "session_domains",
    "session_user",
    "turns_before",
]


@cache
def load_sessions(source: str) -> tuple[SessionTask, ...]:
    """Load sessions from a built-in set, or a file or folder.

    Raises:
        TaskError: the source cannot be read, or a session of a file does not fit its scenarios;
            the message says which line.
    """
    return load_set(source, builtin_folder(SUITE), SessionTask, _check)


def _check(task: SessionTask) -> None:
    for flaw in session_flaws(task, role_scenarios(task.role)):
        raise TaskError(f"{task.id}: {flaw}")
    try:
        gold_run(task)
    except WalkError as error:
        raise TaskError(f"{task.id}: {error}") from None


@cache
def load_turns(source: str) -> tuple[TurnTask, ...]:
    """Load sessions as single turns, each with the gold run before it.

    Raises:
        TaskError: as for `load_sessions`, or a session has no gold run.
    """
    try:
        return tuple(
            task
            for session in load_sessions(source)
            for task in turn_tasks(session, role_scenarios(session.role))
        )
    except WalkError as error:
        raise TaskError(str(error)) from None


def session_domains(source: str) -> tuple[Domain, ...]:
    """Return the services, which know the sessions of a source."""
    return role_domains(load_sessions(source))


def in_forms(tasks: Sequence[SessionTask], forms: Sequence[str]) -> Sequence[SessionTask]:
    """Return each task once in each form of knowledge.

    Raises:
        ValueError: there is no such form.
    """
    for form in forms:
        if form not in {*Knowledge}:
            raise ValueError(f"there is no form '{form}'; there are {', '.join(Knowledge)}")
    return [
        task.model_copy(update={"id": f"{task.id}.{form}", "knowledge": form})
        for task in tasks
        for form in forms
    ]


_WALKED: Final[dict[str, tuple[SessionTask, Sequence[Visit]]]] = {}
"""User, grader and attribution ask for the same gold runs, by the session's id."""


def gold_run(task: SessionTask) -> Sequence[Visit]:
    """Return the gold run of a session, which is walked once.

    Raises:
        WalkError: it has none.
    """
    known = _WALKED.get(task.id)
    if known is None or (known[0] is not task and known[0] != task):
        visits = walk(task, role_scenarios(task.role), gold_service(task))
        known = _WALKED[task.id] = task, visits
    return known[1]


def session_user(task: SessionTask, domains: Sequence[Domain]) -> AgendaUser:
    """Return the scripted user of a session."""
    return AgendaUser(task, role_scenarios(task.role), gold_run(task))


def model_user(task: SessionTask, domains: Sequence[Domain], ask: Ask) -> LlmUser:
    """Return the user of a session for whom a model speaks."""
    return LlmUser(task, role_scenarios(task.role), gold_run(task), ask)


def turns_before(task: SessionTask) -> Sequence[UserTurn]:
    """Return the turns before a single turn; of a whole session there are none."""
    before = task.before if isinstance(task, TurnTask) else ()
    return [UserTurn(user=turn.user, answer=turn.answer) for turn in before]
