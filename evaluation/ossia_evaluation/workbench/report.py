"""What an office agent's report is held against: the prompt, the tools' answers, the new rows."""

from __future__ import annotations

from collections.abc import Mapping

from ossia_dataset.tasks import GoldKind, Task
from ossia_evaluation.evidence import is_empty, rows_of
from ossia_evaluation.reply.judge import judge_inaction, judge_report
from ossia_evaluation.reply.judgement import Done, Judgement
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.reply.support import support_of
from ossia_evaluation.reply.vocabulary import QUANTIFIER
from ossia_servers.trace import Trace


def _counts(trace: Trace) -> list[int]:
    """How many rows were seen and changed, and what the figures of a table come to."""
    found = [len(trace.diff.changes)]
    for request in trace.requests:
        found.append(len(rows_of(request.result)))
        if isinstance(request.result, Mapping):
            figures = [v for v in request.result.values() if isinstance(v, int)]
            found.append(sum(figures))
    return found


def judge_reply(task: Task, trace: Trace) -> Judgement:
    """Judge what the user was told at the end of an episode that is no question.

    Args:
        task: a task whose gold changes rows, or in which nothing is to be done.
        trace: the episode, whose changes are the right ones.
    """
    said = tuple(request.response for request in trace.requests)
    rows = [request.result for request in trace.requests]
    rows += [change.after for change in trace.diff.changes if change.after]
    idle = task.gold.kind is GoldKind.NONE or not task.gold.gold_requests()
    done = Done(
        now=task.now,
        said=said,
        support=support_of((task.utterance, *said), rows, task.now, _counts(trace)),
        found=any(not is_empty(request.result) for request in trace.requests),
        left=stems(task.utterance) if idle else frozenset(),
        wished=frozenset(s for text in (task.utterance, *said) for s in stems(text)),
        quantified=QUANTIFIER.search(task.utterance) is not None,
        domains=frozenset(request.domain for request in trace.requests if request.changes),
    )
    if idle:
        return judge_inaction(trace.answer, done)
    return judge_report(trace.answer, done)
