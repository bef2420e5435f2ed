"""The parts that the members of FlowBench's teams play, whoever decides what comes next."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

from ossia_servers.flowbench.reports import (
    Outcome,
    Wanted,
    events,
    outcomes,
    plan_text,
    report_text,
    request_of,
)
from ossia_servers.gateway.models import Completion, ModelCall, completion_of
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.conversation import Conversation, read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.names import user_says
from ossia_servers.wire.protocols import protocol_of
from ossia_servers.wire.routing import present_choice
from ossia_servers.wire.talk import TalkTurn, read_talk
from ossia_servers.wire.turns import staffing
from ossia_workflows.flowbench import CALLER, DIALOGUE, MANAGER, PLANNER, TeamKind, members_of

__all__ = ["Decide", "Parts", "call_as_planned", "lead", "service_in", "words_as_planned"]

_MOST_PLANS: Final = 12
_ROUNDS: Final = 3
"""So many calls are provided for where a turn's work is planned before it begins."""

_SERVICE: Final = re.compile(r"the path `/(\w+)\?intent=TOOL")
_NO_CALL: Final = "No call is needed."
_NO_PLAN: Final = "I am sorry, I cannot go on at the moment."

Decide: TypeAlias = Callable[[ModelCall, str, Sequence[TalkTurn]], Wanted]
"""Says what comes next, from a call, its prompt and the conversation as it shows it."""


class Parts:
    """Plays all roles of a team; it keeps nothing, so that a request alone decides its answer."""

    def __init__(self, kind: TeamKind, decide: Decide, retries: int = 0) -> None:
        """Set up.

        Args:
            kind: the team that plays.
            decide: says what comes next, where the agent or the planner is asked.
            retries: how often the planner is asked again whose plan cannot be read.
        """
        self._retries = retries
        self._members = members_of(kind)
        self._decide = decide

    def play(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked."""
        asked = read_conversation(call.request, self._members)
        talk = read_talk(asked)
        prompt = asked.messages[0].text if asked.messages else ""
        if call.role == MANAGER:
            return completion_of(lead(asked, talk, self._members, retries=self._retries))
        if call.role == CALLER:
            return completion_of(present(asked, call_as_planned(asked, talk, service_in(prompt))))
        if call.role == DIALOGUE:
            return completion_of(present(asked, words_as_planned(talk)))
        wanted = self._decide(call, prompt, talk)
        if call.role == PLANNER:
            return completion_of(present(asked, plan_text(wanted)))
        if wanted.tool:
            made = request_of(service_in(prompt), wanted.tool, wanted.arguments)
            return completion_of(present(asked, (made,)))
        return completion_of(present(asked, wanted.words or _NO_PLAN))


def service_in(prompt: str) -> str:
    """The name of the service, which the prompt gives with the way to call its tools."""
    found = _SERVICE.search(prompt)
    return "" if found is None else found[1]


def lead(
    asked: Conversation,
    talk: Sequence[TalkTurn],
    members: Sequence[str],
    skipped: Collection[str] = (),
    retries: int = 0,
) -> dict[str, Any]:
    """Let the planner work, and the caller where it names a call, until the user is told.

    Args:
        asked: what the manager is asked.
        talk: the conversation as it shows it.
        members: the members of the team.
        skipped: those that are passed over.
        retries: how often the planner is asked again whose plan cannot be read.
    """
    order = (*(PLANNER, CALLER) * _ROUNDS, PLANNER, DIALOGUE)
    staffed = staffing(asked, [role for role in order if role not in skipped])
    if staffed is not None:
        return staffed
    turn = talk[-1] if talk else TalkTurn("")
    last = turn.spoke[-1] if turn.spoke else ""
    planned = next((each for each in reversed(events(turn)) if isinstance(each, Wanted)), Wanted())
    choice: str | None = PLANNER
    if last == DIALOGUE:
        choice = None
    elif last == PLANNER and _is_again_due(turn, retries):
        choice = PLANNER
    elif last == PLANNER:
        choice = CALLER if planned.tool else DIALOGUE
    elif turn.spoke.count(PLANNER) > _MOST_PLANS:
        choice = DIALOGUE
    if choice == CALLER and choice in skipped:
        choice = PLANNER
    if choice == PLANNER and choice in skipped:
        choice = DIALOGUE
    if choice == DIALOGUE and choice in skipped:
        choice = None
    return present_choice(asked, choice, task=_handover(talk), answer=planned.words or _NO_PLAN)


def _is_again_due(turn: TalkTurn, retries: int) -> bool:
    """Whether the planner's last words are no plan, and it may be asked again."""
    told = events(turn)
    attempts = next((at for at, who in enumerate(reversed(turn.spoke)) if who != PLANNER), None)
    times = len(turn.spoke) if attempts is None else attempts
    return times <= retries and not (told and isinstance(told[-1], Wanted))


def _handover(talk: Sequence[TalkTurn]) -> str:
    """The conversation as a task tells it, with what planner and caller have said in this turn."""
    lines = []
    for turn in talk[:-1]:
        lines.append(f"The user said: {json.dumps(turn.user, ensure_ascii=False)}")
        answer = turn.texts[-1] if turn.texts else ""
        lines.append(f"You answered: {json.dumps(answer, ensure_ascii=False)}")
    for turn in talk[-1:]:
        lines.append(user_says(turn.user))
        for each in events(turn):
            lines.append(report_text(each) if isinstance(each, Outcome) else _next_line(each))
    return "\n".join(lines)


def _next_line(wanted: Wanted) -> str:
    return plan_text(wanted).rpartition("\n")[2]


def call_as_planned(
    asked: Conversation, talk: Sequence[TalkTurn], service: str
) -> str | tuple[Call, ...]:
    """The call that the planner has named last, or the report of it where it has been made."""
    turn = talk[-1] if talk else TalkTurn("")
    said = events(turn)
    planned = said[-1] if said else None
    if not isinstance(planned, Wanted) or not planned.tool:
        return _NO_CALL
    wanted = request_of(service, planned.tool, planned.arguments)
    places = [at for at, text in enumerate(turn.texts) if "next: call" in text]
    behind = turn.texts[places[-1] + 1 :] if places else []
    for made in reversed(turn.calls):
        own = protocol_of(asked) is not None or made.answer in behind
        if made.tool == HTTP_TOOL and made.arguments.get("url") == wanted.arguments["url"] and own:
            done = outcomes(TalkTurn("", calls=[made]))
            return report_text(done[0]) if done else _NO_CALL
    return (wanted,)


def words_as_planned(talk: Sequence[TalkTurn]) -> str:
    """What the planner has named last for the user."""
    said = reversed(events(talk[-1])) if talk else iter(())
    return next((each.words for each in said if isinstance(each, Wanted) and each.words), _NO_PLAN)
