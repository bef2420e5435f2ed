"""The cause of one failed episode, searched by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ossia.attribution.attributor import Attributor, Tried
from ossia.attribution.evidence import ReplayInvalid
from ossia.attribution.replayer import open_replayer, worker_specs
from ossia.attribution.run import contracts_of
from ossia.attribution.store import AttributionStore, digest_of
from ossia.errors import ReplayFailed, UserError
from ossia.run_plan import tasks_of
from ossia.runner.store import RunStore
from ossia.storage.place import Place
from ossia.suites import find_suite
from ossia_evaluation.attribution import Attribution
from ossia_evaluation.grade import Verdict
from ossia_evaluation.service_faults import of_service


async def attribute_one(
    place: Place | Path, home: Path, episode: str, tell: Callable[[Tried], None]
) -> Attribution:
    """Search the cause of a failed episode, and store it.

    Args:
        place: where its run is stored.
        home: the folder of environments and runs.
        episode: its id.
        tell: is told of each replay of the search.

    Raises:
        UserError: there is no such episode, it is no failure, or its suite has no contracts.
        ReplayFailed: a replay came to nothing twice.
    """
    with RunStore(place) as store:
        config, trace = store.config(), store.trace(episode)
        tasks = tasks_of(config)
    suite = find_suite(config.suite)
    domains = suite.domains(config.tasks)
    grader, contracts = suite.grader(domains), contracts_of(config, domains)
    task = tasks[trace.episode.task]
    score = of_service(grader.score(task, trace), trace)
    if score.verdict is not Verdict.FAILURE:
        raise UserError(
            f"the episode '{episode}' is not a failure: {score.verdict}, {score.reason}"
        )
    workers = worker_specs(config, home, (trace.episode.framework,))
    # Opened first, so that nobody waits for a search whose result cannot be kept.
    with AttributionStore(place) as kept:
        async with open_replayer(config, tasks, domains, workers, jobs=1) as replayer:
            attributor = Attributor(replayer, grader, contracts)
            try:
                found = await attributor.attribute(task, trace, score, tell)
            except ReplayInvalid as error:
                raise ReplayFailed(f"a replay of '{episode}' was invalid twice: {error}") from error
        kept.put(found, digest_of(task, trace))
    return found
