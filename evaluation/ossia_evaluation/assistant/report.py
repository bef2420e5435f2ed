"""What an assistant's reply is held against: the task, the gold run and what the episode did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ossia_dataset.world_tasks import AskedFact, GoldKind, Part, WorldTask
from ossia_evaluation.assistant.gold_facts import facts_of
from ossia_evaluation.assistant.identities import IDENTITIES
from ossia_evaluation.reply.claims import ACTS
from ossia_evaluation.reply.clauses import asked_for, clauses, is_negative
from ossia_evaluation.reply.judge import (
    judge_answer,
    judge_chat,
    judge_inaction,
    judge_question,
    judge_report,
    own_words,
)
from ossia_evaluation.reply.judgement import MAX_REPLY, Done, Judgement, Truth
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.reply.support import NO_SUPPORT, Support, leaves, support_of
from ossia_evaluation.reply.told import QUESTIONS, read, tells
from ossia_evaluation.reply.vocabulary import QUANTIFIER
from ossia_evaluation.reply.wording import is_too_long, wording
from ossia_evaluation.worlds.evidence import extra_rows, is_empty, rows_of, texts_of
from ossia_evaluation.worlds.gold import GoldRun
from ossia_evaluation.worlds.outcome import gold_questions
from ossia_servers.trace import Trace
from ossia_servers.worlds.diff import RowChange
from ossia_servers.worlds.records import ServerRequest

NOTHING = AskedFact(any_of=("none",))
"""What is to be told where a question finds nothing."""


_REMOVING = re.compile(
    r"\b(?:skip|skipped|removed|deleted|taken|cancell?ed|cleared|no longer|no more)\b",
    re.IGNORECASE,
)


def judge_reply(task: WorldTask, trace: Trace, gold: GoldRun, names: frozenset[str]) -> Judgement:
    """Judge what the user was told at the end of an episode.

    Args:
        task: the task.
        trace: the episode.
        gold: the gold run that it is held against.
        names: names of things in the domains of the gold run, in lower case.
    """
    kind, answer = task.gold.kind, wording(trace.answer)
    if is_too_long(trace.answer):
        return Judgement(Truth.UNTOLD, f"the reply is longer than {MAX_REPLY:,} characters")
    if kind is GoldKind.CHAT:
        return judge_chat(answer)
    if kind is GoldKind.CLARIFICATION:
        wanted = task.gold.facts or tuple(sorted(asked_for(gold.reply)))
        return judge_question(answer, wanted, task.now)
    repeated = is_repeated(trace)
    if repeated and kind is not GoldKind.ANSWER:
        return Judgement(Truth.TRUE)
    done = _done(task, trace, gold, names, read=not repeated)
    if kind is GoldKind.ANSWER:
        return judge_answer(answer, done)
    if kind is GoldKind.NONE or not gold.diff:
        return judge_inaction(answer, done)
    return judge_report(answer, done)


def is_repeated(trace: Trace) -> bool:
    """Return whether the user was told the domain servers' words and no others."""
    said = tuple(request.response for request in trace.requests)
    answer = wording(trace.answer)
    return bool(answer.strip()) and not own_words(answer, said).strip(" .,;")


def judge_retelling(task: WorldTask, text: str, body: Mapping[str, Any]) -> Judgement:
    """Judge words against the one answer of a server that their speaker was given.

    Args:
        task: the task.
        text: what was said.
        body: the server's answer: `code`, `msg`, `response` and `result`.
    """
    text = wording(text)
    told, result = str(body.get("response") or ""), body.get("result")
    if not told:
        failed = body.get("code") != "SUCCESS" and str(body.get("msg") or "")
        return _judge_failure(text, failed) if failed else judge_chat(text)
    if body.get("code") == "CLARIFICATION":
        return judge_question(text, tuple(sorted(asked_for(told))), task.now)
    reading = read(told, task.now)
    known = tuple(
        fact for fact in task.gold.asked if any(tells(form, reading) for form in fact.any_of)
    )
    done = Done(
        now=task.now,
        said=(told,),
        support=support_of((task.utterance, told), (result,), task.now, _lengths([result])),
        asked=known,
        domains=_ANY_CHANGE,
        negative=any(map(is_negative, clauses(f"{task.utterance} {told}"))),
        wished=frozenset(s for words in (task.utterance, told) for s in stems(words)),
    )
    if body.get("code") != "SUCCESS":
        return judge_inaction(text, done)
    return (judge_answer if task.gold.kind is GoldKind.ANSWER else judge_report)(text, done)


def _judge_failure(text: str, told: str) -> Judgement:
    """Judge the report that a server refused a request."""
    said = " ".join(text.split())
    if " ".join(told.split()) in said or any(map(is_negative, clauses(said))):
        return Judgement(Truth.TRUE)
    return Judgement(Truth.UNTOLD, "does not say that it failed")


_ANY_CHANGE = frozenset(domain for act in ACTS for domain in act.domains)
"""Whoever retells an answer cannot know more of what was changed than it says."""


def asked_of(task: WorldTask, gold: GoldRun) -> tuple[AskedFact, ...]:
    """Return what the user asked to be told: as declared, or derived from the gold run.

    Where nothing is declared, one of the facts has to be told, or that there is nothing. Who wishes
    something to be done has asked for nothing.

    Args:
        task: the task.
        gold: its gold run.
    """
    if task.gold.asked or task.gold.kind is not GoldKind.ANSWER:
        return task.gold.asked
    if all(is_empty(question.result) for question in gold_questions(gold)):
        return (NOTHING,)
    known = task.gold.facts or facts_of(task, gold)
    facts = tuple(fact for fact in known if fact not in QUESTIONS)
    return (AskedFact(any_of=facts),) if facts else ()


def _done(
    task: WorldTask, trace: Trace, gold: GoldRun, names: frozenset[str], *, read: bool
) -> Done:
    """Lay out what a reply is held against.

    Args:
        task: the task.
        trace: the episode.
        gold: the gold run.
        names: names of things in the domains of the gold run.
        read: whether there are words of the speaker's own to be read.
    """
    asked, questions = asked_of(task, gold), gold_questions(gold)
    changed = task.gold.kind is GoldKind.CHANGE
    said = tuple(request.response for request in trace.requests)
    right = [request.response for request in gold.requests]
    rows = [request.result for request in gold.requests]
    rows += [_new_values(change) for change in (*gold.diff.changes, *trace.diff.changes)]
    support = _seen(task, trace, gold, rows, changed=changed) if read else NO_SUPPORT
    deed = _deed(task, trace, gold) if read and changed and gold.diff else None
    rivals: tuple[str, ...] = ()
    if not changed and any(extra_rows(q, trace.requests, IDENTITIES) for q in questions):
        answer = support_of((task.utterance, *right), rows, task.now)
        rivals = _rivals(asked, questions, trace.requests, answer)
    if not read:
        # Of the servers' own words nothing is asked but whether they answer the question.
        return Done(now=task.now, said=said, support=support, asked=asked, rivals=rivals)
    return Done(
        now=task.now,
        said=said,
        support=support,
        asked=asked,
        rivals=rivals,
        domains=_changed_places(gold, trace),
        names=names,
        negative="dislike" in " ".join(right)
        or any(is_negative(c) for t in (task.utterance, *right, *said) for c in clauses(t)),
        chatting=any(part.is_chat and part.due for part in task.gold.parts),
        later=any(re.search(r"\bwill\b(?! remember)", text) for text in right),
        rows=tuple(row for question in questions for row in rows_of(question.result)),
        wished=frozenset(s for text in (task.utterance, *right) for s in stems(text)),
        empty=bool(questions) and all(is_empty(q.result) for q in questions),
        found=any(not is_empty(q.result) for q in questions),
        kept=not any(change.kind == "removed" for change in trace.diff.changes),
        deed=deed,
        picked=texts_of(trace.diff.changes),
        removed=any(_REMOVING.search(text) for text in right),
        quantified=QUANTIFIER.search(task.utterance) is not None,
        left=_left_undone(task, gold),
    )


def _seen(
    task: WorldTask, trace: Trace, gold: GoldRun, rows: Sequence[Any], *, changed: bool
) -> Support:
    """What stands behind the words of a reply: all that the user and the servers have said."""
    counts = [*map(len, map(rows_of, rows)), len(gold.diff.changes)]
    if changed:
        counts += _left_over(trace)
    if changed or sum(map(len, map(rows_of, rows))) == 1:
        counts += _lengths(rows)
    well = [request for request in trace.requests if request.code == "SUCCESS"]
    told = [request.response for request in (*gold.requests, *trace.requests)]
    texts = (task.utterance, *told, *_params_of(well))
    return support_of(texts, (*rows, *(request.result for request in well)), task.now, counts)


def _deed(task: WorldTask, trace: Trace, gold: GoldRun) -> Support:
    """What stands behind the words of a reply about what was done."""
    acts = [r for r in (*gold.requests, *trace.requests) if r.changes]
    changes = (*gold.diff.changes, *trace.diff.changes)
    return support_of(
        (task.utterance, *(r.response for r in acts), *_params_of(acts)),
        [state for change in changes for state in (change.before, change.after)],
        task.now,
    )


def _params_of(requests: Iterable[ServerRequest]) -> list[str]:
    return [value for request in requests for value in request.params.values()]


def _left_over(trace: Trace) -> list[int]:
    """How many rows of what was looked at there are after the changes."""
    kinds = [change.kind for change in trace.diff.changes]
    more = kinds.count("added") - kinds.count("removed")
    places = {
        change.table.partition(".")[0] for change in trace.diff.changes if change.kind != "changed"
    }
    looks = [r for r in trace.requests if not r.changes and r.domain in places]
    return [length + more for look in looks for length in _lengths(look.result)]


def _new_values(change: RowChange) -> dict[str, Any]:
    """What a change has brought: the columns that differ, or all of a new row."""
    after = change.after or {}
    return dict(after) if change.kind == "added" else {n: after.get(n) for n in change.columns}


def _lengths(value: Any) -> list[int]:
    """How many there are of whatever is listed, at any depth."""
    if isinstance(value, dict):
        return [length for inner in value.values() for length in _lengths(inner)]
    if isinstance(value, list):
        return [len(value), *(length for inner in value for length in _lengths(inner))]
    return []


def _changed_places(gold: GoldRun, trace: Trace) -> frozenset[str]:
    """The domains and the tables in which something was changed."""
    tables = {change.table for change in (*gold.diff.changes, *trace.diff.changes)}
    return frozenset(tables | {table.partition(".")[0] for table in tables})


def _rivals(
    asked: Sequence[AskedFact],
    questions: Sequence[ServerRequest],
    requests: Sequence[ServerRequest],
    support: Support,
) -> tuple[str, ...]:
    """Values of rows that were seen besides, in the columns that were asked for."""
    forms = frozenset(form.casefold() for fact in asked for form in fact.any_of)
    found: dict[str, None] = {}
    for question in questions:
        columns = {
            name
            for row in rows_of(question.result)
            for name, value in row.items()
            if any(_is_form(str(leaf), forms) for leaf in leaves(value))
        }
        for row in extra_rows(question, requests, IDENTITIES):
            values = [leaf for name in row if name in columns for leaf in leaves(row[name])]
            found.update(
                dict.fromkeys(str(v) for v in values if not _is_supported(str(v), support))
            )
    return tuple(found)


def _is_form(value: str, forms: frozenset[str]) -> bool:
    text = value.casefold()
    return text in forms or any(stems(form) and stems(form) <= stems(text) for form in forms)


def _is_supported(value: str, support: Support) -> bool:
    if value in support.dates or value in support.times or value.lstrip("-") in support.numbers:
        return True
    return bool(stems(value)) and stems(value) <= support.stems


def _left_undone(task: WorldTask, gold: GoldRun) -> frozenset[str]:
    """Stems of what a task speaks of and what was rightly not done."""
    skipped = frozenset(s for part in task.gold.parts if not part.due for s in _stems_of(part))
    due = frozenset(s for part in task.gold.parts if part.due for s in _stems_of(part))
    shown = frozenset(s for request in gold.requests for s in stems(request.response))
    return skipped - due - (shown if not gold.diff else frozenset())


def _stems_of(part: Part) -> frozenset[str]:
    values = (*part.slots.values(), *part.time.values(), part.intent.replace("_", " "))
    return frozenset(s for value in values for s in stems(value))
