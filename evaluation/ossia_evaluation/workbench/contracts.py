"""What the roles of an office team owe: the gold actions of their tools that are still to do.

Words between these roles are free, so a contract speaks of actions and of facts alone. A specialist
owes the gold actions of its toolkit that nobody has done yet, and no other change; where a question
was asked, its facts as well. The manager owes a turn to whoever has gold actions. The response owes
words, and the facts that were reported to it.

That is sound as long as nobody's actions rest on what another role has found out. With several
specialists they may, and a report has no gold: whoever acts on a wrong one would be named in the
place of its author. So a task has contracts where one role does all the work.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.attribution import Finding, RecordedStep, Recording, Turns
from ossia_evaluation.attribution.cuts import read_cuts
from ossia_evaluation.attribution.findings import last_text, says_something
from ossia_evaluation.attribution.received import ROUTE, Received
from ossia_evaluation.attribution.recording import recorded_step
from ossia_evaluation.urls import read_url
from ossia_evaluation.workbench.actions import writing_tools
from ossia_evaluation.workbench.answers import Telling, judge_answer
from ossia_evaluation.workbench.players import gold_work
from ossia_servers.trace import Trace
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.calls import HTTP_TOOL
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.routing import FINISH, read_choice
from ossia_workflows.workbench import AGENT, DIRECTORY, RESPONSE, TeamKind, members_of

_TO_THE_LETTER = frozenset(("list_name", "board", "status", "new_value"))

Action = tuple[str, tuple[tuple[str, str], ...]]
"""A writing request: the domain, and its parameters as far as they count."""


class OfficeContracts:
    """The contracts of one task's roles. Knows the gold labels, so no agent may reach it."""

    def __init__(self, task: WorldTask, kind: TeamKind) -> None:
        """Make the contracts of a task in a team.

        Args:
            task: the task.
            kind: the team that plays it.
        """
        self.task = task
        self.kind = kind
        self.work = gold_work(task, kind)
        kits = tuple(kit for kit in task.toolkits if kit != DIRECTORY) or tuple(self.work)
        self.members = (AGENT,) if kind is TeamKind.REACT else kits

    @property
    def team(self) -> tuple[str, ...]:
        """All roles that a manager may name, those without work among them."""
        return tuple(dict.fromkeys((*members_of(self.kind), *self.members)))

    @property
    def needed(self) -> tuple[str, ...]:
        """The roles that the task needs: an agent that plays alone, or a whole team's."""
        if self.kind is TeamKind.REACT:
            return self.members
        return (MANAGER, *self.work, RESPONSE)

    @property
    def supported(self) -> bool:
        """Whether one role does all the work, so that nobody's actions rest on another's report."""
        return len(self.members) == 1

    def due(self, role: str, done: Iterable[Action]) -> list[Request]:
        """Return the gold requests of a role that are still to do; questions always are."""
        left = Counter(done)
        found = []
        for request in self.work.get(role, ()):
            action = as_action(request.domain, request.params)
            if action is not None and left[action] > 0:
                left[action] -= 1
            else:
                found.append(request)
        return found

    def next_roles(self, worked: Sequence[str], done: Sequence[Action]) -> tuple[str, ...]:
        """Return whom the manager may choose: who has work and had no turn, else the end.

        Args:
            worked: the roles that had a turn.
            done: what has been done.
        """
        if RESPONSE in worked:
            return (FINISH,)
        waiting = tuple(r for r in self.members if r not in worked and self.due(r, done))
        if waiting:
            return waiting
        # Somebody has to have worked before the user is told anything.
        return (RESPONSE,) if worked else self.members[:1]

    def record(self, trace: Trace) -> Recording:
        """Read a trace into steps, and judge each by its contract.

        Calls that got no answer say nothing about the role and are kept apart.
        """
        turns = Turns(self.team)
        found: dict[str, list[tuple[Received, Mapping[str, Any]]]] = {}
        for exchange in trace.gateway.exchanges:
            if exchange.response is None:
                continue
            received = Received.of(exchange.role, exchange.request, turns)
            found.setdefault(received.turn.situation, []).append((received, exchange.response))
        steps = tuple(self._keyed(map(_step, found.values())))
        return Recording(
            steps, dict(self._findings(steps)), tuple(read_cuts(trace, Received, Turns(self.team)))
        )

    def heard(self, reports: Iterable[str]) -> tuple[str, ...]:
        """Return the facts that somebody knows who has read these reports."""
        unknown = judge_answer(self.task, "\n".join(reports)).open
        return tuple(fact for fact in self.task.gold.facts if fact not in unknown)

    def kept_back(self, text: str, heard: Iterable[str]) -> tuple[str, ...]:
        """Return the facts that a response does not tell, although it had heard them."""
        unknown = judge_answer(self.task, text).open
        return tuple(fact for fact in heard if fact in unknown)

    def _keyed(self, steps: Iterable[RecordedStep]) -> Iterable[RecordedStep]:
        """Give the response the facts that it heard as its key; other steps keep theirs."""
        reports: list[str] = []
        for step in steps:
            if step.role == RESPONSE:
                heard = key_of(self.heard(reports))
                yield replace(step, keys=(heard,) * len(step.keys))
                continue
            if step.role != MANAGER:
                reports.append(last_text(step.messages))
            yield step

    def _findings(self, steps: Sequence[RecordedStep]) -> Iterable[tuple[str, Finding]]:
        done: list[Action] = []
        for place, step in enumerate(steps):
            later = [action for other in steps[place + 1 :] for action in actions_of(other)]
            if step.role == MANAGER:
                finding = self._judge_manager(step, steps, done)
            elif step.role == RESPONSE:
                finding = self._judge_response(step)
            else:
                finding = self._judge_member(step, done, later)
            if finding is not None:
                yield step.situation, finding
            done += actions_of(step)

    def _judge_member(
        self, step: RecordedStep, done: Sequence[Action], later: Sequence[Action]
    ) -> Finding | None:
        due = [
            action
            for request in self.due(step.role, done)
            if (action := as_action(request.domain, request.params)) is not None
        ]
        made = actions_of(step)
        wrong = list((Counter(made) - Counter(due)).elements())
        missing = list((Counter(due) - Counter(made) - Counter(later)).elements())
        said, meant = _told(made), _told(due)
        if wrong:
            return Finding(said, meant, f"did {_told(wrong[:1])}", f"with {meant}")
        if missing:
            return Finding(said, meant, f"left out {_told(missing[:1])}", f"with {meant}")
        if step.role not in self.members:
            return None
        text = last_text(step.messages)
        if self.kind is TeamKind.REACT and not says_something(text):
            return Finding("nothing", "an answer", "told the user nothing", "with an answer")
        if self._has_to_look(step.role) and not any(map(read_calls, step.messages)):
            return Finding(said, "a look", "looked nothing up", "with a look")
        told = judge_answer(self.task, text)
        if not told.open:
            return None
        fact = told.open[0]
        fault = _hedge("reported", fact, told) or f"did not report {fact}"
        return Finding(text or said, fact, fault, f"with {fact} reported")

    def _has_to_look(self, role: str) -> bool:
        """Whether a role's gold requests read something that an answer or an act hangs on."""
        return any(
            as_action(request.domain, request.params) is None for request in self.work.get(role, ())
        )

    def _judge_response(self, step: RecordedStep) -> Finding | None:
        text = last_text(step.messages)
        if not says_something(text):
            return Finding("nothing", "an answer", "told the user nothing", "with an answer")
        kept = self.kept_back(text, facts_in(step.keys[0]))
        if not kept:
            return None
        hedge = _hedge("told the user", kept[0], judge_answer(self.task, text))
        fault = hedge or f"kept {kept[0]} from the user"
        return Finding(text, kept[0], fault, f"with {kept[0]} told")

    def _judge_manager(
        self, step: RecordedStep, steps: Sequence[RecordedStep], done: Sequence[Action]
    ) -> Finding | None:
        turn = step.received[0].turn
        if turn.duty != ROUTE:
            # A plan is known by who never gets a turn from it.
            worked = {other.role for other in steps}
            lost = [role for role in self.members if role in self.work and role not in worked]
            if not turn.situation.endswith(":plan") or not lost:
                return None
            return Finding("the others", lost[0], f"left {lost[0]} out", f"with {lost[0]} called")
        said = read_choice(step.messages[0], step.received[0].conversation)
        allowed = self.next_roles(turn.done, done)
        if said in allowed or (said in self.members and RESPONSE not in turn.done):
            return None
        meant = " or ".join(allowed)
        known = said or "nobody"
        fault = f"called {known}, expected {meant}"
        return Finding(known, meant, fault, f"with {meant}", repeats=said in turn.done)


def key_of(facts: Sequence[str]) -> str:
    """Return the key of a response that heard these facts; empty for none."""
    return json.dumps(facts) if facts else ""


def facts_in(key: str) -> tuple[str, ...]:
    """Return the facts that a response with this key had heard."""
    return tuple(json.loads(key)) if key else ()


def _hedge(verb: str, fact: str, told: Telling) -> str | None:
    """A clause on other values told beside a fact; None where there are none."""
    if fact not in told.contested:
        return None
    return f"{verb} {', '.join(told.rivals)} beside {fact}"


def as_action(domain: str, params: Mapping[str, str]) -> Action | None:
    """Return a request as far as it counts, or None where it changes nothing."""
    if f"{domain}.{params.get('intent', '')}" not in writing_tools():
        return None
    kept = {n: v if n in _TO_THE_LETTER else v.lower() for n, v in params.items() if v}
    return domain, tuple(sorted(kept.items()))


def actions_in(message: Mapping[str, Any]) -> list[Action]:
    """Return the changes that a message asks the servers for."""
    found = []
    for name, arguments in read_calls(message):
        if name == HTTP_TOOL:
            domain, params = read_url(str(arguments.get("url", "")))
            action = as_action(domain, params)
            found += [] if action is None else [action]
    return found


def actions_of(step: RecordedStep) -> list[Action]:
    """Return the changes that a step asks the servers for, in order."""
    return [action for message in step.messages for action in actions_in(message)]


def _step(calls: Sequence[tuple[Received, Mapping[str, Any]]]) -> RecordedStep:
    # Nobody's actions rest on another's words; only a response rests on what it heard.
    return recorded_step(calls, [""] * len(calls))


def _told(actions: Sequence[Action]) -> str:
    told = []
    for domain, params in actions:
        given = dict(params)
        tool = given.pop("intent")
        told.append(f"{domain}.{tool}({', '.join(f'{n} {v}' for n, v in given.items())})")
    return "; ".join(told) or "nothing"
