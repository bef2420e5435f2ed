"""Writing task sets: the training tasks as built, and the facts of tasks written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ossia.assistant.training_set.build import Builder, Built
from ossia_dataset.assistant.tasks import AssistantTask, assistant_tasks
from ossia_dataset.builtin import builtin_sets
from ossia_dataset.tasks import read_tasks, write_tasks
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.gold_facts import facts_of
from ossia_evaluation.assistant.proof import AssistantProver
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline.understanding.corpus import load_corpus

SET = "train"
"""The name of the set that is built."""

_COMPOUND = "assistant-compound"


def builder() -> Builder:
    """Return a builder that knows all utterances and every task that is not for training."""
    return Builder(load_corpus().examples, held_out(), AssistantProver(load_domains()))


def held_out() -> tuple[WorldTask, ...]:
    """Return the tasks of all built-in sets that nothing is trained on."""
    return tuple(
        task
        for suite in ("assistant", _COMPOUND)
        for name in builtin_sets(suite)
        if name != SET
        for task in assistant_tasks(name, suite)
    )


def write_training_set(folder: Path, domains: Sequence[str]) -> Iterator[tuple[str, Built]]:
    """Build the training tasks of domains and write one file for each.

    Args:
        folder: where to write; made if it is not there.
        domains: names of domains.

    Yields:
        Each domain with what its utterances became, once its file is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    making = builder()
    for domain in domains:
        built = making.build(domain)
        write_tasks(folder / f"{domain}.jsonl", built.tasks)
        yield domain, built


def fill_facts(path: Path, *, again: bool = False) -> Iterator[WorldTask]:
    """Give the tasks of a file the facts of their gold runs.

    Args:
        path: a task file, which is written again.
        again: whether tasks that have facts get new ones.

    Yields:
        Each task that has got facts.

    Raises:
        TaskError: the file cannot be read.
        GoldError: a gold run is refused by the servers.
    """
    prover = AssistantProver(load_domains())
    tasks = []
    for task in read_tasks(path, AssistantTask):
        kept = () if again else task.gold.facts
        facts = kept or facts_of(task, prover.gold(task))
        gold = task.gold.model_copy(update={"facts": facts})
        tasks.append(task.model_copy(update={"gold": gold}))
        if facts != task.gold.facts:
            yield tasks[-1]
    write_tasks(path, tasks)
