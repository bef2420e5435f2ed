"""What a manager hands over: all that is known so far, on one line."""

from __future__ import annotations

from collections.abc import Mapping

from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.names import user_says


def handover(conversation: Conversation) -> str:
    """Return all that a role needs, on one line: the user's sentence and every result so far.

    Args:
        conversation: What is known.

    Returns:
        The text; words of a role that are no result in the agreed form are passed on as they are.
    """
    if conversation.rounds is not None:
        heard = (f"{s.role}: {' '.join(s.text.split())}" for s in conversation.speeches)
        return " ".join([user_says(conversation.utterance), *heard])
    results: Mapping[str, str] = dict(conversation.results.lines())
    spoken = {speech.role: " ".join(speech.text.split()) for speech in conversation.speeches}
    parts = [user_says(conversation.utterance)]
    for role in conversation.team:
        text = results.get(role) or spoken.get(role)
        if text:
            parts.append(f"{role}: {text}")
    return " ".join(parts)
