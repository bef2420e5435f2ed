"""Whether what the user was told is true, judged by rules and without a language model.

A question's answer has to tell what was asked and nothing else in its place. A reply to a wish
has to deny nothing that was done and to claim nothing that was not. What no rule can read is
*unread*: it is counted and shown, and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from ossia_dataset.world_tasks import AskedFact
from ossia_evaluation.reply.claims import ANY_ACT, claimed_acts, claims_any_act
from ossia_evaluation.reply.clauses import (
    affirms_rows,
    asked_for,
    asks,
    clauses,
    denied_change,
    denies_rows,
    denies_the_act,
    is_negative,
    offers_the_act,
    says_it_has_ended,
    says_nothing_is_there,
    says_unable,
)
from ossia_evaluation.reply.judgement import TOLD_NOTHING, Done, Judgement, Truth
from ossia_evaluation.reply.names import foreign_names, unknown_quotation
from ossia_evaluation.reply.opposites import contradictions
from ossia_evaluation.reply.rows import crossed, listed_wrongly, named_instead
from ossia_evaluation.reply.stems import FUNCTION_WORDS, stems, tokens
from ossia_evaluation.reply.stray import (
    unknown_addresses,
    unsupported_moments,
    unsupported_values,
)
from ossia_evaluation.reply.told import QUESTIONS, Reading, read, tells
from ossia_evaluation.reply.vocabulary import (
    ABSENT,
    ACKNOWLEDGING,
    ALREADY,
    CONTRAST,
    ELSEWHEN,
    EVERYTHING,
    FOR_GOOD,
    OF_THE_USER,
)

_TRUE: Final = Judgement(Truth.TRUE)
_NOTHING: Final = Judgement(Truth.UNTOLD, TOLD_NOTHING)


def judge_answer(answer: str, done: Done) -> Judgement:
    """Judge the answer to a question: all that was asked is told, and nothing in its place."""
    if not answer.strip():
        return _NOTHING
    reading = read(answer, done.now)
    own = read(own_words(answer, done.said), done.now)
    parts = clauses(own.text)
    denying = reading.answers == "no" and any("no" in fact.any_of for fact in done.asked)
    if _is_mere_refusal(parts) and not denying:
        return Judgement(Truth.FALSE, f"denies the answer: {parts[0]!r}")
    told = _wrongly_told(reading, done)
    if told is not None:
        return told
    for rival in done.rivals:
        if _is_part_of_answer(rival, reading):
            return Judgement(Truth.FALSE, f"told beside the answer: {rival}")
    if not own.text.strip(" .,;"):
        return _TRUE
    for act, clause in claimed_acts(clauses(own.text), states=False):
        return Judgement(Truth.FALSE, f"claims that {act.name}: {clause!r}")
    mixed = crossed(own.text, done.rows)
    if mixed is not None:
        return Judgement(Truth.FALSE, f"lays to one what is another's: {mixed!r}")
    listed = listed_wrongly(own.text, done.rows, done.support)
    if listed is not None:
        return Judgement(Truth.FALSE, f"lists {listed!r}, which nothing shows")
    return _contrary(own, done) or _TRUE


def judge_report(answer: str, done: Done) -> Judgement:
    """Judge the report of something that was done, and rightly done."""
    if not answer.strip():
        return _NOTHING
    own = read(own_words(answer, done.said), done.now)
    if not own.text.strip(" .,;"):
        return _TRUE
    told = _wrongly_told(read(answer, done.now), done)
    if told is not None:
        return told
    if not stems(own.text) - ACKNOWLEDGING and not _denials(own, done):
        return _TRUE
    if done.chatting and not _is_mere_refusal(clauses(own.text)):
        own = read(_to_the_point(own.text, done), done.now)
    return _denials(own, done) or _untruths(own, done) or _readable(own, done)


def judge_inaction(answer: str, done: Done) -> Judgement:
    """Judge the report that nothing was to be done."""
    if not answer.strip():
        return _NOTHING
    own = read(own_words(answer, done.said), done.now)
    if done.said and not own.text.strip(" .,;"):
        return _TRUE
    told = _wrongly_told(read(answer, done.now), done)
    if told is not None:
        return told
    parts = clauses(own.text)
    if _is_mere_refusal(parts):
        return Judgement(Truth.FALSE, f"says that it could not be done: {parts[0]!r}")
    for clause in parts:
        if claims_any_act(clause) and not _describes(clause, done):
            return Judgement(Truth.FALSE, f"claims what was not done: {clause!r}")
        if done.empty and affirms_rows(clause):
            return Judgement(Truth.FALSE, f"tells of what was not found: {clause!r}")
        if done.found and denies_rows(clause):
            return Judgement(Truth.FALSE, f"denies what was found: {clause!r}")
    stray = unsupported_values(own, done.support)
    if stray:
        return Judgement(Truth.FALSE, f"tells {stray[0]!r}, which nothing shows")
    if says_nothing_is_there(own.text) or _names_what_was_seen(own, done):
        return _TRUE
    return Judgement(Truth.UNTOLD, "the user was not told that nothing was done")


def judge_question(answer: str, facts: Sequence[str], now: datetime) -> Judgement:
    """Judge a question back to the user: it asks for what is missing.

    Args:
        answer: what the user was told.
        facts: facts of the gold reply; those that are the word of a question (`when?`) say what is
            missing.
        now: the task's frozen clock.
    """
    if not answer.strip():
        return _NOTHING
    if not asks(answer):
        return Judgement(Truth.FALSE, "the user was not asked for what is missing")
    wanted = [fact for fact in facts if fact in QUESTIONS]
    kinds = asked_for(answer)
    if wanted and kinds and not kinds & frozenset(wanted):
        return Judgement(Truth.FALSE, "the user was asked for something else than what is missing")
    # "Please tell me the time" asks without a question mark.
    reading = read(answer.rstrip(" .!") + "?", now)
    if wanted and not any(tells(fact, reading) for fact in wanted):
        return Judgement(Truth.FALSE, "the user was asked for something else than what is missing")
    return _TRUE


def judge_chat(answer: str) -> Judgement:
    """Judge a reply to chit-chat: any words but a refusal."""
    if not answer.strip():
        return _NOTHING
    parts = clauses(answer)
    refusing = [part for part in parts if denies_the_act(part)]
    rest = [part for part in parts if part not in refusing and stems(part) - ACKNOWLEDGING]
    if refusing and not rest:
        return Judgement(Truth.FALSE, f"refuses to talk: {refusing[0]!r}")
    for act, clause in claimed_acts(parts):
        return Judgement(Truth.FALSE, f"claims that {act.name}: {clause!r}")
    for part in parts:
        if (is_negative(part) or not refusing) and OF_THE_USER.search(part):
            return Judgement(Truth.FALSE, f"tells what nobody looked at: {part!r}")
    return _TRUE


def own_words(answer: str, said: Iterable[str]) -> str:
    """Return an answer without the sentences of the servers that it repeats.

    Args:
        answer: what the user was told.
        said: what the servers answered.
    """
    rest = " ".join(answer.split())
    for sentence in sorted((" ".join(text.split()) for text in said), key=len, reverse=True):
        if sentence:
            rest = rest.replace(sentence, " ")
    return rest.strip()


def _wrongly_told(reading: Reading, done: Done) -> Judgement | None:
    """What is wrong with how a reply tells what was asked; None where nothing is."""
    for fact in done.asked:
        if not any(tells(form, reading) for form in fact.any_of):
            return Judgement(Truth.UNTOLD, f"not told: {' or '.join(fact.any_of[:3])}")
        for rival in fact.rivals:
            if _is_rival(rival, reading) and not _is_part(rival, fact):
                return Judgement(Truth.FALSE, f"told in place of {fact.any_of[0]}: {rival}")
    return None


def _is_part_of_answer(rival: str, reading: Reading) -> bool:
    """Whether a row that was seen besides is told as if it belonged to the answer."""
    if not (tells(rival, reading) and _is_told_in_full(rival, reading)):
        return False
    parts = re.split(r"(?<=[.!?;])\s+|\n+", reading.text)
    plain = [part for part in parts if not CONTRAST.search(part.casefold())]
    return any(tells(rival, read(part, reading.now)) for part in plain)


def _is_told_in_full(rival: str, reading: Reading) -> bool:
    """Whether a text is told with all of its words; part of one is no other answer."""
    return re.fullmatch(r"[\d:.-]+", rival) is not None or stems(rival) <= reading.stems


def _is_rival(rival: str, reading: Reading) -> bool:
    """Whether a rival is told; yes and no count as rivals in so many words only."""
    if rival in ("yes", "no"):
        return reading.answers == rival
    if rival == "none":
        return reading.answers == "no" or any(map(denies_rows, clauses(reading.text)))
    return tells(rival, reading)


def _is_part(rival: str, fact: AskedFact) -> bool:
    """Whether a rival's words belong to a form that tells the fact."""
    return any(stems(rival) and stems(rival) <= stems(form) for form in fact.any_of)


def _to_the_point(text: str, done: Done) -> str:
    """The sentences that speak of what was wished, without the chat that was wished for as well."""
    parts = re.split(r"(?<=[.!?])\s+|\n+", text)
    kept = [part for part in parts if stems(part) & done.wished - ACKNOWLEDGING]
    return " ".join(kept)


def _is_mere_refusal(parts: Sequence[str]) -> bool:
    """Whether a reply says that nothing could be done, and nothing else."""
    return any(map(says_unable, parts)) and all(
        says_unable(part) or not stems(part) - ACKNOWLEDGING for part in parts
    )


def _refusals(own: Reading, done: Done) -> Judgement | None:
    for clause in clauses(own.text):
        if denies_the_act(clause) and not done.left & stems(clause):
            return Judgement(Truth.FALSE, f"denies what was done: {clause!r}")
    return None


def _denials(own: Reading, done: Done) -> Judgement | None:
    refused = _refusals(own, done)
    if refused is not None:
        return refused
    for clause in clauses(own.text):
        if done.left & stems(clause):
            continue
        same = denied_change(clause)
        again = done.removed and ELSEWHEN.search(clause) is not None
        if same is not None and not again and not _stands_in(same, done):
            return Judgement(Truth.FALSE, f"denies what was done: {clause!r}")
        absent = done.removed and ABSENT.search(clause) is not None
        if is_negative(clause) and not done.negative and not absent and not _is_gone(own, done):
            return Judgement(Truth.FALSE, f"denies what was done: {clause!r}")
    if not done.removed and not done.negative and says_it_has_ended(own.text):
        return Judgement(Truth.FALSE, "says that something is no longer so")
    if _tells_other_place(own.lower, done):
        return Judgement(Truth.FALSE, "tells that it is where it is not")
    offered = offers_the_act(own.text)
    if offered is not None and all(_is_known(word, done) for word in _content_words(offered)):
        return Judgement(Truth.FALSE, f"offers what is done: {offered!r}")
    return None


_STILL_THERE: Final = re.compile(
    r"\b(?:is|are) (?:now |still )?(?:on|in) (?:your|the) (?!trash|bin\b|deleted)\w+"
)
_OFF_IT: Final = re.compile(r"\b(?:is|are) off (?:your|the)\b|\balarm\b[^.;]*\bis (?:now )?off\b")


def _tells_other_place(text: str, done: Done) -> bool:
    """Whether what was taken off a list is told to be on it, or the other way round."""
    if done.removed:
        return not done.negative and _STILL_THERE.search(text) is not None
    return "off" not in done.support.words and _OFF_IT.search(text) is not None


def _stands_in(phrase: str, done: Done) -> bool:
    """Whether "still playing" is what the servers say as well."""
    last = tokens(phrase)[-1]
    return any(last in tokens(text) for text in done.said)


def _is_gone(own: Reading, done: Done) -> bool:
    """Whether a reply that something was removed goes on to say that it is not there."""
    return done.removed and ANY_ACT.search(own.lower) is not None


def _content_words(text: str) -> list[str]:
    return [word for word in tokens(text) if word.partition("'")[0] not in FUNCTION_WORDS]


def _untruths(own: Reading, done: Done) -> Judgement | None:
    for clause in clauses(own.text):
        if done.left & stems(clause) and claims_any_act(clause):
            return Judgement(Truth.FALSE, f"claims what was not done: {clause!r}")
    for act, clause in claimed_acts(clauses(own.text), done.domains, done.wished):
        return Judgement(Truth.FALSE, f"claims that {act.name}: {clause!r}")
    mixed = crossed(own.text, done.rows)
    if mixed is not None:
        return Judgement(Truth.FALSE, f"lays to one what is another's: {mixed!r}")
    told = _other_deed(own, done)
    if told is not None:
        return told
    everything = EVERYTHING.search(own.lower)
    if everything is None and done.kept:
        everything = FOR_GOOD.search(own.lower)
    if everything is not None and not done.quantified:
        return Judgement(Truth.FALSE, f"claims more than was done: {everything[0]!r}")
    return _contrary(own, done)


_JOINED: Final = re.compile(r",? and (?=(?:i|i've|i'll|your|it|it's)\b)")


def _other_deed(own: Reading, done: Done) -> Judgement | None:
    """What a reply tells of a row that was only seen, as if it had been the one meant."""
    parts = (part for clause in clauses(own.text) for part in _JOINED.split(clause))
    claiming = [part for part in parts if claims_any_act(part)]
    for text in (own.text, *claiming):
        other = named_instead(text, done.rows, done.picked)
        if other is not None:
            return Judgement(Truth.FALSE, f"names {other!r}, which was not meant")
    if done.deed is None:
        return None
    for clause in claiming:
        stray = unsupported_moments(read(clause, done.now), done.deed)
        if stray:
            return Judgement(Truth.FALSE, f"tells {stray[0]!r} of what was done")
    return None


def _contrary(own: Reading, done: Done) -> Judgement | None:
    """What a reply tells in its own words that is not so, or None."""
    if done.later and ALREADY.search(own.lower) and not own.mentions.times + own.mentions.dates:
        return Judgement(Truth.FALSE, "tells that it is so now, and it is to be later")
    stray = (*unsupported_values(own, done.support), *unknown_addresses(own, done.support))
    if stray:
        return Judgement(Truth.FALSE, f"tells {stray[0]!r}, which nothing shows")
    opposite = contradictions(own.text, done.said, done.support)
    if opposite is not None:
        return Judgement(Truth.FALSE, f"tells {opposite!r}, and the contrary is so")
    quoted = unknown_quotation(own.text, done.support)
    if quoted is not None:
        return Judgement(Truth.FALSE, f"quotes {quoted!r}, which nobody said")
    foreign = foreign_names(own.text, done.support, done.names)
    if foreign is not None:
        return Judgement(Truth.FALSE, f"names {foreign!r}, which nothing shows")
    return None


def _readable(own: Reading, done: Done) -> Judgement:
    """A report that nothing speaks against, and how much of it was read."""
    content = _content_words(own.text)
    unknown = [word for word in content if not _is_known(word, done)]
    if not unknown:
        return _TRUE
    values = own.mentions
    plain = [word for word in content if not stems(word) & ACKNOWLEDGING]
    if len(unknown) == len(plain) and not (values.dates or values.times or values.numbers):
        return Judgement(Truth.FALSE, f"tells of something else: {unknown[0]!r}")
    return Judgement(Truth.UNREAD, f"not read: {', '.join(dict.fromkeys(unknown))}")


def _is_known(word: str, done: Done) -> bool:
    return done.support.holds_word(word) or bool(stems(word) & ACKNOWLEDGING)


def _describes(clause: str, done: Done) -> bool:
    """Whether a clause tells what a look has shown, in words of its rows alone."""
    if re.search(r"\b(?:i|i've|i'll|we)\b|^\W*(?:done|all set|set|texted|booked|added)", clause):
        return False
    if re.search(r"\balready\b", clause):
        return True
    return not done.left & stems(clause)


def _names_what_was_seen(own: Reading, done: Done) -> bool:
    """Whether a reply tells something of the rows that were looked at."""
    values = own.mentions
    if (values.dates or values.times or values.numbers or own.hours) and not unsupported_values(
        own, done.support
    ):
        return True
    return any(done.support.holds_word(word) for word in _content_words(own.text))
