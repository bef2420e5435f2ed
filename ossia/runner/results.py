"""From a stored run to its comparison, and scoring again without running."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import orjson

from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.figures import Figures, metrics_of
from ossia.runner.isolation import isolation_of
from ossia.runner.plan import plan
from ossia.runner.store import RunStore
from ossia.suites import find_suite, suite_version
from ossia_dataset.tasks import Task
from ossia_evaluation.compare import (
    Comparison,
    EpisodeRow,
    Title,
    WorkerFigures,
    compare,
)
from ossia_evaluation.finding import REFERENCE
from ossia_evaluation.grade import Grade
from ossia_evaluation.report import EpisodeDetail, episode_detail
from ossia_evaluation.service_faults import of_service
from ossia_evaluation.stress import FaultAbout, Played, Stress, measure
from ossia_evaluation.words import counted
from ossia_servers.gateway import names_upstream
from ossia_servers.worlds.domain import Domain

SPENT = "spent_usd"
"""What a run has spent so far is stored under this name, calls under way at their most."""

_GRADED_BY = "graded_by"
"""The releases of a suite that graded a run are stored under this name."""

UNFOLDED = 2_000
"""A report unfolds at most so many episodes: a browser opens no page with ten thousands of them."""

UNREADABLE_NAMED = 5
"""At most so many things that cannot be read are named in one line."""


def rows_of(store: RunStore, tasks: Mapping[str, Task]) -> tuple[EpisodeRow, ...]:
    """Return every stored episode of some tasks in numbers, in the order of the plan.

    Episodes that cannot be read are left out; `RunStore.damaged` names them.

    Raises:
        UserError: none can be read, or a metric cannot be counted as the suite declares it.
    """
    return tuple(each.row for each in played_of(store, tasks))


def played_of(store: RunStore, tasks: Mapping[str, Task]) -> tuple[Played, ...]:
    """Return the same with what stress asks for, if the run has faults."""
    config, stored = store.config(), set(store.episodes())
    wanted = [key.id for key in plan(config) if key.id in stored and key.task in tasks]
    try:
        found = tuple(_played(store, tasks, wanted))
    except ValueError as error:
        raise UserError(f"the suite '{config.suite}': {error}") from None
    if wanted and not found:
        # Says what is wrong with the first.
        store.trace(wanted[0])
        store.score(wanted[0])
    return found


def _played(store: RunStore, tasks: Mapping[str, Task], wanted: Sequence[str]) -> Iterator[Played]:
    """Yield the figures of episodes, from their traces where none are kept that count."""
    figures = Figures(store.config())
    for episode, kept in store.figures(wanted):
        known = figures.read(episode, kept)
        if known is not None:
            yield known
            continue
        for trace, score in store.readable_episodes([episode]):
            yield figures.of(tasks[trace.episode.task], trace, score)


def unreadable_text(what: str, names: Sequence[str]) -> str:
    """Say how many things could not be read, and which: `1 episode could not be read: NAME`.

    Args:
        what: the thing, such as `episode`.
        names: which; the first are named and the rest is counted.
    """
    count = counted(len(names), what)
    more = len(names) - UNREADABLE_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"{count} could not be read: {', '.join(names[:UNREADABLE_NAMED])}{rest}"


def comparison_of(
    store: RunStore, tasks: Mapping[str, Task], known: tuple[Played, ...] | None = None
) -> Comparison:
    """Return the comparison of a run as far as it has come.

    Args:
        store: the run.
        tasks: its tasks by id.
        known: its episodes as `played_of` gives them, where they have been read already.
    """
    config = store.config()
    episodes = played_of(store, tasks) if known is None else known
    rows = tuple(each.row for each in episodes)
    facts = facts_of_run(config, scorer_versions(store))
    suite = find_suite(config.suite)
    facts |= suite.facts(tasks.values())
    isolation = isolation_of([store])
    if isolation is not None:
        facts["isolation"] = isolation
    facts |= spent_fact(store)
    outdated = outdated_text(store)
    if outdated is not None:
        facts["outdated"] = outdated
    if store.damaged:
        facts["damaged"] = unreadable_text("episode", store.damaged)
    compared = compare(
        rows,
        run=config.run_id,
        frameworks=framework_versions(store),
        roles=suite.roles,
        planned=sum(not key.fault for key in plan(config)),
        facts=facts,
        models=config.models,
        metrics=metrics_of(config.suite),
        success=suite.success,
        titles=framework_titles(config),
        alike=models_alike(config),
        workers=worker_figures(store),
    )
    return compared.model_copy(update={"stress": _stress(config, episodes, compared)})


def _stress(config: RunConfig, episodes: Sequence[Played], compared: Comparison) -> Stress | None:
    """What the episodes with faults show; None for a run without faults."""
    if config.stress is None:
        return None
    return measure(
        episodes,
        [FaultAbout.of(fault) for fault in config.stress.faults],
        run=config.run_id,
        plan=config.stress.name,
        seed=config.stress.seed,
        labels={line.framework: compared.name(line.framework) for line in compared.frameworks},
        models=compared.models,
        reference=REFERENCE,
    )


def spent_fact(store: RunStore) -> dict[str, str]:
    """Return what the whole run has spent, under `spent`; empty where it paid nothing.

    Tables of costs tell of valid episodes alone, as they were played last.
    """
    spent = float(store.meta(SPENT) or 0.0)
    if not spent:
        return {}
    return {"spent": f"{spent:.4f} USD (invalid episodes and attempts without usage included)"}


def models_alike(config: RunConfig) -> frozenset[str]:
    """Return the models of a run that answer alike in whatever framework; none with a live user."""
    if config.user:
        return frozenset()
    players = find_suite(config.suite).players
    return frozenset(m for m in config.models if m in players or not names_upstream(m))


def framework_titles(config: RunConfig, mark: str = "") -> dict[str, Title]:
    """Return what tables call a run's frameworks, by name.

    Args:
        config: the run.
        mark: what both end with, where runs are laid side by side.
    """
    return {
        f"{each.name}{mark}": Title(
            text=f"{each.title or each.name}{mark}", idiom=each.idiom, status=each.status
        )
        for each in config.frameworks
    }


def framework_versions(store: RunStore) -> dict[str, str]:
    """Return the frameworks' exact versions as their workers told them; empty before they did."""
    found = {}
    for framework in store.config().frameworks:
        found[framework.name] = ""
        text = store.meta(f"framework.{framework.name}")
        if text is not None:
            info = orjson.loads(text)
            mark = f" (editable, source {framework.digest})" if framework.editable else ""
            found[framework.name] = f"{info['framework']} {info['version']}{mark}"
    return found


def worker_figures(store: RunStore) -> dict[str, WorkerFigures]:
    """Return what the first worker of each framework took until it was ready, where it is kept."""
    found = {}
    for framework in store.config().frameworks:
        info = orjson.loads(store.meta(f"framework.{framework.name}") or "{}")
        if "import_cpu_s" in info:
            figures = {name: info[name] for name in WorkerFigures.model_fields}
            found[framework.name] = WorkerFigures(**figures)
    return found


def rescore(store: RunStore, tasks: Mapping[str, Task], domains: Sequence[Domain]) -> int:
    """Score all stored episodes again, without running; returns how many verdicts changed."""
    grader = find_suite(store.config().suite).grader(domains)
    figures, changed = Figures(store.config()), [0]

    def scores() -> Iterator[tuple[str, Grade, tuple[str, str] | None]]:
        for trace in store.traces():
            task = tasks[trace.episode.task]
            score = of_service(grader.score(task, trace), trace)
            before = store.readable_score(trace.episode.id)
            changed[0] += before is None or score.verdict is not before.verdict
            yield trace.episode.id, score, figures.record(task, trace, score)

    store.put_scores(scores())
    note_grader(store, again=True)
    return changed[0]


def rescore_text(store: RunStore, tasks: Mapping[str, Task], domains: Sequence[Domain]) -> str:
    """Score all stored episodes again, and say what that has changed."""
    suite = store.config().suite
    before, now = scorer_text(scorer_versions(store), suite), scorer_text((), suite)
    changed = rescore(store, tasks, domains)
    by = f"were given by the scorer's {before}, now by {now}"
    if before == now:
        by = f"are those of the scorer's {now}"
    return f"{len(store.episodes())} scored, {changed} changed: the verdicts {by}"


def note_grader(store: RunStore, *, again: bool = False) -> None:
    """Store which release of another distribution's suite grades a run from now on.

    Args:
        store: the run, open for writing.
        again: whether it has graded all of it, so that earlier ones do not count.
    """
    present = suite_version(store.config().suite)
    before = [] if again else orjson.loads(store.meta(_GRADED_BY) or "[]")
    if present and present not in before:
        store.set_meta(_GRADED_BY, orjson.dumps([*before, present]).decode())


def outdated_text(store: RunStore) -> str | None:
    """Say that the present grader did not give all verdicts of a run; None where it did."""
    suite = store.config().suite
    present, versions = find_suite(suite).grade().present_version(), scorer_versions(store)
    by = f"the scorer's {scorer_text(versions, suite).partition(' (')[0]}, now {present}"
    if set(versions) <= {present}:
        now, graded_by = suite_version(suite), orjson.loads(store.meta(_GRADED_BY) or "[]")
        if not now or set(graded_by) <= {now}:
            return None
        by = f"the suite of {' and '.join(graded_by)}, now {now}"
    return f"verdicts were given by {by}: see `ossia rescore`"


def scorer_versions(store: RunStore) -> tuple[int, ...]:
    """Return the versions of the scorer that gave the stored verdicts of a run, in order."""
    return tuple(sorted({*store.score_versions()}))


def scorer_text(versions: Sequence[int], suite: str) -> str:
    """Say in words which versions of the scorer gave verdicts, and whether one is outdated.

    Args:
        versions: as `scorer_versions` gives them; none where nothing is scored yet.
        suite: whose scorer.
    """
    present = find_suite(suite).grade().present_version()
    if not versions:
        return f"version {present}"
    text = " and ".join(f"version {version}" for version in versions)
    if set(versions) == {present}:
        return text
    return f"{text} (the current one is {present}: see `ossia rescore`)"


def facts_of_run(config: RunConfig, scorers: Sequence[int]) -> dict[str, str]:
    """Return what a reader needs to repeat a run, by what it is called.

    Args:
        config: the run.
        scorers: the versions of the scorer that gave the verdicts, as `scorer_versions` says.
    """
    return {
        "suite": config.suite,
        "model" if len(config.models) == 1 else "models": " | ".join(config.models),
        "tasks": f"{config.tasks} ({len(config.task_ids)}, hash {config.dataset_hash})",
        "dataset": f"version {config.dataset_version}" if config.dataset_version else "own",
        "repeats": str(config.repeats),
        "seed": "none" if config.seed is None else str(config.seed),
        "budget": (
            f"{config.budget.calls} calls, {config.budget.tokens} tokens,"
            f" {config.budget.seconds:g} s"
        ),
        **_parameter_facts(config),
        **({} if config.knowledge is None else {"knowledge": config.knowledge.what}),
        **({"prompts": config.prompts} if config.prompts else {}),
        **({"simulated user": config.user} if config.user else {}),
        **({"forms of knowledge": ", ".join(config.forms)} if config.forms else {}),
        **_stress_facts(config),
        "scorer": scorer_text(scorers, config.suite),
        "ossia": config.ossia,
    }


def _stress_facts(config: RunConfig) -> dict[str, str]:
    """The run's plan of faults; nothing without one."""
    plan = config.stress
    if plan is None:
        return {}
    return {"stress": f"{plan.name}: {counted(len(plan.faults), 'fault')}, seed {plan.seed}"}


def _parameter_facts(config: RunConfig) -> dict[str, str]:
    """What was changed in the requests on their way to an upstream; nothing where nothing was."""
    given = [str(each) for each in config.parameters if not each.known]
    dropped: dict[str, list[str]] = {}
    for each in config.parameters:
        if each.known:
            dropped.setdefault(each.model, []).append(each.name)
    known = [f"{model} never gets {', '.join(names)}" for model, names in dropped.items()]
    changes = "; ".join([*given, *known])
    return {"model parameters": changes} if changes else {}


def detail_of(store: RunStore, tasks: Mapping[str, Task]) -> tuple[tuple[EpisodeDetail, ...], int]:
    """Return the first failed and invalid episodes as the report unfolds them.

    Returns:
        At most `UNFOLDED` of them, and how many there are beyond these.
    """
    told = store.unsuccessful()
    wanted = [key.id for key in plan(store.config()) if key.id in told]
    details = tuple(
        episode_detail(tasks[trace.episode.task], trace, score)
        for trace, score in store.readable_episodes(wanted[:UNFOLDED])
    )
    return details, max(0, len(wanted) - UNFOLDED)
