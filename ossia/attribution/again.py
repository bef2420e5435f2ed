"""One episode once more from its tape, with steps replaced by what a user gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from ossia.attribution.replayer import open_replayer, worker_specs
from ossia.attribution.run import contracts_of
from ossia.errors import UserError
from ossia.run_plan import tasks_of
from ossia.runner.config import RunConfig
from ossia.runner.store import RunStore
from ossia.storage.place import Place
from ossia.suites import find_suite
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import How, Recording, Repair
from ossia_evaluation.attribution.assemble import shown_text
from ossia_evaluation.attribution.contracts import SettableEpisode, SettingScript
from ossia_evaluation.report.figures import UNKNOWN
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StepAgain(_Frozen):
    """One step before and now; None where it did not occur."""

    situation: str
    how: How | None
    """Where its last answer came from in the replay."""
    before: str | None
    now: str | None


class Again(_Frozen):
    """An episode and its replay, side by side."""

    version: int = 1
    episode: str
    replaced: tuple[str, ...]
    steps: tuple[StepAgain, ...]
    requests_before: tuple[str, ...]
    requests_now: tuple[str, ...]
    answer_before: str
    answer_now: str
    verdict_before: str
    reason_before: str
    verdict_now: str
    reason_now: str
    assumed: tuple[str, ...] = ()
    """The moments that are assumed to have answered rightly, although nothing was recorded of it:
    they did not occur before, or no intent reached them any more."""


def read_replacement(text: str) -> tuple[str, str]:
    """Return a step and what is to stand in place of what it said.

    Args:
        text: STEP=FILE.

    Raises:
        UserError: the text has another form, or the file cannot be read.
    """
    step, mark, file = text.partition("=")
    if not mark or not step or not file:
        raise UserError(f"--set needs STEP=FILE, not '{text}'")
    try:
        return step, Path(file).read_text("utf-8").strip()
    except UnicodeDecodeError:
        raise UserError(f"{file}: the file is not in UTF-8") from None
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from None


async def play_again(
    place: Place | Path, home: Path, episode: str, given: Mapping[str, str]
) -> Again:
    """Run an episode again from its tape.

    Args:
        place: the run.
        home: the folder of Ossia's environments.
        episode: the episode's id.
        given: texts to be said in place of steps, by number, role or moment.

    Raises:
        UserError: the episode or a step is not there, or the task's roles have no single oracle.
        WorkerStartError: the framework's worker cannot be started.
    """
    with RunStore(place) as store:
        config, before = store.config(), store.trace(episode)
        tasks = tasks_of(config)
    task, suite = tasks[before.episode.task], find_suite(config.suite)
    domains = suite.domains(config.tasks)
    grader = suite.grader(domains)
    recorded = _settable(config, domains, task, before)
    recording = recorded.recording
    replaced = {_situation(recording, step, episode): text for step, text in given.items()}
    script = recorded.setting(Repair(), given=replaced)
    workers = worker_specs(config, home, (before.episode.framework,))
    async with open_replayer(config, tasks, domains, workers, jobs=1) as replayer:
        now = await replayer.replay(before.episode, script)
    first, second = grader.score(task, before), grader.score(task, now)
    return Again(
        episode=episode,
        replaced=tuple(replaced),
        steps=_steps(recording, recorded.read(now, script), script),
        requests_before=_requests(before),
        requests_now=_requests(now),
        answer_before=before.answer,
        answer_now=now.answer,
        verdict_before=first.verdict,
        reason_before=first.reason,
        verdict_now=second.verdict,
        reason_now=second.reason,
        assumed=script.assumed,
    )


def _settable(
    config: RunConfig, domains: Sequence[Domain], task: Task, trace: Trace
) -> SettableEpisode:
    contracts = contracts_of(config, domains)
    if contracts.words is None:
        raise UserError(
            f"the steps of the suite '{config.suite}' have no fixed form of text that could be"
            " replaced"
        )
    if contracts.why_unsupported(task) is not None:
        raise UserError(
            f"the task '{task.id}' has several requests; such episodes cannot be replayed"
        )
    return contracts.words.episode(task, trace)


def _situation(recording: Recording, step: str, episode: str) -> str:
    """Return the moment that a user means by a number, a role or the moment itself."""
    for found in recording.steps:
        if step in (str(found.index + 1), found.situation, found.role):
            return found.situation
    known = ", ".join(f"{found.index + 1} {found.situation}" for found in recording.steps)
    raise UserError(f"the episode '{episode}' has no step '{step}'; it has: {known}")


def _steps(before: Recording, now: Recording, script: SettingScript) -> tuple[StepAgain, ...]:
    old, new = before.by_situation, now.by_situation
    how = {played.situation: played.how for played in script.played}
    return tuple(
        StepAgain(
            situation=name,
            how=how.get(name),
            before=shown_text(old[name]) if name in old else None,
            now=shown_text(new[name]) if name in new else None,
        )
        for name in dict.fromkeys([*old, *new])
    )


def _requests(trace: Trace) -> tuple[str, ...]:
    found = []
    for request in trace.requests:
        params = " ".join(f"{name}={value}" for name, value in request.params.items())
        found.append(f"/{request.domain} {params} -> {request.code}")
    return tuple(found)


_GONE: Final = "did not occur"

_MEANING: Final = {
    How.TAPE: "as recorded, since what it builds on is unchanged",
    How.EDITED: "corrected for its new input; its own error is kept",
    How.REPAIRED: "what its contract demands",
    How.NEW: "what its contract demands, since nothing was recorded",
    How.GIVEN: "your text",
}


def _legend(steps: Sequence[StepAgain]) -> Iterator[str]:
    """Yield what the marks of these steps mean."""
    if any(map(_changed, steps)):
        yield "* says something different from before"
    for how in dict.fromkeys(step.how for step in steps if step.how is not None):
        yield f"({how}) {_MEANING[how]}"
    yield ""


def _changed(step: StepAgain) -> bool:
    return step.now is not None and step.now != step.before


def again_lines(found: Again) -> Iterator[str]:
    """Yield what changed, in lines for people."""
    yield from _legend(found.steps)
    for step in found.steps:
        changed = _changed(step)
        yield f"{'*' if changed else ' '} {step.situation} ({step.how or _GONE})"
        if step.before is not None:
            yield f"      before: {step.before}"
        if changed:
            yield f"      now:    {step.now or UNKNOWN}"
    yield f"requests before: {'; '.join(found.requests_before) or 'none'}"
    yield f"requests now:    {'; '.join(found.requests_now) or 'none'}"
    yield f"answer before:   {found.answer_before or UNKNOWN}"
    yield f"answer now:      {found.answer_now or UNKNOWN}"
    yield f"verdict before:  {found.verdict_before}: {found.reason_before}"
    yield f"verdict now:     {found.verdict_now}: {found.reason_now}"
    if found.assumed:
        names = ", ".join(found.assumed)
        yield (
            f"assuming that {names} would then have answered correctly: no such answer was recorded"
        )
