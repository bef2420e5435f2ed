"""What a reply claims to have done: a declared grammar of acts, held against what was changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ossia_evaluation.reply.clauses import is_negative

_I: Final = r"\b(?:i|we)(?:'ve| have|'ll| will|'m| am)?(?: (?:just|also|now|already|then|went ahead and|gone ahead and))*"


TOLD: Final = "told"
"""Stands for a domain where a state is only told of: "it is playing now" is no act in an answer."""


@dataclass(frozen=True)
class Act:
    """A kind of act that a reply may claim.

    Attributes:
        name: what the act is, for the reason of a verdict.
        domains: the domains or tables whose changes bear it out.
        signs: how it is claimed.
    """

    name: str
    domains: frozenset[str]
    signs: re.Pattern[str]


def _act(name: str, domains: str, verbs: str, *more: str) -> Act:
    """An act claimed in the first person, in the passive or by a bare participle at the start."""
    signs = (
        rf"{_I} (?:{verbs})\b",
        rf"^\W*(?:(?:done|okay|ok|sure|great|alright|all right|yes|perfect)\W+)*(?:{verbs})\b",
        rf"\b(?:and|then|also) (?:i(?:'ve| have)? )?(?:{verbs})\b",
        rf"\b(?:is|are|was|were|been|got) (?:now |also |all |just )?(?:{verbs})\b",
        *more,
    )
    return Act(name, frozenset(domains.split()), re.compile("|".join(signs)))


ACTS: Final = (
    _act(
        "a message was sent",
        "email phone social",
        "sent|send|texted|text|emailed|messaged|forwarded|replied|written to|wrote to",
        rf"{_I} let (?!you|me)\w+(?: \w+)? know\b|\b(?!you\b|i\b)\w+ has been (?:told|informed|notified)\b",
        r"\b(?:message|text|email|mail|reply) (?:has |was |is |went )?(?:on its way|out|gone|delivered)",
    ),
    _act(
        "somebody answered",
        "-",
        "heard back",
        r"\b(?:who|he|she|they|[a-z]+) (?:has |have )?(?:answered|replied|responded|wrote back)\b",
    ),
    Act(
        "something was started",
        frozenset({"music.player", "game"}),
        re.compile(
            rf"{_I} (?:put (?:it|them|that|this) on(?! (?:your|the|a|my|our))|tuned|started (?:playing|it)|turned (?:it|the radio) on)\b"
        ),
    ),
    Act(
        "something is playing",
        frozenset({"music.player", "game", TOLD}),
        re.compile(r"\b(?:now playing|playing now)\b"),
    ),
    _act("something was posted", "social", "posted|tweeted|shared|published|liked"),
    _act(
        "something was booked or ordered",
        "transport takeaway",
        "booked|book|ordered|order|reserved|bought|buy|purchased",
        r"\b(?:taxi|cab|ride|car|pizza|food|order|driver)\b[^.;]*\b(?:on (?:its|the|their) way|coming"
        r"|will (?:pick|be there|arrive|come))",
    ),
    _act(
        "an alarm was set",
        "alarm",
        r"set (?:an|the|your|another|a|one)\b[^.;]*\balarm|set your alarm|wake you",
        r"\balarm\b[^.;]*\b(?:is|was|has been|are|have been) (?:now )?(?:set|on|scheduled|created)",
        rf"{_I} set (?:one|it)\b",
    ),
    _act(
        "something was put into the calendar",
        "calendar",
        r"(?:added|put|scheduled|entered|created|schedule|add|booked|blocked|noted)\b[^.;]*"
        r"\b(?:calendar|diary|agenda|event|reminder|appointment)|scheduled|reminded|remind you",
        r"\b(?:is|are|it's|goes|been added) (?:now |also )?(?:in|on|to|into) (?:your|the) (?:calendar|diary"
        r"|agenda)",
    ),
    _act(
        "something was put on a list",
        "lists",
        r"(?:added|put|add|wrote|written|noted)\b[^.;]*\blist",
        r"\b(?:is|are|it's) (?:now |also )?(?:on|in) (?:your|the) [^.;]*\blist\b",
    ),
)
"""The acts that are read. An act that no pattern reads is not held against a reply."""

ANY_ACT: Final = re.compile(
    rf"^\W*(?:done|all (?:set|done|sorted|taken care)|consider it done|it is done|it's done|completed|finished)\b"
    rf"|{_I} (?:done|did|taken care|completed|finished|handled|set|added|put|sent|texted|emailed|booked"
    r"|ordered|scheduled|entered|removed|deleted|cancelled|canceled|turned|switched|muted|played|created"
    r"|updated|changed|moved|reassigned|assigned|plotted|made|notified|told|informed|called|bought"
    r"|reserved|posted|forwarded|replied|dimmed|started|stopped|cleared|saved|shared|took|let"
    r"|dropped|erased|wiped|picked|marked|closed|opened|locked|went ahead|canceled|reminded)\b"
    r"|\b(?:has|have) (?:all )?(?:now )?been (?:done|set|added|put|sent|texted|emailed|booked|ordered"
    r"|scheduled|entered|removed|deleted|cancelled|canceled|turned|switched|muted|created|updated|changed"
    r"|moved|reassigned|assigned|plotted|notified|posted|forwarded|completed|made|taken care)\b"
    r"|\b(?:is|are) (?:all )?(?:now )(?:done|set|added|sent|booked|ordered|scheduled|entered|removed"
    r"|deleted|cancelled|canceled|turned|switched|muted|off|on|created|updated|changed|moved|assigned)\b"
    r"|\b(?:is|are) (?:all )?(?:set|sent|booked|ordered|scheduled|entered|removed|deleted|cancelled|canceled"
    r"|muted|updated|reassigned)\b"
)
"""How a reply claims that something was done, whatever it is."""


def claimed_acts(clauses: Iterable[str], domains: frozenset[str]) -> Iterator[tuple[Act, str]]:
    """Yield the acts that clauses claim and no change of some domains bears out.

    Args:
        clauses: clauses of a reply, in lower case.
        domains: the domains in which something was changed, or was to be.
    """
    for clause in clauses:
        if is_negative(clause):
            continue
        for act in ACTS:
            if not act.domains & domains and act.signs.search(clause):
                yield act, clause


def claims_any_act(clause: str) -> bool:
    """Return whether a clause claims, without a negation, that something was done."""
    return not is_negative(clause) and (
        ANY_ACT.search(clause) is not None or any(act.signs.search(clause) for act in ACTS)
    )
