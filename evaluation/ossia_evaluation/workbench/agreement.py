"""Our verdicts on recorded runs against the published evaluator's, run by run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from ossia_dataset.tasks import TaskError
from ossia_dataset.workbench.published import Published
from ossia_evaluation.csv_text import csv_text
from ossia_evaluation.workbench.log import (
    OracleVerdict,
    judged_files,
    read_log,
    read_oracle,
    score_log,
)
from ossia_evaluation.workbench.replay import Replayer
from ossia_evaluation.workbench.summary import Summary, TaskVerdict, summarise

RUN_COLUMNS: Final = (
    "file",
    "task",
    "domain",
    "template",
    "query",
    "truth_actions",
    "correct",
    "side_effects",
    "category",
    "exact",
    "oracle_correct",
    "oracle_side_effects",
    "agrees",
    "skipped",
)


class JudgedRun(TaskVerdict):
    """One recorded run with our verdict and the published one."""

    file: str
    """Name of the results file, with its folder's."""
    oracle: OracleVerdict | None = None
    """What the published evaluator says of this query; None where nothing is known."""

    @property
    def agrees(self) -> bool | None:
        """Whether both verdicts are the same; None without a published one."""
        if self.oracle is None:
            return None
        return (self.correct, self.side_effects) == (self.oracle.correct, self.oracle.side_effects)


class Agreement(BaseModel):
    """How the published verdicts compare with ours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdicts: int
    """How many verdicts the oracle has of the files that are scored."""
    agreed: int
    """Of these, how many have exactly one run, and the same verdict there."""
    differences: tuple[str, ...]
    """A sentence on everything that is not alike, never cut."""


class LogSummary(Summary):
    """The shares of recorded runs, and each run."""

    runs: tuple[JudgedRun, ...]
    oracle: Agreement | None
    """None where no published verdicts were given."""


def score_logs(file: Path, oracle: Path | None, published: Published) -> LogSummary:
    """Score recorded runs, and hold them against the published verdicts where these are given.

    Args:
        file: a results file, or a folder of such files.
        oracle: a folder of published verdicts, or one such file.
        published: the databases and tasks.

    Raises:
        TaskError: a file cannot be read, or there is no recorded run; or one of several files holds
            none, and no oracle knows how many it should hold.
    """
    replayer = Replayer(lambda seed: published.database, published.database.seed)
    logs = sorted(file.rglob("*.csv")) if file.is_dir() else [file]
    if not logs:
        raise TaskError(f"{file}: contains no CSV file")
    runs: list[JudgedRun] = []
    parts = []
    for log in logs:
        name = f"{log.parent.name}/{log.name}"
        theirs = {} if oracle is None else read_oracle(oracle, log)
        ours = judged(name, tuple(score_log(log, read_log(log), published, replayer)), theirs)
        if not ours and oracle is None:
            raise TaskError(f"{log}: contains no recorded run")
        runs += ours
        parts.append(agreement(name, ours, theirs))
    if not runs:
        raise TaskError(f"{file}: contains no recorded run")
    if oracle is not None and file.is_dir():
        parts += _missing_files(file, logs, oracle)
    return LogSummary(
        **dict(summarise(published.release, runs)),
        runs=tuple(runs),
        oracle=None if oracle is None else together(parts),
    )


def _missing_files(folder: Path, logs: Sequence[Path], oracle: Path) -> Iterator[Agreement]:
    """What the oracle judges of the folder that is scored, and that is not there.

    A results file belongs to the folder where the oracle's path of it leads through that name.
    """
    there = {(log.parent.name, log.name) for log in logs}
    for source in judged_files(oracle):
        inside = folder.resolve().name in source.parent.parts
        if inside and (source.parent.name, source.name) not in there:
            name = f"{source.parent.name}/{source.name}"
            yield missing_file(name, read_oracle(oracle, source))


def judged(
    file: str, verdicts: Sequence[TaskVerdict], oracle: Mapping[str, OracleVerdict]
) -> tuple[JudgedRun, ...]:
    """Return the runs of one results file, each with the published verdict on its query.

    Args:
        file: name of the results file.
        verdicts: ours, one for each run.
        oracle: the published ones of this file by query; empty where there are none.
    """
    return tuple(
        JudgedRun(file=file, oracle=oracle.get(item.query), **dict(item)) for item in verdicts
    )


def agreement(
    file: str, runs: Sequence[JudgedRun], oracle: Mapping[str, OracleVerdict]
) -> Agreement:
    """Hold the runs of one results file against every published verdict on it.

    A verdict without a run, a run without a verdict and a query that was run twice are differences,
    so that a file that was cut or copied cannot pass for a whole one.

    Args:
        file: name of the results file.
        runs: its runs; may be empty.
        oracle: the published verdicts by query.
    """
    counts = Counter(run.query for run in runs)
    alike = {run.query for run in runs if run.agrees} - {
        run.query for run in runs if not run.agrees
    }
    return Agreement(
        verdicts=len(oracle),
        agreed=sum(counts[query] == 1 and query in alike for query in oracle),
        differences=tuple(_differences(file, runs, oracle, counts)),
    )


def together(parts: Sequence[Agreement]) -> Agreement:
    """Return the agreement over several files."""
    return Agreement(
        verdicts=sum(part.verdicts for part in parts),
        agreed=sum(part.agreed for part in parts),
        differences=tuple(line for part in parts for line in part.differences),
    )


def missing_file(file: str, oracle: Mapping[str, OracleVerdict]) -> Agreement:
    """Return the agreement on a judged results file that is not there at all."""
    told = f"{file}: the file is missing; the oracle judges {len(oracle)} runs of it"
    return Agreement(verdicts=len(oracle), agreed=0, differences=(told,))


def runs_csv(runs: Sequence[JudgedRun]) -> str:
    """Return runs as CSV with a header; skipped actions are a JSON list in one cell."""
    return csv_text(RUN_COLUMNS, map(_run_cells, runs))


def _run_cells(run: JudgedRun) -> list[object]:
    theirs = run.oracle
    cells = {
        **run.model_dump(mode="json"),
        "oracle_correct": None if theirs is None else theirs.correct,
        "oracle_side_effects": None if theirs is None else theirs.side_effects,
        "agrees": run.agrees,
        "skipped": json.dumps(run.skipped, ensure_ascii=False) if run.skipped else "",
    }
    return [cells[name] for name in RUN_COLUMNS]


def _differences(
    file: str,
    runs: Sequence[JudgedRun],
    oracle: Mapping[str, OracleVerdict],
    counts: Mapping[str, int],
) -> Iterator[str]:
    if not runs:
        yield f"{file}: contains no recorded run; the oracle judges {len(oracle)}"
        return
    for run in runs:
        if run.oracle is None:
            yield f"{file}: {run.task}: the oracle has no verdict"
        elif not run.agrees:
            yield (
                f"{file}: {run.task}: correct {run.correct}, side effects {run.side_effects};"
                f" the oracle says {run.oracle.correct}, {run.oracle.side_effects}"
            )
    for query, count in counts.items():
        if count > 1:
            task = next(run.task for run in runs if run.query == query)
            yield f"{file}: {task}: recorded {count} times"
    for query in oracle:
        if query not in counts:
            yield f"{file}: no run of {query!r}, which the oracle judges"
