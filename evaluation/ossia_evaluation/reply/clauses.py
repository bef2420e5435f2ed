"""A reply cut into clauses, and which of them deny something.

English alone is read. The lists are declared here so that a reader can see what is understood; what
no rule reads is left to the judge, which counts it as unread.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

# No search begins within spaces, and none looks further than a long sentence reaches: else a model
# that repeats one token without end takes the grader seconds for each such answer.
_CUT: Final = re.compile(
    r"(?<=[.!?;])\s+|\n+|(?<![^\S\n])\s+[\u2013\u2014-]\s+"
    r"|,?(?<![^\S\n])\s+(?:but|so|and so|therefore|although|though)\s+"
)
_IDIOMS: Final = re.compile(
    r"\b(?:no (?:problem|worries|doubt|later than|more than|less than|need to thank)"
    r"|not (?:a problem|at all a problem|only|later than|more than|less than)"
    r"|don't (?:worry|mention it|hesitate|forget)|do not (?:worry|hesitate|forget)"
    r"|if (?:not|you don't|that doesn't|this isn't|it isn't)|why not|can't wait|cannot wait"
    r"|nothing (?:else|more)|not\b[^.;!?]{0,300}\bany ?(?:more|longer)"
    r"|(?:won't|isn't|aren't|don't|doesn't)\b[^.;!?]{0,300}\bany ?(?:more|longer)"
    r"|no\b[^.;!?]{0,300}\b(?:any ?more|any longer)|no longer|no more"
    r"|without (?:any )?(?:problems?|trouble|issues?)|you won't (?:over\w+|forget|miss)"
    r"|(?:wasn't|weren't|didn't have|hadn't had)\b"
    r"(?:(?!\b(?:set|sent|done|able)\b)[^.;!?]){0,300}\byet"
    r"|(?:any|some|every)thing else[^.!?]{0,300}\?)\b"
)
_NEGATION: Final = re.compile(
    r"\b(?:no|not|none|nothing|nobody|never|neither|nor|nope|without|cannot|hardly|nowhere"
    r"|no one)\b|n't\b|\bcant\b|\bwont\b|\bdidnt\b|\bdont\b|\bcouldnt\b"
)
_EMPTY: Final = re.compile(r"\b(?:empty|free|clear|zero|0|nil|unavailable)\b")
_INABILITY: Final = re.compile(
    r"\b(?:sorry|unfortunately|apologi[sz]e|afraid|regret)\b[^.!?]{0,300}"
    r"(?:n't|\bnot\b|\bno\b|\bunable\b|\bfail|\bcannot\b|\bwrong\b|\bnothing\b)"
    r"|\bunable to\b|\b(?:was|am|is|are|were) not able\b|\bwasn't able\b|\bimpossible\b"
    r"|\b(?:i|we) (?:can't|cannot|can not|could not|couldn't|won't|will not|am not able|failed"
    r"|did not|didn't|do not|don't|have not|haven't|was not|wasn't|refuse|had no)\b"
    r"|\bfail(?:ed|ure|s)?\b|\berror\b|\bsomething went wrong\b|\bdone nothing\b"
    r"|\b(?:did|deleted|removed|cancell?ed|changed|moved|sent|added|booked|updated|made) nothing\b"
    r"|\bnothing (?:was|has been|could be) (?:done|changed|set|sent|found|booked|added|removed)\b"
    r"|\b(?:not|n't|never) (?:been )?(?:possible|work(?:ed)?|successful|done|sent|set|booked|added"
    r"|removed|deleted|changed|found|saved|created|completed|made|ordered|exist)\b"
    r"|\b(?:isn't|aren't|wasn't|weren't|not) (?:available|possible|supported)\b"
    r"|\bunavailable\b|\brefused\b|\bcancell?ed your request\b"
)
_UNABLE: Final = re.compile(
    r"\b(?:don't|do not) know\b|\bno idea\b|\bno access\b|\bnot sure\b|\bnothing worked\b"
    r"|\b(?:don't|do not) have (?:access|that information|enough)\b"
    r"|\b(?:sorry|apologi[sz]e|afraid)\b|\bunable\b|\bfailed\b|\berror\b|\bimpossible\b"
    r"|\b(?:can't|cannot|can not|could not|couldn't|not able to)\b(?! (?:find|see))"
)
_UNCHANGED: Final = re.compile(
    r"\b(?:unchanged|exists? already|already exists?|already (?:there|done|set|gone|off|on|empty)"
    r"|still (?:on|off|there|running|playing|open|closed|locked|unlocked|the same|pending)"
    r"|left \w+(?: \w+){0,3} (?:as (?:it|they|is)|alone|untouched|unchanged)|stays? as"
    r"|remains? (?:on|off|the same|as)|same as before|nothing to|too late|sold out|fully booked"
    r"|is empty|was empty|you already have|as a draft"
    r"|stays? (?:on|off|in|there)(?! (?:repeat|shuffle))"
    r"|except(?: for)?|apart from|other than|all but)\b"
)
_ENDED: Final = re.compile(
    r"\b(?:no longer|not\b[^.;!?]{0,300}\bany ?more)\b|n't\b[^.;!?]{0,300}\bany ?more\b"
)
_NO_ROWS: Final = re.compile(
    r"\b(?:is|are|was|were|looks) (?:completely |all )?(?:empty|free|clear)\b"
    r"|\b(?:have|has|got|is|are|there's) (?:nothing|none|no (?:entries|events?|meetings?|alarms?"
    r"|visits?|emails?|mails?|messages?|items?|posts?|lists?|appointments?|calls?|notifications?))\b"
    r"|\bnothing (?:on|in|planned|scheduled|there)\b"
)
_SOME_ROWS: Final = re.compile(
    r"^\W*(?:yes|yeah|yep)\b|\bthere(?:'s| is| are) (?:an?|one|two|three|some|several|\d+) \w"
)
_OFFER: Final = re.compile(
    r"\b(?:shall i|should i|do you want me to|would you like me to|may i|can i) ([^?.!]*)\?"
)
_YES: Final = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|indeed|correct|right|certainly|definitely|of course|sure|it is"
    r"|it does|it will|they are|they do|you do|you are|there is|there are|absolutely|you should"
    r"|he is|she is)\b"
)
_NO: Final = re.compile(r"^\W*(?:no|nope|nah|not|none|nothing|never|neither)\b")


class Polarity(StrEnum):
    """Whether a reply affirms what was asked or denies it."""

    YES = "yes"
    NO = "no"


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[str, ...]:
    """Cut a text into clauses, in lower case and without idioms that only sound like a denial."""
    plain = text.casefold().replace("\u2019", "'").replace("\u00a0", " ")
    found = (_IDIOMS.sub(" ", part) for part in _CUT.split(plain))
    return tuple(part.strip() for part in found if part and part.strip())


def is_negative(clause: str) -> bool:
    """Return whether a clause in lower case holds a negation."""
    return _NEGATION.search(clause) is not None


def says_nothing_is_there(text: str) -> bool:
    """Return whether a text says that there is nothing: a negation, or a word such as `empty`."""
    return any(
        _NEGATION.search(clause) is not None or _EMPTY.search(clause) is not None
        for clause in clauses(text)
    )


def denies_the_act(clause: str) -> bool:
    """Return whether a clause says that the speaker did not or could not act."""
    return _INABILITY.search(clause) is not None


def says_unable(clause: str) -> bool:
    """Return whether a clause says that the speaker could not do what was wanted."""
    return _UNABLE.search(clause) is not None


def denied_change(clause: str) -> str | None:
    """Return the words by which a clause says that things are as they were, or None."""
    found = _UNCHANGED.search(clause)
    return None if found is None else found[0]


def says_it_has_ended(text: str) -> bool:
    """Return whether a text says that something is no longer so."""
    return _ENDED.search(text.casefold().replace("\u2019", "'")) is not None


def denies_rows(clause: str) -> bool:
    """Return whether a clause says that there are no entries at all."""
    return _NO_ROWS.search(clause) is not None


def affirms_rows(clause: str) -> bool:
    """Return whether a clause says that there is something: "yes", "there is an unread email"."""
    return _SOME_ROWS.search(clause) is not None and not is_negative(clause)


def offers_the_act(text: str) -> str | None:
    """Return what a question offers to do, as in "Shall I post it?", or None."""
    found = _OFFER.search(text.casefold())
    return None if found is None else found[1]


def polarity(text: str) -> Polarity:
    """Return whether a reply affirms or denies; one that does neither in words affirms."""
    parts = clauses(text)
    if parts and _NO.search(parts[0]):
        return Polarity.NO
    if parts and _YES.search(parts[0]) and not re.search(r"n't\b|\bnot\b|\bno\b", parts[0]):
        return Polarity.YES
    return Polarity.NO if any(map(is_negative, parts)) else Polarity.YES


def spoken_polarity(text: str) -> Polarity | None:
    """Return the yes or no that a reply begins with, or None."""
    parts = clauses(text)
    if parts and re.match(r"\W*(?:no|nope|nah)\b", parts[0]):
        return Polarity.NO
    return Polarity.YES if parts and re.match(r"\W*(?:yes|yeah|yep|yup)\b", parts[0]) else None


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks the user for something."""
    said = sentence.strip().casefold()
    return said.endswith("?") or _ASKING.search(said) is not None


_ASKING: Final = re.compile(
    r"\b(?:please (?:tell|give|let me|say|specify|provide|confirm|clarify|choose)"
    r"|(?:could|can|would) you (?:please )?(?:tell|give|let me|say|specify|provide|confirm|clarify)"
    r"|let me know (?:what|when|where|which|who|whom|how|the)"
    r"|i(?: would|'d)? (?:still )?need (?:to know|the|a|more)"
    r"|tell me (?:what|when|where|which|who|how|the))\b"
)


_WH: Final = (
    (
        re.compile(
            r"\b(?:who|whom|whose)\b|\b(?:what|which)(?:'s| is)? (?:the |your )?"
            r"(?:person|contact|recipient|receiver|email address|phone number)"
        ),
        ("who?",),
    ),
    (
        re.compile(
            r"\b(?:when|how (?:early|late|soon)|(?:what|which)(?:'s| is)? (?:the |your )?"
            r"(?:time|day|date|hour))\b"
        ),
        ("when?",),
    ),
    (
        re.compile(
            r"\b(?:where|(?:what|which)(?:'s| is)? (?:the |your )?"
            r"(?:place|city|destination|station|address))\b"
        ),
        ("where?",),
    ),
    (
        re.compile(
            r"\b(?:what|which|how)\b(?! (?:time|day|date|hour|place|city|about|else|early|late))"
        ),
        ("what?", "which?", "how?"),
    ),
)


def asked_for(text: str) -> frozenset[str]:
    """Return what the questions of a text ask for by their question words, as `who?` or `when?`."""
    questions = [part for part in re.split(r"(?<=[.!?])\s+|\n+", text) if is_question(part)]
    said = " ".join(questions).casefold()
    return frozenset(kind for signs, kinds in _WH if signs.search(said) for kind in kinds)


def asks(text: str) -> bool:
    """Return whether a text asks the user for something."""
    return any(is_question(sentence) for sentence in re.split(r"(?<=[.!?])\s+|\n+", text))
