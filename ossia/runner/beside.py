"""Several stored runs laid side by side, as if they were one with more frameworks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from ossia.errors import UserError
from ossia.runner.comparable import check_dataset, require_one_division, require_same_dataset
from ossia.runner.config import RunConfig
from ossia.runner.figures import metrics_of
from ossia.runner.isolation import isolation_of
from ossia.runner.plan import plan
from ossia.runner.results import (
    comparison_of,
    facts_of_run,
    framework_titles,
    framework_versions,
    models_alike,
    outdated_text,
    rows_of,
    scorer_versions,
    spent_fact,
    unreadable_text,
    worker_figures,
)
from ossia.runner.store import RunStore
from ossia.storage.place import Place
from ossia.suites import find_suite
from ossia.tasks import find_tasks, told_tasks
from ossia_dataset.tasks import Task
from ossia_evaluation.compare import Comparison, compare


@dataclass(frozen=True)
class Beside:
    """Stored runs to be compared with a run."""

    places: tuple[Place, ...] = ()
    force: bool = False
    """Also where datasets differ; of tasks that are gone nothing is shown."""

    def check(self, config: RunConfig) -> None:
        """Refuse runs on other datasets, before anything is run.

        Raises:
            UserError: a run was made with another dataset, or is the run itself.
        """
        configs = []
        for place in self.places:
            if place.id == config.run_id:
                raise UserError(f"the run {config.run_id} cannot be compared with itself")
            with RunStore(place) as store:
                configs.append(store.config())
        require_same_dataset([config, *configs], force=self.force)
        require_one_division(each for one in (config, *configs) for each in one.frameworks)

    def compared(self, store: RunStore, tasks: Mapping[str, Task]) -> Comparison:
        """Return the comparison of a run, with its tasks, with these.

        Raises:
            UserError: a run was made with another dataset, and it is not forced.
        """
        if not self.places:
            return comparison_of(store, tasks)
        with ExitStack() as stack:
            others = [stack.enter_context(RunStore(place)) for place in self.places]
            return _beside(store, tasks, others, force=self.force)


def _beside(
    store: RunStore, tasks: Mapping[str, Task], others: Sequence[RunStore], *, force: bool
) -> Comparison:
    """Compare a run with stored ones; their frameworks bear the end of their run's name."""
    configs = [store.config(), *(other.config() for other in others)]
    require_same_dataset(configs, force=force)
    rows = list(rows_of(store, tasks))
    versions, titles = framework_versions(store), framework_titles(configs[0])
    workers = worker_figures(store)
    for other, config in zip(others, configs[1:], strict=True):
        whole = told_tasks(find_tasks(config.tasks, config.suite), config.suite, config.forms)
        held = {task.id: task for task in whole}
        known = {name: held[name] for name in config.task_ids if name in held}
        if not force:
            check_dataset(config, list(known.values()))
        mark = config.run_id.rpartition("-")[2]
        for row in rows_of(other, known):
            names = {"framework": f"{row.framework} @{mark}", "episode": f"{mark}/{row.episode}"}
            rows.append(row.model_copy(update=names))
        for name, version in framework_versions(other).items():
            versions[f"{name} @{mark}"] = version
        workers |= {f"{name} @{mark}": each for name, each in worker_figures(other).items()}
        titles |= framework_titles(config, f" @{mark}")
    suite = find_suite(configs[0].suite)
    isolation = isolation_of([store, *others])
    scorers = sorted({version for each in (store, *others) for version in scorer_versions(each)})
    return compare(
        rows,
        run=configs[0].run_id,
        frameworks=versions,
        roles=suite.roles,
        planned=sum(len(plan(config)) for config in configs),
        facts={
            **facts_of_run(configs[0], scorers),
            **({} if isolation is None else {"isolation": isolation}),
            **spent_fact(store),
            **_warnings((store, *others)),
            "beside": " | ".join(map(_told, configs[1:])),
        },
        models=list(dict.fromkeys(model for config in configs for model in config.models)),
        metrics=metrics_of(suite.name),
        success=suite.success,
        titles=titles,
        alike=frozenset.intersection(*map(models_alike, configs)),
        workers=workers,
    )


def _warnings(stores: Sequence[RunStore]) -> dict[str, str]:
    """What makes runs differ that is not of their frameworks, and what could not be read."""
    first, differ, damaged = stores[0].config(), [], []
    for store in stores:
        config, outdated = store.config(), outdated_text(store)
        if config.ossia != first.ossia:
            made = f"was made with Ossia {config.ossia}, {first.run_id} with {first.ossia}"
            differ.append(f"{config.run_id} {made}")
        if outdated is not None:
            differ.append(f"{config.run_id}: {outdated}")
        if store.damaged:
            damaged.append(f"{config.run_id}: {unreadable_text('episode', store.damaged)}")
    told = {"outdated": "; ".join(differ), "damaged": "; ".join(damaged)}
    return {name: text for name, text in told.items() if text}


def _told(config: RunConfig) -> str:
    """A run by its name, with what its teams were told, and the model of its user."""
    told = [] if config.knowledge is None else [f"knowledge: {config.knowledge.what}"]
    told += [f"prompts: {config.prompts}"] if config.prompts else []
    told += [f"simulated user: {config.user}"] if config.user else []
    return f"{config.run_id} ({', '.join(told)})" if told else config.run_id
