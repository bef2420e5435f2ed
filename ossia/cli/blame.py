"""`ossia blame`: one failed episode, with the search as it goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
import uvloop

from ossia.attribution.attributor import Attributor, Tried
from ossia.attribution.evidence import ReplayInvalid
from ossia.attribution.replayer import open_replayer, worker_specs
from ossia.attribution.run import contracts_of
from ossia.attribution.shown import episode_text
from ossia.attribution.store import AttributionStore, digest_of
from ossia.cli import options, render
from ossia.cli.told import say
from ossia.errors import ReplayFailed, UserError
from ossia.runner.store import RunStore
from ossia.session import tasks_of
from ossia.suites import find_suite
from ossia_evaluation.attribution import Attribution, Repair
from ossia_evaluation.grade import Verdict


def blame_command(
    episode: Annotated[str, typer.Argument(help="An episode's id: framework.task.repeat.")],
    run: options.RunOption = None,
    json: options.Json = False,
) -> None:
    """Say which step of one failed episode is to blame, and show each replay of the search.

    The result is stored as by `ossia attribute`.
    """
    console = render.console(stderr=json)

    def tell(tried: Tried) -> None:
        outcome = "success" if tried.rerun.success else f"still fails: {tried.score.reason}"
        console.print(
            f"{tried.number:3}. {repair_text(tried.repair)}: {outcome}",
            markup=False,
            highlight=False,
        )

    found = uvloop.run(_blame(options.run_folder(run), episode, tell))
    if json:
        say(found.model_dump_json(indent=2))
    else:
        console.print(episode_text(found))


def repair_text(repair: Repair) -> str:
    """Return in words what a replay repairs."""
    names = " + ".join(sorted(repair.situations))
    if repair.all_but:
        return f"every step repaired but {names}" if names else "every step repaired"
    return f"{names} repaired" if names else "nothing repaired"


async def _blame(folder: Path, episode: str, tell: Callable[[Tried], None]) -> Attribution:
    with RunStore(folder) as store:
        config, trace = store.config(), store.trace(episode)
        tasks = tasks_of(config)
    suite = find_suite(config.suite)
    domains = suite.domains(config.tasks)
    grader, contracts = suite.grader(domains), contracts_of(config, domains)
    task = tasks[trace.episode.task]
    score = grader.score(task, trace)
    if score.verdict is not Verdict.FAILURE:
        raise UserError(f"the episode '{episode}' is no failure: {score.verdict}, {score.reason}")
    workers = worker_specs(config, options.home(), (trace.episode.framework,))
    # Opened first, so that nobody waits for a search whose result cannot be kept.
    with AttributionStore(folder) as kept:
        async with open_replayer(config, tasks, domains, workers, jobs=1) as replayer:
            attributor = Attributor(replayer, grader, contracts)
            try:
                found = await attributor.attribute(task, trace, score, tell)
            except ReplayInvalid as error:
                raise ReplayFailed(f"a replay of '{episode}' was invalid twice: {error}") from error
        kept.put(found, digest_of(task, trace))
    return found
