"""The form in which an answer was put, kept where other words are put into it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, Final

from ossia_evaluation.attribution.findings import last_text
from ossia_evaluation.attribution.recording import RecordedStep
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.envelope import present
from ossia_workflows import json_objects
from ossia_workflows.assistant import ROLE_KEYS, role_output

_MARK: Final = "\u2060"
"""Stands for the words in an envelope; no model says it."""


def in_the_form(
    step: RecordedStep, recorded: Mapping[str, Any], message: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return an answer in the envelope that a step used, right or wrong.

    Args:
        step: the recorded step.
        recorded: its answer.
        message: another answer of the same role, in the envelope that it should use.

    Returns:
        The recorded answer with the other words in it; `message` where the recorded words do not
        stand in it as they are.
    """
    said, conversation = recorded.get("content"), step.received[-1].conversation
    before, _, after = str(present(conversation, _MARK).get("content")).partition(_MARK)
    now = message.get("content")
    if not isinstance(said, str) or not isinstance(now, str) or not before + after:
        return message
    new = _inside(now, before, after)
    for words in _words(step.role, recorded):
        usual = str(present(conversation, words).get("content"))
        if usual == said or new is None:
            return message
        old = _inside(usual, before, after)
        if old and old in said:
            return {**message, "content": said.replace(old, new, 1)}
    return message


def in_usual_form(step: RecordedStep) -> bool:
    """Whether the last answer of a step stands in the envelope that the request asked for."""
    recorded, conversation = step.messages[-1], step.received[-1].conversation
    texts = (*_words(step.role, recorded), last_text([recorded]))
    return any(present(conversation, words) == dict(recorded) for words in texts)


def _inside(text: str, before: str, after: str) -> str | None:
    if not (text.startswith(before) and text.endswith(after)):
        return None
    return text[len(before) : len(text) - len(after)]


def _words(role: str, recorded: Mapping[str, Any]) -> Iterator[str]:
    """What an answer may have put into its envelope, the longest first."""
    text = last_text([recorded])
    output = role_output(role, text) if role in ROLE_KEYS else None
    if output is not None:
        yield json.dumps(output, ensure_ascii=False)
    strings = (v for item in json_objects(text) for v in item.values() if isinstance(v, str))
    yield from sorted(strings, key=len, reverse=True)


_NEARLY_THE_SAME: Final = 0.8


def is_damaged(recorded: Mapping[str, Any], usual: Mapping[str, Any]) -> bool:
    """Whether a choice hands over what cannot be read, or a copy with other characters in it.

    Words of a manager's own are neither.
    """
    said, meant = read_calls(recorded), read_calls(usual)
    if any(arguments for _, arguments in meant) and not any(arguments for _, arguments in said):
        return True
    first, second = _told(recorded), _told(usual)
    # What only follows the usual form is kept apart.
    if first.startswith(second):
        return False
    alike = SequenceMatcher(None, first, second, autojunk=False).quick_ratio()
    return alike >= _NEARLY_THE_SAME


def _told(message: Mapping[str, Any]) -> str:
    """What a message says and calls, without the ids of its calls."""
    content = message.get("content")
    if isinstance(content, str) and content:
        return content
    return json.dumps(read_calls(message), ensure_ascii=False, sort_keys=True)


def with_what_followed(
    now: Mapping[str, Any], usual: Mapping[str, Any], recorded: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return a choice in its usual form with what was recorded after the usual form."""
    before, said, text = usual.get("content"), recorded.get("content"), now.get("content")
    if not (isinstance(before, str) and isinstance(said, str) and isinstance(text, str)):
        return now
    return {**now, "content": text + said[len(before) :]} if said.startswith(before) else now
