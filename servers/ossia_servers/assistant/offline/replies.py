"""What the response role says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

_JOKES = (
    "Why did the calendar look so tired? Its days were numbered.",
    "I told my lamp a joke. It was the brightest laugh of the day.",
    "Why do clocks never get lonely? They always have time on their hands.",
    "My vacuum cleaner quit its job. It said that the work sucks.",
)
_GREETINGS = (
    "Hello! What can I do for you?",
    "Hi there! I am well, thank you. How may I help?",
    "Good to hear from you! What would you like to do?",
)
_MUSINGS = (
    "That is a good question. I would like to hear what you think yourself.",
    "I like talking about that. Tell me more.",
    "I am only a small assistant, but I find that interesting.",
)
_MOODS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("sad", "terrible", "lonely", "worst", "sick", "lost", "tired", "shouted", "bad day"),
        "I am sorry to hear that. I hope that things get better soon.",
    ),
    (
        ("happy", "great", "love", "got a", "birthday", "friends", "beach", "won"),
        "That is lovely to hear. I am glad for you.",
    ),
    (
        ("robot", "who made you", "how old are you", "are you"),
        "I am a small assistant made of software, and happy to help.",
    ),
)
_NOTHING = "I am sorry, I have no result to tell you about."


def _pick(choices: Sequence[str], utterance: str) -> str:
    number = hashlib.sha256(utterance.encode("utf-8", "surrogatepass")).digest()[0]
    return choices[number % len(choices)]


def chat(intent: str, utterance: str) -> str:
    """Reply to chit-chat.

    Args:
        intent: The intent, such as `general_joke`.
        utterance: What the user said.

    Returns:
        A sentence or two, always the same for the same words.
    """
    if intent.endswith("joke"):
        return _pick(_JOKES, utterance)
    if intent.endswith("greet"):
        return _pick(_GREETINGS, utterance)
    words = utterance.lower()
    for signs, reply in _MOODS:
        if any(sign in words for sign in signs):
            return reply
    return _pick(_MUSINGS, utterance)


def tell(answer: Mapping[str, Any]) -> str:
    """Say what a server answered.

    Args:
        answer: Its `status` and `body`.

    Returns:
        The server's own words where it gives some, or an apology that says what went wrong.
    """
    body = answer.get("body")
    if not isinstance(body, Mapping):
        return _sentence(str(body)) if isinstance(body, str) and body.strip() else _NOTHING
    data = body.get("data")
    said = data.get("response") if isinstance(data, Mapping) else None
    if isinstance(said, str) and said.strip():
        return _sentence(said)
    message = body.get("msg")
    if isinstance(message, str) and message.strip():
        return f"I am sorry, that did not work: {_sentence(message)}"
    return _NOTHING


def nothing() -> str:
    """Say that there is nothing to tell."""
    return _NOTHING


def _sentence(text: str) -> str:
    return " ".join(text.split())
