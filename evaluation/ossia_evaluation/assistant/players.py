"""The models that prove the assistant's teams: they play every role by the task's gold run.

They read nothing but the form of a request: how a framework asks who is next, how it wants a tool
to be called, and what a prompt demands of an answer's form. What they say comes from the task, so
they are for checks, never for comparisons.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.worlds.gold import GoldRunner
from ossia_evaluation.worlds.proof import faithful_reply
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.gateway.models import Completion, ModelCall, ModelFailure, completion_of
from ossia_servers.trace import task_in
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.conversation import Conversation, read_conversation
from ossia_servers.wire.envelope import present, tool_answers
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.obedience import obey
from ossia_servers.wire.turns import DONE, Turns
from ossia_workflows.assistant import NOTHING_LEFT, stages

GOLD, LITERAL = "gold", "literal"
"""Its names: it answers in every envelope, or obeys its prompt to the letter."""

_RESPONSE = "response"
_NOTHING_LEFT = {"domain": NOTHING_LEFT, "intent": NOTHING_LEFT, "slots": {}}


class GoldPlayer:
    """Plays every role of the assistant's teams. One instance serves one run."""

    def __init__(self, name: str, tasks: Mapping[str, WorldTask]) -> None:
        """Make a player.

        Args:
            name: `gold` or `literal`.
            tasks: the run's tasks by id.
        """
        self.name = name
        self._tasks = tasks
        self._put = obey if name == LITERAL else present
        self._runner = GoldRunner(load_domains())
        self._turns = Turns()
        self._ended: Counter[tuple[str, str, str]] = Counter()
        self._made: Counter[tuple[str, str]] = Counter()

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked.

        Raises:
            ModelFailure: the episode is none of the run's.
        """
        task = self._tasks.get(task_in(call.episode) or "")
        if task is None:
            raise ModelFailure(f"no task belongs to the episode {call.episode}")
        asked = read_conversation(call.request, MEMBERS)
        if call.role == MANAGER:
            reply = faithful_reply(self._runner.gold(task))
            order = [role for role, _ in gold_turns(task, asked.step)]
            return completion_of(self._turns.manage(call.episode, asked, order, reply))
        return completion_of(self._put(asked, self._worked(call, task, asked)))

    def _worked(
        self, call: ModelCall, task: WorldTask, asked: Conversation
    ) -> str | Sequence[Call]:
        """Return what a member says in its turn, or the call that it makes first."""
        parts = [part for role, part in gold_turns(task, asked.step) if role == call.role]
        run = (call.episode, asked.step)
        turn = self._ended[*run, call.role]
        part = parts[turn] if turn < len(parts) else None
        if call.role == "request" and part is not None:
            requests, made = part.gold.gold_requests(), self._made[run]
            if made < len(requests):
                self._made[run] += 1
                return (_call_of(requests[made]),)
            self._made[run] = 0
        self._ended[*run, call.role] += 1
        if call.role == _RESPONSE:
            return faithful_reply(self._runner.gold(task))
        return _said(call.role, part, asked)


def gold_turns(task: WorldTask, step: str = "") -> tuple[tuple[str, WorldTask | None], ...]:
    """Return the turns of a correct run: the roles in order, each with the part that it works on.

    The turns that end a compound task's rounds work on none.

    Args:
        task: the task.
        step: the step of the gold workflow that alone is done, whose last one is to tell the
            user; the whole task where it is empty.
    """
    if step:
        return _turns_of_step(task, int(step) - 1)
    turns: list[tuple[str, WorldTask | None]] = []
    due = task.due()
    for part in due:
        roles = stages(part.gold.domain, part.gold.slots)
        turns += [(role, part) for role in roles if role != _RESPONSE]
    if task.gold.parts and due[-1].gold.kind is not GoldKind.CHAT:
        turns.append(("intent", None))
    return (*turns, (_RESPONSE, None))


def _turns_of_step(task: WorldTask, place: int) -> tuple[tuple[str, WorldTask | None], ...]:
    if place >= len(task.gold.parts):
        return ((_RESPONSE, None),)
    part = task.gold.parts[place]
    if not part.due or part.is_chat:
        # Somebody has to have worked before a team has done.
        return (("intent", None),)
    alone = task.model_copy(update={"gold": part.gold()})
    roles = stages(part.domain, part.slots)
    return tuple((role, alone) for role in roles if role != _RESPONSE)


def _said(role: str, part: WorldTask | None, asked: Conversation) -> str:
    if role == "request":
        answers = tool_answers(asked)
        return answers[-1].strip() if answers else DONE
    if part is None:
        return json.dumps(_NOTHING_LEFT) if role == "intent" else DONE
    gold = part.gold
    told: Mapping[str, Mapping[str, object]] = {
        "intent": {"domain": gold.domain, "intent": gold.intent, "slots": gold.slots},
        "time": {"time_slots": gold.time},
        "location": {"place_slots": gold.place},
        "url": {"url": next((each.url for each in gold.gold_requests()), "")},
    }
    return json.dumps(told[role], ensure_ascii=False) if role in told else DONE


def _call_of(request: Request) -> Call:
    return Call(HTTP_TOOL, {"method": "GET", "url": request.url})
