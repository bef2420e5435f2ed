"""Whether what the user was told is true, judged by rules and without a language model.

A question's answer has to tell what was asked and nothing else in its place. A reply to a wish has to
deny nothing that was done and to claim nothing that was not. What no rule can read is *unread*: it
is counted and shown, and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from ossia_dataset.tasks import AskedFact
from ossia_evaluation.reply.claims import claimed_acts, claims_any_act
from ossia_evaluation.reply.clauses import (
    asks,
    clauses,
    denies_a_change,
    denies_the_act,
    is_negative,
    says_nothing_is_there,
)
from ossia_evaluation.reply.names import foreign_names
from ossia_evaluation.reply.opposites import contradictions
from ossia_evaluation.reply.stems import FUNCTION_WORDS, stems, tokens
from ossia_evaluation.reply.support import Support, unsupported_values
from ossia_evaluation.reply.told import QUESTIONS, Reading, tells


class Truth(StrEnum):
    """What a reply is worth to the user."""

    TRUE = "true"
    UNTOLD = "untold"
    """What was asked is not told, or nothing is said at all."""
    FALSE = "false"
    """Something is told that is not so."""
    UNREAD = "unread"
    """No rule reads it; counted, and held against nobody."""


@dataclass(frozen=True)
class Judgement:
    """What a reply is worth, and why, as a clause."""

    truth: Truth
    reason: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the reply does not stand against a success."""
        return self.truth in (Truth.TRUE, Truth.UNREAD)


@dataclass(frozen=True)
class Done:
    """What a reply is held against.

    Attributes:
        now: the task's frozen clock.
        said: what the domain servers answered in the episode; whoever repeats it tells the truth.
        support: values and words that stand behind a reply.
        asked: what the user asked to be told.
        rivals: values of rows that were seen and are no part of the answer.
        domains: the domains in which something was to be changed.
        names: names of things that there are in these domains.
        negative: whether a right reply may deny something: a look found nothing, or the wish is
            itself a negation.
        left: words of what was rightly not done, in a task with conditions.
    """

    now: datetime
    said: tuple[str, ...]
    support: Support
    asked: tuple[AskedFact, ...] = ()
    rivals: tuple[str, ...] = ()
    domains: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    negative: bool = False
    left: frozenset[str] = field(default_factory=frozenset)


TOLD_NOTHING: Final = "the user was told nothing"
_TRUE: Final = Judgement(Truth.TRUE)
_NOTHING: Final = Judgement(Truth.UNTOLD, TOLD_NOTHING)

_ACKNOWLEDGING: Final = frozenset(
    stems(
        "done okay ok sure alright right great good fine perfect certainly absolutely course yes yep"
        " ready finished completed complete set sorted handled taken care problem welcome enjoy here"
        " there consider got it will do going gone job task request wish user everything all thing"
        " things successfully success happy help anything else let know need further assist just"
        " away moment soon night morning day evening thanks thank please sleep well made update"
        " updated change changed confirm confirmed been noted note ahead asked requested"
    )
)


def judge_answer(answer: str, done: Done) -> Judgement:
    """Judge the answer to a question: all that was asked is told, and nothing in its place."""
    if not answer.strip():
        return _NOTHING
    reading = Reading(answer, done.now)
    own = Reading(_own_words(answer, done.said), done.now)
    told = _asked(reading, done)
    if told is not None:
        return told
    for rival in done.rivals:
        if tells(rival, reading):
            return Judgement(Truth.FALSE, f"told beside the answer: {rival}")
    for act, clause in claimed_acts(clauses(own.text), frozenset()):
        return Judgement(Truth.FALSE, f"claims that {act.name}: {clause!r}")
    stray = _same_kind(unsupported_values(own, done.support), done.asked)
    if stray:
        return Judgement(Truth.FALSE, f"tells {stray[0]!r}, which nothing shows")
    return _TRUE


def judge_report(answer: str, done: Done) -> Judgement:
    """Judge the report of something that was done, and rightly done."""
    if not answer.strip():
        return _NOTHING
    told = _asked(Reading(answer, done.now), done)
    if told is not None:
        return told
    own = Reading(_own_words(answer, done.said), done.now)
    if not stems(own.text) - _ACKNOWLEDGING and not _denials(own, done):
        return _TRUE
    return _denials(own, done) or _untruths(own, done) or _readable(own, done)


def judge_inaction(answer: str, done: Done) -> Judgement:
    """Judge the report that nothing was to be done."""
    if not answer.strip():
        return _NOTHING
    told = _asked(Reading(answer, done.now), done)
    if told is not None:
        return told
    own = Reading(_own_words(answer, done.said), done.now)
    if not own.text.strip():
        return _TRUE
    for clause in clauses(own.text):
        if claims_any_act(clause) and not _describes(clause, done):
            return Judgement(Truth.FALSE, f"claims what was not done: {clause!r}")
    if says_nothing_is_there(own.text) or _names_what_was_seen(own, done):
        return _TRUE
    return Judgement(Truth.UNTOLD, "the user was not told that nothing was done")


def judge_question(answer: str, facts: Sequence[str], now: datetime) -> Judgement:
    """Judge a question back to the user: it asks for what is missing."""
    if not answer.strip():
        return _NOTHING
    if not asks(answer):
        return Judgement(Truth.FALSE, "the user was not asked for what is missing")
    wanted = [fact for fact in facts if fact in QUESTIONS]
    # "Please tell me the time" asks without a question mark.
    reading = Reading(answer.rstrip(" .!") + "?", now)
    if wanted and not any(tells(fact, reading) for fact in wanted):
        return Judgement(Truth.FALSE, "the user was asked for something else than what is missing")
    return _TRUE


def judge_chat(answer: str) -> Judgement:
    """Judge a reply to chit-chat: any words but a refusal."""
    if not answer.strip():
        return _NOTHING
    parts = clauses(answer)
    if parts and all(denies_the_act(part) or not stems(part) - _ACKNOWLEDGING for part in parts):
        return Judgement(Truth.FALSE, f"refuses to talk: {parts[0]!r}")
    return _TRUE


def _own_words(answer: str, said: Iterable[str]) -> str:
    """An answer without the sentences of the servers that it repeats."""
    rest = " ".join(answer.split())
    for sentence in sorted((" ".join(text.split()) for text in said), key=len, reverse=True):
        if sentence:
            rest = rest.replace(sentence, " ")
    return rest.strip()


def _asked(reading: Reading, done: Done) -> Judgement | None:
    """What is wrong with how a reply tells what was asked; None where nothing is."""
    for fact in done.asked:
        if not any(tells(form, reading) for form in fact.any_of):
            return Judgement(Truth.UNTOLD, f"not told: {' or '.join(fact.any_of[:3])}")
        for rival in fact.rivals:
            if tells(rival, reading) and not _is_part(rival, fact):
                return Judgement(Truth.FALSE, f"told in place of {fact.any_of[0]}: {rival}")
    return None


def _is_part(rival: str, fact: AskedFact) -> bool:
    """Whether a rival's words belong to a form that tells the fact."""
    return any(stems(rival) and stems(rival) <= stems(form) for form in fact.any_of)


_FIGURE: Final = re.compile(r"-?\d+(?:\.\d+)?")


def _same_kind(stray: Sequence[str], asked: Iterable[AskedFact]) -> Sequence[str]:
    """Values that are told where values of their kind were asked for."""
    forms = [form for fact in asked for form in fact.any_of]
    numbers = any(_FIGURE.fullmatch(form) for form in forms)
    moments = any(
        re.fullmatch(r"[\d:.-]{5,}", form) and not _FIGURE.fullmatch(form) for form in forms
    )
    return [
        value
        for value in stray
        if (moments if re.search(r"[:a-z]", value) and not _spelled(value) else numbers)
    ]


def _spelled(value: str) -> bool:
    return bool(stems(value)) and all(each.replace(".", "").isdigit() for each in stems(value))


def _denials(own: Reading, done: Done) -> Judgement | None:
    for clause in clauses(own.text):
        about_the_rest = bool(done.left & stems(clause))
        if denies_the_act(clause) and not about_the_rest:
            return Judgement(Truth.FALSE, f"denies what was done: {clause!r}")
        if done.negative or about_the_rest:
            continue
        if is_negative(clause) or denies_a_change(clause):
            return Judgement(Truth.FALSE, f"denies what was done: {clause!r}")
    return None


def _untruths(own: Reading, done: Done) -> Judgement | None:
    for act, clause in claimed_acts(clauses(own.text), done.domains):
        return Judgement(Truth.FALSE, f"claims that {act.name}: {clause!r}")
    stray = unsupported_values(own, done.support)
    if stray:
        return Judgement(Truth.FALSE, f"tells {stray[0]!r}, which nothing shows")
    opposite = contradictions(own.text, done.said, done.support)
    if opposite is not None:
        return Judgement(Truth.FALSE, f"tells {opposite!r}, and the contrary is so")
    foreign = foreign_names(own.text, done.support, done.names)
    if foreign is not None:
        return Judgement(Truth.FALSE, f"names {foreign!r}, which nothing shows")
    return None


def _readable(own: Reading, done: Done) -> Judgement:
    """A report that nothing speaks against, and how much of it was read."""
    content = [word for word in tokens(own.text) if word not in FUNCTION_WORDS]
    unknown = [word for word in content if not _is_known(word, done)]
    if not unknown:
        return _TRUE
    if len(unknown) == len(content):
        return Judgement(Truth.FALSE, f"tells of something else: {unknown[0]!r}")
    return Judgement(Truth.UNREAD, f"not read: {', '.join(dict.fromkeys(unknown))}")


def _is_known(word: str, done: Done) -> bool:
    return done.support.holds_word(word) or bool(stems(word) & _ACKNOWLEDGING)


def _describes(clause: str, done: Done) -> bool:
    """Whether a clause tells what a look has shown, in words of its rows alone."""
    if re.search(r"\b(?:i|i've|i'll|we)\b|^\W*(?:done|all set|set|texted|booked|added)", clause):
        return False
    if re.search(r"\balready\b", clause):
        return True
    return not done.left & stems(clause)


def _names_what_was_seen(own: Reading, done: Done) -> bool:
    """Whether a reply tells something of the rows that were looked at."""
    content = [word for word in tokens(own.text) if word not in FUNCTION_WORDS]
    known = [word for word in content if done.support.holds_word(word)]
    return bool(known) and not claims_any_act(own.text)


def values_of(rows: Iterable[Any]) -> tuple[str, ...]:
    """Return the texts of some rows, each once."""
    return tuple(dict.fromkeys(str(row) for row in rows))
