"""`ossia score flowbench-run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson
import typer
from rich.text import Text

from ossia.cli import options
from ossia.cli.groups import grouped
from ossia.cli.judging import JudgeOptions
from ossia.cli.told import make_console, say, say_lines
from ossia.errors import UserError
from ossia.judging import Judge, Marks, Question
from ossia.judging_shown import agreement_table, marks_lines
from ossia.run_plan import tasks_of
from ossia.runner.store import RunStore
from ossia.storage.place import Place
from ossia_dataset.flowbench.sessions import SessionTask
from ossia_dataset.tasks import Task
from ossia_evaluation.flowbench.gold import shipped_golds
from ossia_evaluation.flowbench.grades import FlowGrade
from ossia_evaluation.flowbench.judging import has_answer, question, score_by_rules
from ossia_evaluation.flowbench.tables import Table, flow_tables
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.judged import Agreement, agreement
from ossia_evaluation.report.word_table import word_table
from ossia_servers.trace import Trace


@grouped
def run_command(
    *,
    context: typer.Context,
    run: options.RunName = None,
    judging: JudgeOptions,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """Print a run of FlowBench in the publication's tables.

    For each framework and model, next to the published figures. With --judge, a
    language model also marks the responses.
    """
    judge, place = judging.wanted(context), options.run_place(run, store)
    with RunStore(place) as stored:
        config = stored.config()
        tasks = tasks_of(config)
        episodes = list(stored.readable_episodes())
    tables = flow_tables(tasks, episodes, _label)
    if not tables:
        raise UserError(f"the run {config.run_id} has no valid episode of FlowBench")
    found = None if judge is None else _judged(judge, judging, tasks, episodes, place)
    if json:
        told: dict[str, Any] = {table.name: asdict(table) for table in tables}
        if judge is not None and found is not None:
            told["judge"] = _told(judge, *found)
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    _show(tables)
    if judge is not None and found is not None:
        marks, lines = found
        make_console().print(agreement_table(judge, lines))
        say_lines(marks_lines(marks))


def _label(trace: Trace) -> str:
    return f"{trace.episode.framework}, {trace.episode.model}"


def _show(tables: Sequence[Table]) -> None:
    console = make_console()
    for table in tables:
        console.print(Text(f"\n{table.title}"))
        shown = word_table(*table.columns, lead=table.lead)
        for row in table.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)


def _judged(
    judge: Judge,
    judging: JudgeOptions,
    tasks: Mapping[str, Task],
    episodes: Sequence[tuple[Trace, Grade]],
    place: Place,
) -> tuple[Marks, dict[str, Agreement]]:
    """Ask for marks for the valid episodes, and compare them with the scores by rules."""
    golds, questions = shipped_golds(), list[Question]()
    scores: dict[str, dict[str, float | None]] = {}
    for trace, grade in episodes:
        task = tasks.get(trace.episode.task)
        if not isinstance(task, SessionTask) or not isinstance(grade, FlowGrade):
            continue
        if grade.verdict is Verdict.INVALID:
            continue
        messages = question(task, trace, golds) if has_answer(trace) else ()
        questions.append(Question(trace.episode.id, messages))
        scores.setdefault(_label(trace), {})[trace.episode.id] = score_by_rules(grade)
    marks = judging.marks(judge, questions, place)
    made = marks.by_episode
    return marks, {
        label: agreement((made[name].mark, score) for name, score in part.items() if name in made)
        for label, part in scores.items()
    }


def _told(judge: Judge, marks: Marks, lines: Mapping[str, Agreement]) -> Mapping[str, Any]:
    return {
        "model": judge.model,
        "spent": marks.spent.model_dump(),
        "asked_now": marks.asked_now,
        "unanswered": marks.unanswered,
        "marks": {name: each.mark for name, each in marks.by_episode.items()},
        "agreement": {label: asdict(found) for label, found in lines.items()},
    }
