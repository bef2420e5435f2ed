"""Models that prove the way from a prompt to a verdict: the gold run, and doing nothing.

They read nothing but the form of a request: how a framework asks who is next, how it wants a tool
to be called, and what a prompt demands of an answer's form. What they do comes from the task, so
they are for checks, never for comparisons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.workbench.workflow import gold_steps
from ossia_servers.gateway.models import Completion, ModelCall, ModelFailure, completion_of
from ossia_servers.trace import task_in
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.obedience import obey
from ossia_servers.wire.turns import DONE, Turns
from ossia_workflows.workbench import AGENT, MANAGER, RESPONSE, TeamKind, members_of

GOLD, LITERAL, IDLE = "gold", "literal", "idle"
"""Their names; the second is the gold run of a player that obeys its prompt to the letter."""

_NOTHING = "Nothing had to be done."


class Player:
    """Plays every role of an office team. One instance serves one run."""

    def __init__(self, name: str, tasks: Mapping[str, WorldTask], kind: TeamKind) -> None:
        """Make a player.

        Args:
            name: `gold`, `literal` or `idle`.
            tasks: the run's tasks by id.
            kind: the team that plays.

        Raises:
            ValueError: there is no such player.
        """
        if name not in (GOLD, LITERAL, IDLE):
            raise ValueError(f"no player is called '{name}'")
        self.name = name
        self._tasks = tasks
        self._kind = kind
        self._put = obey if name == LITERAL else present
        self._turns = Turns()
        self._made: Counter[tuple[str, str, str]] = Counter()

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked.

        Raises:
            ModelFailure: the episode is none of the run's.
        """
        task = self._task(call)
        conversation = read_conversation(call.request, members_of(self._kind))
        work = self._work(task, conversation.step)
        if call.role == MANAGER:
            # Who has nothing to do is left out, but a team has to have worked before it answers.
            workers = list(work) or [self._first(task)]
            order, answer = [*workers, RESPONSE], self._report(task)
            return completion_of(
                self._turns.manage(call.episode, conversation, list(dict.fromkeys(order)), answer)
            )
        turn = (call.episode, conversation.step, call.role)
        number = self._made[turn]
        requests = work.get(call.role, ())
        if number < len(requests):
            self._made[turn] += 1
            return completion_of(self._put(conversation, (call_of(requests[number]),)))
        return completion_of(self._put(conversation, self._report(task)))

    def _first(self, task: WorldTask) -> str:
        return AGENT if self._kind is TeamKind.REACT else task.toolkits[0]

    def _task(self, call: ModelCall) -> WorldTask:
        found = self._tasks.get(task_in(call.episode) or "")
        if found is None:
            raise ModelFailure(f"no task belongs to the episode {call.episode}")
        return found

    def _work(self, task: WorldTask, step: str) -> dict[str, list[Request]]:
        """The gold requests, or those of a step, by the role that has the tools for them."""
        return {} if self.name == IDLE else gold_work(task, self._kind, step)

    def _report(self, task: WorldTask) -> str:
        return _NOTHING if self.name == IDLE else gold_report(task)


def gold_work(task: WorldTask, kind: TeamKind, step: str = "") -> dict[str, list[Request]]:
    """Return the gold requests by the role that has the tools for them; looks come first.

    Args:
        task: an office task.
        kind: the team.
        step: the step of the gold workflow whose requests alone are wanted; all where it is empty.
    """
    work: dict[str, list[Request]] = {}
    steps = dict(enumerate(gold_steps(task) if task.gold.gold_requests() else (), 1))
    chosen = steps if not step else {int(step): steps.get(int(step), [])}
    for request in chain(*chosen.values()):
        role = AGENT if kind is TeamKind.REACT else request.domain
        work.setdefault(role, []).append(request)
    return work


def gold_report(task: WorldTask) -> str:
    """Return what a role says after a gold run: that it is done, and the facts asked for."""
    if not task.gold.gold_requests():
        return _NOTHING
    return facts_report(task.gold.facts)


def facts_report(facts: Sequence[str]) -> str:
    """Return words that say that the work is done, and tell facts."""
    return f"{DONE} {', '.join(facts)}".strip()


def call_of(wanted: Request) -> Call:
    """Return the call of the tool that makes a request."""
    return Call(HTTP_TOOL, {"method": "GET", "url": wanted.url})
