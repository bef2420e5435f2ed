"""A workforce: one task cut into subtasks, assigned to workers, and judged one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.duties import Duty, Planner
from ossia_servers.wire.names import by_role, role_of, user_says

_WORKER = re.compile(r"^<([^<>\n]+)>:<([^\n]*?)>:<", re.MULTILINE)
_SUBTASK = re.compile(r"^Task ID: *(\S+)\s*\nContent: *(.*?)\n---", re.MULTILINE | re.DOTALL)
_OWNER = re.compile(r"As the (\S+) worker")
_STRATEGY = re.compile(r"^\d+\. \*\*(\w+)\*\* - ", re.MULTILINE)
_RESULT = re.compile(
    r"- Task Content: (?P<content>.*?)\n- Task Result: (?P<result>.*?)\n"
    r"- Failure Count: (?P<failures>\d+)",
    re.DOTALL,
)


def manage(conversation: Conversation, duty: Duty, planner: Planner) -> str:
    """Answer a request of a workforce's manager.

    Args:
        conversation: The manager's request.
        duty: What it is for; one of a workforce.
        planner: Asked where the request is for a plan or a verdict.
    """
    if duty is Duty.MEND:
        return _analyse_failure(conversation.prompt)
    if duty is Duty.CHECK:
        return _judge(conversation, planner)
    if duty is Duty.ASSIGN:
        return _assign(conversation)
    return _decompose(conversation, planner.roles(conversation))


def is_worker_request(conversation: Conversation) -> bool:
    """Say whether a worker is asked for its result wrapped as `content` and `failed`."""
    properties = conversation.schema.get("properties") if conversation.schema else None
    if isinstance(properties, Mapping) and {"content", "failed"} <= set(properties):
        return True
    return "'content'" in conversation.prompt and "'failed'" in conversation.prompt


def worker_ids(conversation: Conversation) -> list[str]:
    """Return the workers among whom a manager is to choose, in the prompt's order."""
    return [identity for identity, _ in _WORKER.findall(conversation.prompt)]


def wrap(result: str) -> str:
    """Wrap a worker's result."""
    return json.dumps({"content": result, "failed": False}, ensure_ascii=False)


def _workers(conversation: Conversation) -> dict[str, str]:
    """Return role to worker, told by the workers' ids or else by their descriptions."""
    listed, team = _WORKER.findall(conversation.prompt), conversation.team
    found = by_role((identity for identity, _ in listed), team)
    for identity, description in listed:
        role = role_of(identity, team) or role_of(description.partition(":")[0], team)
        if role is None:
            role = next((r for r in team if f"{r} " in description.lower()), None)
        if role is not None:
            found.setdefault(role, identity)
    return found


def _decompose(conversation: Conversation, roles: Sequence[str]) -> str:
    workers = _workers(conversation)
    descriptions = dict(_WORKER.findall(conversation.prompt))
    tasks = []
    for role in roles:
        worker = workers.get(role, role)
        description = descriptions.get(worker, "Do your part for this sentence.")
        words = f"As the {worker} worker: {description} {user_says(conversation.utterance)}"
        tasks.append(f"<task>{words}</task>")
    return "\n".join(["<tasks>", *tasks, "</tasks>"])


def _owner(content: str, team: Sequence[str]) -> str | None:
    match = _OWNER.search(content)
    if match is not None:
        return match.group(1)
    return next((role for role in team if f"the {role} agent" in content), None)


def _assign(conversation: Conversation) -> str:
    prompt, team = conversation.prompt, conversation.team
    identities = worker_ids(conversation)
    workers = _workers(conversation)
    assignments: list[dict[str, Any]] = []
    earlier: list[str] = []
    for task, content in _SUBTASK.findall(prompt):
        owner = _owner(content, team)
        worker = owner if owner in identities else workers.get(owner or "")
        if worker is None:
            worker = identities[0] if identities else team[0]
        assignments.append({"task_id": task, "assignee_id": worker, "dependencies": list(earlier)})
        earlier.append(task)
    return json.dumps({"assignments": assignments})


def _verdict(score: int | None, reasoning: str, strategy: str | None, issues: list[str]) -> str:
    return json.dumps(
        {
            "quality_score": score,
            "reasoning": reasoning,
            "issues": issues,
            "recovery_strategy": strategy,
            "modified_task_content": None,
        }
    )


def _strategy(prompt: str) -> str:
    enabled = _STRATEGY.findall(prompt)
    return enabled[0] if enabled and "retry" not in enabled else "retry"


def _analyse_failure(prompt: str) -> str:
    return _verdict(
        None,
        "The work could not be finished; the same worker may succeed in another attempt.",
        _strategy(prompt),
        ["The task failed."],
    )


def _judge(conversation: Conversation, planner: Planner) -> str:
    prompt, team = conversation.prompt, conversation.team
    match = _RESULT.search(prompt)
    if match is not None and int(match["failures"]) < planner.retries:
        owner = _owner(match["content"], team)
        role = role_of(owner, team) if owner else None
        if not planner.accepts(role, match["result"]):
            return _verdict(
                30,
                "The result does not have the form that was agreed.",
                _strategy(prompt),
                ["The result is not in the agreed form."],
            )
    return _verdict(90, "The result answers the task.", None, [])
