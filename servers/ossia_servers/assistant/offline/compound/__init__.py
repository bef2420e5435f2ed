"""Sentences with several wishes: one round for each, and what each role does in a round.

Cutting the sentence is a matter of its words alone; what hangs on a condition is decided by the
servers' answers, as far as they have been given.
"""

from __future__ import annotations

from collections.abc import Sequence

from ossia_servers.assistant.offline import replies
from ossia_servers.assistant.offline.compound.conditions import holds, result_rows, told
from ossia_servers.assistant.offline.compound.questions import as_question
from ossia_servers.assistant.offline.compound.references import add_content, resolve
from ossia_servers.assistant.offline.compound.rounds import (
    NOTHING_LEFT,
    applies,
    ends,
    focus,
    under_way,
)
from ossia_servers.assistant.offline.compound.wishes import Step, cut
from ossia_servers.assistant.offline.prompted import bounds_in
from ossia_servers.assistant.offline.understanding.frames import CHAT_DOMAIN, Frame, Understander
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.results import Results

__all__ = [
    "NOTHING",
    "NOTHING_LEFT",
    "applies",
    "ends",
    "focus",
    "next_frame",
    "planned_frames",
    "tell",
    "under_way",
]

NOTHING = Frame(NOTHING_LEFT, NOTHING_LEFT)
"""What the intent role answers when nothing is left to do."""

_MESSAGES = frozenset(("email_sendemail", "phone_text", "social_post"))
_WITH_CONTENT = frozenset(("email", "social"))


def next_frame(conversation: Conversation, understander: Understander) -> Frame:
    """Return the frame of the next wish that is still to be carried out.

    Args:
        conversation: What was said and answered so far, in rounds.
        understander: Reads utterances.

    Returns:
        The frame; chit-chat only at the end; `NOTHING` when nothing is left.
    """
    rounds = [r for r in conversation.rounds or () if _is_wish(r)]
    frames = _frames(conversation, understander)
    answers: dict[int, Results] = {}
    for place, (step, frame) in enumerate(frames):
        if not _due(step, frames, answers):
            continue
        if frame.domain == CHAT_DOMAIN and place < len(frames) - 1:
            continue
        if len(answers) == len(rounds):
            return _completed(frame, step, rounds, conversation)
        answers[place] = rounds[len(answers)]
    return NOTHING


def planned_frames(conversation: Conversation, understander: Understander) -> tuple[Frame, ...]:
    """Return the frames that a sentence may come to, whatever the answers, for a plan ahead."""
    frames = [frame for _, frame in _frames(conversation, understander)]
    last = frames[-1]
    kept = [frame for frame in frames[:-1] if frame.domain != CHAT_DOMAIN]
    return (*kept, last) if last.domain == CHAT_DOMAIN else (*kept, last, NOTHING)


def tell(conversation: Conversation) -> str:
    """Return what the response role says of all rounds."""
    rounds = conversation.rounds or ()
    said = [replies.tell(r.answer) for r in rounds if r.answer and r.answer.get("body")]
    last = rounds[-1].intent if rounds else None
    if last is not None and last.get("domain") == CHAT_DOMAIN:
        said.append(replies.chat(str(last.get("intent")), conversation.utterance))
    return " ".join(said) or replies.nothing()


def _is_wish(round_: Results) -> bool:
    return round_.intent is not None and round_.intent.get("intent") != NOTHING_LEFT


def _frames(conversation: Conversation, understander: Understander) -> list[tuple[Step, Frame]]:
    steps = cut(conversation.utterance)
    looked_up = {step.under for step in steps}
    bounds, found = bounds_in(conversation.messages), []
    for place, step in enumerate(steps):
        asked = as_question(step.text) if place in looked_up else step.text
        found.append((step, understander.understand(asked, bounds)))
    return found


def _due(step: Step, frames: Sequence[tuple[Step, Frame]], answers: dict[int, Results]) -> bool:
    """Whether a step is to be done, given the answers so far."""
    if step.under is None:
        return True
    deciding = answers.get(step.under)
    if deciding is None:
        # What should have been looked up was itself left out.
        return False
    asked = frames[step.under][0].text
    return holds(step.test, asked, deciding.answer) == step.wanted


def _completed(
    frame: Frame, step: Step, rounds: Sequence[Results], conversation: Conversation
) -> Frame:
    """Put in what earlier answers tell."""
    answer = next((r.answer for r in reversed(rounds) if r.answer is not None), None)
    if answer is None:
        return frame
    rows, response = result_rows(answer), told(answer)
    frame = resolve(frame, step.text, rows, response)
    if frame.intent in _MESSAGES:
        known = frame.domain in _WITH_CONTENT
        frame = add_content(frame, step.text, rows, response, known)
    return frame
