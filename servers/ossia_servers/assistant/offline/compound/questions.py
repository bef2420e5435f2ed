"""Turning the words of a condition into the question that looks it up."""

from __future__ import annotations

import re

_COMPARED = re.compile(
    r"\s*\b(?:(?:is|are|was|costs?|goes|gets?|stays|has gone|trades|stands|sells)"
    r"(?: still| now| at)?\s+)?"
    r"(?:above|over|more than|higher than|greater than|below|under|less than|lower than|"
    r"cheaper than|warmer than|colder than|hotter than|at least|at most|up|down)\b.*$",
    re.I,
)
_ASKED = re.compile(
    r"^(?:what|when|where|who|which|how|is|are|am|do|does|did|will|would|can|has|have|any|"
    r"anything)\b",
    re.I,
)
_HAVE = r"^i(?:'ve got| have got| have| don't have| do not have|'ve)(?: got)?"
_COUNTED = r"(?:more than|less than|fewer than|at least|at most|over|under) \w+"
_OPENINGS = (
    (
        r"^it (?:will |won't |does not |doesn't |is(?: not)? going to |isn't going to )?"
        r"(rain|snow|storm|pour|freeze|hail)s?\b",
        r"will it \1",
    ),
    (r"^it's(?: not)? going to (?=rain\b|snow\b)", "will it "),
    (r"^it (?:is|will be|gets|stays|isn't|won't be)(?: going to be)?(?: not)? ", "will it be "),
    (r"^it's(?: going to be)?(?: not)? ", "will it be "),
    (rf"{_HAVE} {_COUNTED} (?=\w)", "do i have any "),
    (rf"^there(?: is| are|'s| will be) {_COUNTED} (?=\w)", "is there any "),
    (
        r"^there(?: is| are|'s| will be| isn't| aren't) (?:no |not |any |a |an |some )*",
        "is there any ",
    ),
    (rf"{_HAVE} (?:nothing|no plans|anything|something)\b", "do i have anything"),
    (rf"{_HAVE} (?:no |any |a |an |some )?", "do i have any "),
    (r"^i(?:'m| am)(?: not)? ", "am i "),
    (
        r"^(my calendar|my schedule|my day|my agenda)(?: is|'s) (?:free|empty|clear|open)",
        r"what is on \1",
    ),
)
_TURNED = tuple((re.compile(opening, re.I), question) for opening, question in _OPENINGS)


def as_question(condition: str) -> str:
    """Return the question that looks a condition up; a question stays as it is.

    Args:
        condition: Such as `it rains tomorrow` or `apple is above 200 dollars`.
    """
    if _ASKED.match(condition):
        return condition
    for pattern, question in _TURNED:
        turned, count = pattern.subn(question, condition, count=1)
        if count:
            return turned
    subject, count = _COMPARED.subn("", condition)
    return f"what is {subject}" if count and subject.strip() else condition
