"""A reply as its reader sees it."""

from __future__ import annotations

import html
import re
from typing import Final

from ossia_evaluation.reply.judgement import MAX_REPLY

_THOUGHTS: Final = re.compile(
    r"<(think|thinking|thought|thoughts|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]\w{1,30});", re.IGNORECASE)
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
"""Characters that break words apart for a program and that nobody sees."""


def is_too_long(reply: str) -> bool:
    """Return whether a reply is longer than `MAX_REPLY` without a model's marked thoughts."""
    return len(reply) > MAX_REPLY and len(_THOUGHTS.sub("", reply)) > MAX_REPLY


def wording(reply: str) -> str:
    """Return a reply without a model's marked thoughts, with entities and hidden characters read.

    Args:
        reply: what a framework gave back. Thoughts whose mark is never closed reach to its end. Of
            one that is too long nothing is read.
    """
    text = _THOUGHTS.sub("", reply)
    if len(text) > MAX_REPLY:
        return ""
    text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    return _UNSEEN.sub("", text)
