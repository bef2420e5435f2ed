"""What an office agent's report is held against: the prompt, the tools' answers, the new rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.reply.judge import judge_inaction, judge_report
from ossia_evaluation.reply.judgement import Done, Judgement
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.reply.support import support_of
from ossia_evaluation.reply.vocabulary import QUANTIFIER
from ossia_evaluation.reply.wording import wording
from ossia_evaluation.worlds.evidence import is_empty, rows_of, texts_of
from ossia_servers.trace import Trace


def _counts(trace: Trace) -> list[int]:
    """How many rows were seen and changed, and what the figures of a table come to."""
    found = [len(trace.diff.changes), *_equal(trace)]
    for request in trace.requests:
        found.append(len(rows_of(request.result)))
        if isinstance(request.result, Mapping):
            figures = [v for v in request.result.values() if isinstance(v, int)]
            found.append(sum(figures))
    return found


def _equal(trace: Trace) -> list[int]:
    """Of how many changed rows a column holds the same: "two letters titled Handbook"."""
    cells = (
        (change.table, name, str(value))
        for change in trace.diff.changes
        for name, value in (change.after or change.before or {}).items()
    )
    return list(Counter(cells).values())


def _meant(trace: Trace) -> list[Mapping[str, Any]]:
    """The rows that requests name by their ids, as the email that is answered."""
    named = {value for r in trace.requests if r.changes for value in r.params.values()}
    seen = (row for request in trace.requests for row in rows_of(request.result))
    return [row for row in seen if named & set(map(str, row.values()))]


def judge_reply(task: WorldTask, trace: Trace) -> Judgement:
    """Judge what the user was told at the end of an episode that is no question.

    Args:
        task: a task whose gold changes rows, or in which nothing is to be done.
        trace: the episode, whose changes are the right ones.
    """
    said = tuple(request.response for request in trace.requests)
    rows = [request.result for request in trace.requests]
    changes = [state for c in trace.diff.changes for state in (c.before, c.after) if state]
    acts = [request.response for request in trace.requests if request.changes]
    idle = task.gold.kind is GoldKind.NONE or not task.gold.gold_requests()
    rows += changes
    done = Done(
        now=task.now,
        said=said,
        support=support_of((task.utterance, *said), rows, task.now, _counts(trace)),
        rows=tuple(row for request in trace.requests for row in rows_of(request.result)),
        picked=texts_of(trace.diff.changes),
        deed=support_of((task.utterance, *acts), (*changes, *_meant(trace)), task.now),
        found=any(not is_empty(request.result) for request in trace.requests),
        left=stems(task.utterance) if idle else frozenset(),
        wished=frozenset(s for text in (task.utterance, *said) for s in stems(text)),
        quantified=QUANTIFIER.search(task.utterance) is not None,
        removed=any(change.kind == "removed" for change in trace.diff.changes),
        domains=frozenset(
            place
            for change in trace.diff.changes
            for place in (change.table, change.table.partition(".")[0])
        ),
    )
    if idle:
        return judge_inaction(wording(trace.answer), done)
    return judge_report(wording(trace.answer), done)
