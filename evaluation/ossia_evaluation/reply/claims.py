"""What a reply claims to have done: a declared grammar of acts, held against what was changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ossia_evaluation.reply.clauses import is_negative
from ossia_evaluation.reply.stems import stems

_I: Final = (
    r"\b(?:i|we)(?:'ve| have|'ll| will|'m| am)?"
    r"(?: (?:just|also|now|already|then|went ahead and|gone ahead and))*"
)
_OPENING: Final = (
    r"^\W*(?:(?:done|okay|ok|sure|great|alright|all right|yes|perfect|and|also|then)\W+)*"
)
_PASSIVE: Final = r"\b(?:is|are|was|were|been|got) (?:now |also |all |just )?"


@dataclass(frozen=True)
class Act:
    """A kind of act that a reply may claim.

    Attributes:
        name: what the act is, for the reason of a verdict.
        domains: the domains or tables whose changes bear it out.
        family: stems of words by which the user or the servers speak of it.
        own: how the speaker claims to have done it.
        state: how it is told as a state of things, which in an answer is no claim.
    """

    name: str
    domains: frozenset[str]
    family: frozenset[str]
    own: re.Pattern[str]
    state: re.Pattern[str]


def _act(
    name: str, domains: str, verbs: str, *, own: str = "", state: str = "", passive: bool = True
) -> Act:
    """An act by its verbs: in the first person or a bare participle, and in the passive.

    Args:
        name: what it is.
        domains: what bears it out.
        verbs: forms of its verbs, joined by `|`.
        own: further ways to claim it.
        state: further ways to tell it as a state.
        passive: whether the passive tells it; "is now called" is no call.
    """
    signs = [rf"{_I} (?:{verbs})\b", rf"{_OPENING}(?:{verbs})\b"]
    signs += [rf"\b(?:and|then|also) (?:i(?:'ve| have)? )?(?:{verbs})\b", *([own] if own else [])]
    states = [*([rf"{_PASSIVE}(?:{verbs})\b"] if passive else []), *([state] if state else [])]
    words = " ".join(re.findall(r"[a-z]{3,}", verbs))
    return Act(
        name,
        frozenset(domains.split()),
        stems(words),
        re.compile("|".join(signs)),
        re.compile("|".join(states or ["(?!)"])),
    )


ACTS: Final = (
    _act("a text was sent", "phone.texts", "texted"),
    _act("an email was sent", "email.messages email.emails", "emailed|mailed"),
    _act(
        "a message was sent",
        "email.messages email.emails phone.texts social.posts",
        "sent|send|messaged|forwarded|replied|written to|wrote to|notified|informed|pinged",
        own=rf"{_I} let (?!you\b|me\b)\w+(?: \w+)? know\b|{_I} (?:text|email|message) "
        r"|\bi(?:'ve| have) (?:also |already )?told (?!you\b|me\b)\w+"
        rf"|{_I} (?:asked|reminded|warned) (?!you\b|me\b)\w+",
        state=r"\b(?!you\b|i\b)\w+ has been (?:told|informed|notified)\b"
        r"|\b(?:message|text|email|mail|reply) (?:has |was |is |went )?"
        r"(?:on its way|out|gone|delivered)",
    ),
    _act("somebody was called", "-", "called|rang|phoned|dialed|dialled", passive=False),
    _act(
        "somebody answered",
        "-",
        "heard back",
        own=r"\b(?!(?:i|we|and|i've|then) )(?:who|he|she|they|[a-z]+) (?:has |have )?"
        r"(?:answered|replied|responded|wrote back)\b",
    ),
    _act("something was posted", "social.posts", "posted|tweeted|published|uploaded"),
    _act(
        "something was booked or ordered",
        "transport takeaway",
        "booked|book|ordered|order|reserved|bought|purchased|paid",
        state=r"\b(?:taxi|cab|ride|car|pizza|food|order|driver)\b[^.;]*"
        r"\b(?:on (?:its|the|their) way|coming|will (?:pick|be there|arrive|come))",
    ),
    _act("something was subscribed to", "news email phone", "subscribed|signed"),
    _act("something was downloaded", "-", "downloaded"),
    _act(
        "something was taken away",
        "calendar alarm lists email transport takeaway iot news -removed",
        "removed|deleted|erased|cancelled|canceled|cleared|wiped|unsubscribed",
    ),
    _act("somebody was invited", "email phone social calendar", "invited"),
    _act("something was plotted", "analytics", "plotted|charted|graphed"),
    _act(
        "something was started",
        "music.player game",
        "tuned",
        own=rf"{_I} (?:put (?:it|them|that|this|(?:the|your|a|some) \w+) on"
        r"(?! (?:your|the|a|my|our|twitter|facebook|instagram)\b)"
        r"|started (?:playing|it)|turned (?:it|the radio) on)\b",
        state=r"\b(?:now playing|playing now)\b",
    ),
    _act(
        "an alarm was set",
        "alarm",
        r"set (?:an|the|your|another|a|one)\b[^.;]*\balarm|set your alarm|set (?:one|it)",
        state=rf"{_I} wake you\b|"
        r"\balarm\b[^.;]*\b(?:is|was|has been|are|have been) (?:now )?"
        r"(?:set|on|scheduled|created)",
    ),
    _act(
        "something was put into the calendar",
        "calendar",
        r"(?:added|put|scheduled|entered|created|schedule|add|booked|blocked|noted)\b[^.;]*"
        r"\b(?:calendar|diary|agenda|event|reminder|appointment)|scheduled|reminded|remind you",
        state=r"\b(?:is|are|it's|goes|been added) (?:now |also )?(?:in|on|to|into) (?:your|the)"
        r" (?:calendar|diary|agenda)",
    ),
    _act(
        "something was put on a list",
        "lists",
        r"(?:added|put|add|wrote|written|noted)\b[^.;]*\blist",
        state=r"\b(?:is|are|it's) (?:now |also )?(?:on|in) (?:your|the) [^.;]*\blist\b",
    ),
)
"""The acts that are read. An act that no pattern reads is not held against a reply."""

_DONE: Final = (
    "done|did|taken care|completed|finished|handled|set|added|put|sent|texted|emailed|booked"
    "|ordered|scheduled|entered|removed|deleted|cancelled|canceled|turned|switched|muted|played|created"
    "|updated|changed|moved|reassigned|assigned|plotted|made|notified|told|informed|called|bought"
    "|reserved|posted|forwarded|replied|dimmed|started|stopped|cleared|saved|shared|took"
    "|dropped|skipped|jumped|paused|resumed"
    "|erased|wiped|picked|marked|closed|opened|locked|went ahead|reminded|drawn|drew|handed|gave"
)
ANY_ACT: Final = re.compile(
    r"^\W*(?:done|all (?:set|done|sorted|taken care)|consider it done|it is done|it's done"
    r"|completed|finished)\b"
    rf"|{_I} (?:{_DONE})\b"
    rf"|\b(?:has|have) (?:all )?(?:now )?been (?:{_DONE})\b"
    rf"|\b(?:is|are) (?:all )?now (?:{_DONE}|off|on)\b"
    r"|\b(?:is|are) (?:all )?(?:set|sent|booked|ordered|scheduled|entered|removed|deleted|cancelled"
    r"|canceled|muted|updated|reassigned|ready|complete|completed)\b"
)
"""How a reply claims that something was done, whatever it is."""


def claimed_acts(
    clauses: Iterable[str],
    domains: frozenset[str] = frozenset(),
    spoken_of: frozenset[str] = frozenset(),
    *,
    states: bool = True,
) -> Iterator[tuple[Act, str]]:
    """Yield the acts that clauses claim and nothing bears out, each with its clause.

    Args:
        clauses: clauses of a reply, in lower case.
        domains: the domains and tables in which something was changed.
        spoken_of: stems of what the user wished and the servers said of it.
        states: whether a state of things is a claim as well; in an answer it is none.
    """
    for clause in clauses:
        if is_negative(clause):
            continue
        for act in ACTS:
            if act.domains & domains and not _is_apart(act, spoken_of):
                continue
            if act.family & spoken_of:
                continue
            if act.own.search(clause) or (states and act.state.search(clause)):
                yield act, clause


def claims_any_act(clause: str) -> bool:
    """Return whether a clause claims, without a negation, that something was done.

    Args:
        clause: a clause of a reply, in lower case.
    """
    return not is_negative(clause) and (
        ANY_ACT.search(clause) is not None
        or any(act.own.search(clause) or act.state.search(clause) for act in ACTS)
    )


_REMOVING: Final = frozenset(
    stems("remove delete cancel clear take drop erase wipe strike cross off")
)


def _is_apart(act: Act, spoken_of: frozenset[str]) -> bool:
    """Whether an act has to be spoken of although its domain was changed: taking is not putting."""
    return "-removed" in act.domains and bool(spoken_of) and not spoken_of & _REMOVING
