"""Two models that prove the way from a prompt to a verdict: the gold run, and doing nothing.

They read nothing but the form of a request: how a framework asks who is next, and how it wants a
tool to be called. What they do comes from the task, so they are for checks, never for comparisons.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ossia_dataset.tasks import Request, Task
from ossia_servers.gateway.models import Completion, ModelCall, ModelFailure, completion_of
from ossia_workflows.workbench import AGENT, MANAGER, RESPONSE, TeamKind

GOLD, IDLE = "gold", "idle"
"""Their names."""

_TOOL = "http_request"
_EPISODE = re.compile(r"[^.]+\.(.+?)\.\d+(?:\.m\d+)?")
_SUBTASK = re.compile(r"^Task ID: *(\S+)\s*\nContent: *As the (\w+) worker:", re.MULTILINE)
_WHO = "As the {} worker: do your part of the work."
_NEXT = "It is your turn: do your part of the work."
_NOTHING = "Nothing had to be done."
_DONE = "It is done."


class Player:
    """Plays every role of an office team. One instance serves one run."""

    def __init__(self, name: str, tasks: Mapping[str, Task], kind: TeamKind) -> None:
        """Make a player.

        Args:
            name: `gold` or `idle`.
            tasks: the run's tasks by id.
            kind: the team that plays.

        Raises:
            ValueError: there is no such player.
        """
        if name not in (GOLD, IDLE):
            raise ValueError(f"no player is called '{name}'")
        self.name = name
        self._tasks = tasks
        self._kind = kind
        self._asked: Counter[str] = Counter()
        self._made: Counter[tuple[str, str]] = Counter()

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked.

        Raises:
            ModelFailure: the episode is none of the run's.
        """
        task = self._task(call)
        work = self._work(task)
        if call.role == MANAGER:
            # Who has nothing to do is left out, but a team has to have worked before it answers.
            workers = list(work) or [self._first(task)]
            answer = self._report(task)
            return completion_of(self._manage(call, [*workers, RESPONSE], answer))
        number = self._made[call.episode, call.role]
        requests = work.get(call.role, ())
        if number < len(requests):
            self._made[call.episode, call.role] += 1
            return completion_of(calling(call.request, requests[number], number))
        return completion_of(telling(call.request, self._report(task)))

    def _first(self, task: Task) -> str:
        return AGENT if self._kind is TeamKind.REACT else task.toolkits[0]

    def _task(self, call: ModelCall) -> Task:
        found = _EPISODE.fullmatch(call.episode)
        if found is None or found[1] not in self._tasks:
            raise ModelFailure(f"no task belongs to the episode {call.episode}")
        return self._tasks[found[1]]

    def _work(self, task: Task) -> dict[str, list[Request]]:
        """The gold requests by the role that has the tools for them."""
        return {} if self.name == IDLE else gold_work(task, self._kind)

    def _report(self, task: Task) -> str:
        return _NOTHING if self.name == IDLE else gold_report(task)

    def _manage(self, call: ModelCall, roles: Sequence[str], answer: str) -> dict[str, Any]:
        order = list(dict.fromkeys(roles))
        staffed = staffing(call.request, order)
        if staffed is not None:
            return staffed
        turn = self._asked[call.episode]
        self._asked[call.episode] += 1
        return choosing(call.request, order[turn] if turn < len(order) else None, answer)


def gold_work(task: Task, kind: TeamKind) -> dict[str, list[Request]]:
    """Return the gold requests by the role that has the tools for them; looks come first."""
    work: dict[str, list[Request]] = {}
    gold = task.gold.gold_requests()
    for request in (*task.gold.looks, *gold) if gold else ():
        role = AGENT if kind is TeamKind.REACT else request.domain
        work.setdefault(role, []).append(request)
    return work


def gold_report(task: Task) -> str:
    """Return what a role says after a gold run: that it is done, and the facts asked for."""
    if not task.gold.gold_requests():
        return _NOTHING
    return facts_report(task.gold.facts)


def facts_report(facts: Sequence[str]) -> str:
    """Return words that say that the work is done, and tell facts."""
    return f"{_DONE} {', '.join(facts)}".strip()


def choosing(request: Mapping[str, Any], role: str | None, answer: str = _DONE) -> dict[str, Any]:
    """Return a manager's choice in the form that the framework asks for.

    Args:
        request: what the manager is asked.
        role: who works next; None ends the work.
        answer: what the user is told, where it is the manager who ends the work with an answer.
    """
    if ends_with_answer(request):
        if role is None:
            return {"content": _action("Finish", {"response": answer})}
        return {"content": _action(role, {"Task": _NEXT})}
    choice = _choice(request)
    if choice is not None:
        field, ends = choice
        return {"content": json.dumps({field: role or ends})}
    return {"content": role or "finish"}


def ends_with_answer(request: Mapping[str, Any]) -> bool:
    """Return whether a manager that ends the work tells the user the answer by that."""
    return _last_text(request).rstrip().endswith("Action:")


def _last_text(request: Mapping[str, Any]) -> str:
    for message in reversed(request["messages"]):
        if message.get("role") in ("user", "system"):
            content = message.get("content")
            if isinstance(content, str):
                return content
            return "\n".join(part.get("text", "") for part in content or ())
    return ""


def calling(request: Mapping[str, Any], wanted: Request, number: int) -> dict[str, Any]:
    """Return a call of the tool that makes a request, in the form that the framework asks for.

    Args:
        request: what the role is asked.
        wanted: the request to make.
        number: tells the role's calls apart.
    """
    arguments = {"method": "GET", "url": wanted.url}
    if _last_text(request).rstrip().endswith("Action:"):
        return {"content": _action(_TOOL, arguments)}
    function = {"name": _TOOL, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{wanted.domain}_{number}", "type": "function", "function": function}
    return {"content": None, "tool_calls": [call]}


def telling(request: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a role's report in the form that the framework asks for."""
    prompt = _last_text(request)
    if prompt.rstrip().endswith("Action:"):
        return {"content": _action("Finish", {"response": text})}
    if "'content'" in prompt and "'failed'" in prompt:
        return {"content": json.dumps({"content": text, "failed": False})}
    return {"content": text}


def _action(name: str, arguments: Mapping[str, str]) -> str:
    return f"{name}[{json.dumps(dict(arguments))}]"


def _choice(request: Mapping[str, Any]) -> tuple[str, str] | None:
    """The field of a schema that names the next role, and its value for the end."""
    form = request.get("response_format") or {}
    schema = (form.get("json_schema") or {}).get("schema") or {}
    for name, field in (schema.get("properties") or {}).items():
        options = field.get("enum") if isinstance(field, Mapping) else None
        if options:
            return str(name), str(options[-1])
    return None


def staffing(request: Mapping[str, Any], order: Sequence[str]) -> dict[str, Any] | None:
    """Return what a manager says who cuts a task up, hands it out or judges it; else None.

    Args:
        request: what the manager is asked.
        order: the roles that are to work.
    """
    staffed = _workforce(_last_text(request), order)
    return None if staffed is None else {"content": staffed}


def _workforce(prompt: str, order: Sequence[str]) -> str | None:
    if "quality_score" in prompt or "ISSUE TYPE" in prompt:
        return json.dumps(
            {
                "quality_score": 90,
                "reasoning": "The part of the work is done.",
                "issues": [],
                "recovery_strategy": None,
                "modified_task_content": None,
            }
        )
    if "assignee_id" in prompt:
        earlier: list[str] = []
        assignments = []
        for number, role in _SUBTASK.findall(prompt):
            assignments.append(
                {"task_id": number, "assignee_id": role, "dependencies": list(earlier)}
            )
            earlier.append(number)
        return json.dumps({"assignments": assignments})
    if "<tasks>" in prompt:
        return "\n".join(
            ["<tasks>", *(f"<task>{_WHO.format(role)}</task>" for role in order), "</tasks>"]
        )
    return None
