"""A manager that keeps ledgers: facts and a plan in prose, then after each turn its progress.

The prompts are those of Magentic-One, which several frameworks bring. What a player writes follows
fixed rules, told in `docs/adapters.md`: facts are the user's sentence and every result so far, the
plan is the team in its order, progress is always made, and nothing is ever a loop.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

SPEAKER = "next_speaker"
"""The entry of a progress ledger that names who works next."""

_DONE = "is_request_satisfied"
_INSTRUCTION = "Do your part of the work."
_REASON = "It follows from the order of the work."
_FACTS = re.compile(r"answer the following pre-survey|rewrite the following fact sheet")
_PLAN = re.compile(r"devise a short bullet-point plan|come up with a new plan")
_ANSWER = re.compile(r"provide the final answer to the original request")
_NAMES = re.compile(r"\(select from: ([^()\n]+)\)")
_TEAM = re.compile(r"following team[^\n]*:\s*\n((?:[^\n]+\n?)+)")
_MEMBER = re.compile(r"^(\w+): (.+)$", re.MULTILINE)


def asks_for_facts(prompt: str) -> bool:
    """Say whether a prompt asks for the facts, first or anew."""
    return _FACTS.search(prompt) is not None


def asks_for_plan(prompt: str) -> bool:
    """Say whether a prompt asks for a plan in prose, first or anew."""
    return _PLAN.search(prompt) is not None


def asks_for_progress(prompt: str) -> bool:
    """Say whether a prompt asks how far the work is, and who works next."""
    return _DONE in prompt and SPEAKER in prompt


def asks_for_answer(prompt: str) -> bool:
    """Say whether a prompt asks for the answer, the work being over."""
    return _ANSWER.search(prompt) is not None


def asks(prompt: str) -> bool:
    """Say whether a prompt asks a manager to write into a ledger, or the answer from it."""
    kinds = (asks_for_facts, asks_for_plan, asks_for_progress, asks_for_answer)
    return any(kind(prompt) for kind in kinds)


def speakers(prompt: str) -> list[str]:
    """Return the names that a prompt for the progress lets choose from."""
    found = _NAMES.findall(prompt)
    return [name.strip() for name in found[-1].split(",")] if found else []


def without_team(text: str) -> str:
    """Return a text without the list of the team's members, whose lines nobody has said."""
    return _TEAM.sub("", text)


def facts(known: str) -> str:
    """Return a fact sheet.

    Args:
        known: The user's sentence and every result so far.
    """
    headings = ("FACTS TO LOOK UP", "FACTS TO DERIVE", "EDUCATED GUESSES")
    rest = [f"{number}. {heading}\nNone." for number, heading in enumerate(headings, 2)]
    return "\n\n".join([f"1. GIVEN OR VERIFIED FACTS\n{known}", *rest])


def plan(prompt: str, team: Sequence[str]) -> str:
    """Return a plan: a line for each member, as the prompt describes it.

    Args:
        prompt: The prompt, which lists the team.
        team: The members, where it does not.
    """
    listed = _TEAM.search(prompt)
    described = _MEMBER.findall(listed[1]) if listed else []
    members = described or [(name, "does its part of the work.") for name in team]
    return "\n".join(f"- {name}: {does}" for name, does in members)


def progress(speaker: str | None, anybody: str) -> str:
    """Return a progress ledger.

    Args:
        speaker: Who works next; None where the request is satisfied.
        anybody: Who is named then, since a name is required.
    """
    answers: Mapping[str, Any] = {
        _DONE: speaker is None,
        "is_in_loop": False,
        "is_progress_being_made": True,
        SPEAKER: anybody if speaker is None else speaker,
        "instruction_or_question": _INSTRUCTION,
    }
    ledger = {name: {"reason": _REASON, "answer": answer} for name, answer in answers.items()}
    return json.dumps(ledger, ensure_ascii=False)


def next_speaker(ledger: Mapping[str, Any]) -> str | None:
    """Return whom a progress ledger lets work next.

    Args:
        ledger: A JSON object.

    Returns:
        The name as it is written there; empty where the request is satisfied; None where the
        object is no progress ledger.
    """
    done, speaker = (ledger.get(name) for name in (_DONE, SPEAKER))
    if not isinstance(done, Mapping) or not isinstance(speaker, Mapping):
        return None
    named = speaker.get("answer")
    return "" if done.get("answer") is True else str(named or "nobody")
