"""The generator of tasks: templates, drawn values, and truths computed from the prompt's words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ossia_dataset.randomness import seeded_random
from ossia_dataset.tasks import Request
from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.drawing import draw, told_apart
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_dataset.workbench.office import Office
from ossia_dataset.workbench.templates.all import templates
from ossia_dataset.workbench.templates.form import Template, Values
from ossia_dataset.world_tasks import Gold, GoldKind, WorldTask

SUITE = "workbench"
TASK_SETS = ("retrieval", "test")
DEFAULT_SEED = 1
"""The seed of the built-in sets."""

PER_TEMPLATE = 10
MOST_ACTIONS = 12
_TRIES = 20_000


@cache
def generate_tasks(task_set: str, seed: int = DEFAULT_SEED) -> tuple[WorldTask, ...]:
    """Return ten tasks for each template of a set.

    Args:
        task_set: `test` or `retrieval`.
        seed: decides the office and everything that is drawn.

    Raises:
        ValueError: there is no such set, or the office has too few rows for a template.
    """
    name = office_seed(seed)
    office = office_of(name)
    return tuple(
        task for item in templates(task_set) for task in _tasks(item, office, name, task_set)
    )


@cache
def office_of(seed: str) -> Office:
    """Return the generated office of a seed."""
    return Office(generated_database(seed))


def _tasks(item: Template, office: Office, seed: str, task_set: str) -> Iterator[WorldTask]:
    rng = seeded_random("tasks", seed, item.name)
    wanted = {True: item.idle, False: PER_TEMPLATE - item.idle}
    order = [True] * wanted[True] + [False] * wanted[False]
    rng.shuffle(order)
    said: set[str] = set()
    for number, idle in enumerate(order):
        phrasing = number % len(item.phrasings)
        for _ in range(_TRIES):
            values = draw(office, rng, item.placeholders)
            requests = item.truth(office, values)
            if requests is None or bool(requests) is idle or len(requests) > MOST_ACTIONS:
                continue
            if idle:
                values = told_apart(values)
            prompt = item.say(phrasing, values)
            if prompt not in said and list(item.read(prompt)) == [values]:
                break
        else:
            raise ValueError(f"template {item.name}: no task was found in {_TRIES} draws")
        said.add(prompt)
        yield WorldTask(
            id=f"{task_set}-{item.name}-{number}",
            suite=SUITE,
            utterance=prompt,
            seed=seed,
            now=NOW,
            toolkits=item.toolkits,
            gold=_gold(item, office, values, requests),
        )


def _gold(item: Template, office: Office, values: Values, requests: tuple[Request, ...]) -> Gold:
    facts = () if item.facts is None else item.facts(office, values)
    looks = () if item.looks is None else item.looks(office, values)
    kind = GoldKind.CHANGE if requests else GoldKind.NONE
    return Gold(
        domain=item.domain,
        intent=item.name,
        kind=kind if item.facts is None else GoldKind.ANSWER,
        requests=requests,
        facts=facts,
        looks=looks,
    )


def disagreement(task: WorldTask) -> str | None:
    """Return how a task's truth differs from what its prompt says, or None.

    The prompt is read back by its template, and the truth computed anew from the words found.

    Args:
        task: a task of a generated office.
    """
    found = next(
        (t for name in TASK_SETS for t in templates(name) if t.name == task.gold.intent), None
    )
    if found is None:
        return f"no template is called '{task.gold.intent}'"
    readings = found.read(task.utterance)
    if len(readings) != 1:
        return f"the prompt can be read in {len(readings)} ways"
    office, values = office_of(task.seed), readings[0]
    if found.truth(office, values) != task.gold.gold_requests():
        return "the prompt asks for something else than the truth does"
    facts = () if found.facts is None else found.facts(office, values)
    if facts != task.gold.facts:
        return "the facts are not those that are asked for"
    looks = () if found.looks is None else found.looks(office, values)
    return None if looks == task.gold.looks else "the looks do not tell what the prompt depends on"
