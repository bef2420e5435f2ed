"""A run of FlowBench in the tables of its publication, with the published figures beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Final, TypeAlias

from ossia_dataset.tasks import Task
from ossia_evaluation.flowbench.deviations import Cause, FailureType
from ossia_evaluation.flowbench.grades import (
    FlowGrade,
    SessionGrade,
    TurnGrade,
    node_accuracy,
)
from ossia_evaluation.flowbench.measures.corrected import Tally
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.words import count_of
from ossia_servers.trace import Trace
from ossia_workflows.flowbench import Knowledge

__all__ = ["Played", "Table", "flow_tables"]

_NONE: Final = "-"
_PLAIN: Final = "as given"
"""The knowledge of a run that plays each session once."""
_KINDS: Final = ("single", "cross")
"""Sessions of one scenario, and across several."""
_ORDER: Final = (*_KINDS, *Knowledge)

_PUBLISHED_SESSIONS: Final[Mapping[tuple[str, str, str], Mapping[str, str]]] = {
    ("GPT-4o", "flowchart", "single"): {"tool F1": "78.3", "success": "42.7", "progress": "82.2"},
    ("GPT-4-Turbo", "none_without_tools", "single"): {"success": "28.9"},
    ("GPT-4-Turbo", "none", "single"): {"success": "31.9"},
    ("GPT-4-Turbo", "text", "single"): {"success": "41.5"},
    ("GPT-4-Turbo", "code", "single"): {"success": "37.8"},
    ("GPT-4-Turbo", "flowchart", "single"): {"success": "40.6"},
    ("GPT-4-Turbo", "ensemble", "single"): {"success": "45.3"},
}
"""What the publication gives, by model, knowledge and session; a language model judged it."""

_PUBLISHED_TURNS: Final[Mapping[tuple[str, str, str], Mapping[str, str]]] = {
    ("GPT-4o", "flowchart", "single"): {
        "tool F1": "75.5",
        "parameter F1": "80.9",
        "response": "8.38 of 10",
    },
    ("GPT-4o", "", "single"): {"nodes": "92.5"},
    ("GPT-4o", "", "cross"): {"nodes": "84.0"},
    ("GPT-4-Turbo", "", "single"): {"nodes": "91.8"},
    ("GPT-4-Turbo", "", "cross"): {"nodes": "70.7"},
    ("GPT-3.5", "", "single"): {"nodes": "77.9"},
    ("GPT-3.5", "", "cross"): {"nodes": "57.3"},
}


@dataclass(frozen=True, slots=True)
class Played:
    """An episode with its task and grade."""

    task: Task
    trace: Trace
    grade: FlowGrade

    @property
    def knowledge(self) -> str:
        """The form of the knowledge that the team was given."""
        return self.task.groups.get("knowledge", _PLAIN)


@dataclass(frozen=True, slots=True)
class Table:
    """A table, ready to be shown.

    Attributes:
        name: What a file calls it.
        title: What is told.
        lead: How many columns name a row.
        columns: The heads of all columns.
        rows: The cells.
    """

    name: str
    title: str
    lead: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Episodes: TypeAlias = Sequence[Played]
_Figure: TypeAlias = Callable[[Episodes], str]


def flow_tables(
    tasks: Mapping[str, Task],
    episodes: Iterable[tuple[Trace, Grade]],
    label: Callable[[Trace], str],
) -> tuple[Table, ...]:
    """Return the tables of a run; none without a valid episode.

    Shares are in percent. Calls are summed over episodes before precision and recall are taken, as
    published. Episodes that ended in an error or at a limit count; invalid ones do not.

    Args:
        tasks: The run's tasks by id.
        episodes: Its episodes with their grades.
        label: What a framework with its model is called.
    """
    lines: dict[str, list[Played]] = {}
    for trace, grade in episodes:
        task = tasks.get(trace.episode.task)
        valid = isinstance(grade, FlowGrade) and grade.verdict is not Verdict.INVALID
        if task is not None and valid and isinstance(grade, FlowGrade):
            lines.setdefault(label(trace), []).append(Played(task, trace, grade))
    if not lines:
        return ()
    sessions = any(isinstance(one.grade, SessionGrade) for part in lines.values() for one in part)
    tables = [_by_form(lines, sessions=sessions), _by_domain(lines), _efficiency(lines)]
    if sessions:
        tables += [_failures(lines), _causes(lines)]
    return (*tables, _measures(lines))


def _by_form(lines: Mapping[str, Episodes], *, sessions: bool) -> Table:
    figures: Mapping[str, _Figure] = {
        "n": lambda part: str(len(part)),
        "tool P": lambda part: _percent(_sum(part, lambda grade: grade.calls).precision),
        "tool R": lambda part: _percent(_sum(part, lambda grade: grade.calls).recall),
        "tool F1": lambda part: _percent(_sum(part, lambda grade: grade.calls).f1),
        "parameter F1": lambda part: _percent(_sum(part, lambda grade: grade.parameters).f1),
        **({"progress": _progress} if sessions else {"response": _response}),
        "success": _success,
        "nodes": lambda part: _percent(node_accuracy(_sum(part, lambda grade: grade.nodes))),
    }
    rows = []
    for line, part in lines.items():
        for form, episodes in _groups(part, _form_of):
            for kind, group in _groups(episodes, lambda one: one.task.groups.get("session", "")):
                cells = [figure(group) for figure in figures.values()]
                rows.append((line, form, kind, *cells))
    published = _PUBLISHED_SESSIONS if sessions else _PUBLISHED_TURNS
    for (model, form, kind), known in published.items():
        cells = [known.get(column, "") for column in figures]
        rows.append((f"{model}, published", form, kind, *cells))
    columns = ("framework", "knowledge", "session", *figures)
    return Table("knowledge", "By form of the knowledge", 3, columns, tuple(rows))


def _by_domain(lines: Mapping[str, Episodes]) -> Table:
    forms = [form for form, _ in _groups([x for p in lines.values() for x in p], _form_of)]
    rows = []
    for line, part in lines.items():
        for domain, episodes in _groups(part, lambda one: one.task.groups.get("domain", "")):
            by_form = dict(_groups(episodes, _form_of))
            cells = [
                figure(by_form.get(form, ())) for form in forms for figure in (_success, _tool_f1)
            ]
            rows.append((line, domain, str(len(episodes)), *cells))
    columns = [f"{form} {name}" for form in forms for name in ("success", "tool F1")]
    return Table(
        "domain", "Domain by domain", 2, ("framework", "domain", "n", *columns), tuple(rows)
    )


def _efficiency(lines: Mapping[str, Episodes]) -> Table:
    rows = []
    for line, part in lines.items():
        for form, episodes in _groups(part, _form_of):
            records = [one.trace.gateway for one in episodes]
            calls = sum(record.calls for record in records)
            prompts = sum(record.prompt_tokens for record in records)
            tokens = sum(record.total_tokens for record in records)
            rows.append(
                (
                    line,
                    form,
                    _mean(calls, len(records)),
                    _mean(prompts, calls),
                    _mean(tokens, len(records)),
                    _success(episodes),
                    _tool_f1(episodes),
                )
            )
    columns = ("calls", "prompt tokens a call", "tokens an episode", "success", "tool F1")
    return Table(
        "tokens", "What the knowledge costs", 2, ("framework", "knowledge", *columns), tuple(rows)
    )


def _failures(lines: Mapping[str, Episodes]) -> Table:
    rows = []
    for line, part in lines.items():
        for form, episodes in _groups(part, _form_of):
            grades = [one.grade for one in episodes if isinstance(one.grade, SessionGrade)]
            counts = {kind: sum(grade.failures[kind] for grade in grades) for kind in FailureType}
            total = sum(counts.values())
            cells = [count_of(n, total) if total else str(n) for n in counts.values()]
            rows.append((line, form, str(total), *cells))
    columns = ("framework", "knowledge", "all", *FailureType)
    return Table("failures", "Where sessions leave their workflow", 2, columns, tuple(rows))


def _causes(lines: Mapping[str, Episodes]) -> Table:
    rows = []
    for line, part in lines.items():
        for form, episodes in _groups(part, _form_of):
            grades = [one.grade for one in episodes if isinstance(one.grade, SessionGrade)]
            failed = [grade for grade in grades if grade.verdict is Verdict.FAILURE]
            counts = Counter(grade.cause for grade in failed)
            cells = [str(counts[cause]) for cause in (*Cause, None)]
            rows.append((line, form, str(len(failed)), *cells))
    columns = ("framework", "knowledge", "failed", *Cause, "none")
    return Table("causes", "What failed sessions do wrong first", 2, columns, tuple(rows))


def _measures(lines: Mapping[str, Episodes]) -> Table:
    """Where the published measure of calls parts from the one to one measure."""
    rows = []
    for line, part in lines.items():
        for form, episodes in _groups(part, _form_of):
            apart = [one for one in episodes if _parts(one.grade)]
            above = sum((one.grade.published.f1 or 0) > (one.grade.calls.f1 or 0) for one in apart)
            cells = (
                _tool_f1(episodes),
                _percent(_sum(episodes, lambda grade: grade.published).f1),
                f"{len(apart)} of {len(episodes)}",
                str(above),
            )
            rows.append((line, form, *cells))
    columns = ("tool F1", "published tool F1", "episodes apart", "published higher")
    return Table(
        "measures",
        "Where the published measure differs",
        2,
        ("framework", "knowledge", *columns),
        tuple(rows),
    )


def _parts(grade: FlowGrade) -> bool:
    # Without calls the published code counts one on both sides.
    return (grade.published.f1 or 0) != (grade.calls.f1 if grade.calls.f1 is not None else 1)


def _form_of(one: Played) -> str:
    return one.knowledge


def _groups(episodes: Episodes, key: Callable[[Played], str]) -> Iterator[tuple[str, Episodes]]:
    """Episodes by group, in the publication's order where it has one."""
    found: dict[str, list[Played]] = {}
    for one in episodes:
        found.setdefault(key(one), []).append(one)
    for name in sorted(found, key=lambda each: _ORDER.index(each) if each in _ORDER else -1):
        yield name, found[name]


def _sum(episodes: Episodes, tally: Callable[[FlowGrade], Tally]) -> Tally:
    return reduce(add, (tally(one.grade) for one in episodes), Tally())


def _success(episodes: Episodes) -> str:
    right = sum(one.grade.verdict is Verdict.SUCCESS for one in episodes)
    return _percent(right / len(episodes) if episodes else None)


def _tool_f1(episodes: Episodes) -> str:
    return _percent(_sum(episodes, lambda grade: grade.calls).f1)


def _progress(episodes: Episodes) -> str:
    grades = [one.grade for one in episodes if isinstance(one.grade, SessionGrade)]
    return _average([grade.goals.recall for grade in grades])


def _response(episodes: Episodes) -> str:
    grades = [one.grade for one in episodes if isinstance(one.grade, TurnGrade)]
    return _average([grade.response.recall for grade in grades])


def _average(shares: Iterable[float | None]) -> str:
    known = [share for share in shares if share is not None]
    return _percent(sum(known) / len(known) if known else None)


def _mean(total: float, of: int) -> str:
    return f"{total / of:,.1f}" if of else _NONE


def _percent(share: float | None) -> str:
    return _NONE if share is None else f"{100 * share:.1f}"
