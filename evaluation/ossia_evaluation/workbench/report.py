"""What an office agent's report is held against: the prompt, the tools' answers and the new rows."""

from __future__ import annotations

from ossia_dataset.tasks import GoldKind, Task
from ossia_evaluation.reply.judge import QUANTIFIER, Done, Judgement, judge_inaction, judge_report
from ossia_evaluation.reply.support import support_of
from ossia_servers.trace import Trace


def judge_reply(task: Task, trace: Trace) -> Judgement:
    """Judge what the user was told at the end of an episode that is no question.

    Args:
        task: a task whose gold changes rows, or in which nothing is to be done.
        trace: the episode, whose changes are the right ones.
    """
    said = tuple(request.response for request in trace.requests)
    rows = [request.result for request in trace.requests]
    rows += [change.after for change in trace.diff.changes if change.after]
    done = Done(
        now=task.now,
        said=said,
        support=support_of((task.utterance, *said), rows, task.now, (len(trace.diff.changes),)),
        quantified=QUANTIFIER.search(task.utterance) is not None,
        domains=frozenset(request.domain for request in trace.requests if request.changes),
    )
    if task.gold.kind is GoldKind.NONE or not task.gold.gold_requests():
        return judge_inaction(trace.answer, done)
    return judge_report(trace.answer, done)
