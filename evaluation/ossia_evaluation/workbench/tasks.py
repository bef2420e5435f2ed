"""Published tasks as tasks of ours: the recorded calls of the truth become requests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.published import Published, PublishedTask
from ossia_dataset.world_tasks import Gold, GoldKind, WorldTask
from ossia_evaluation.workbench.reading import read_actions

SUITE = "workbench"


def published_tasks(published: Published) -> tuple[WorldTask, ...]:
    """Return every published task in the order of the publication.

    An action of a truth that raises in the published evaluator is skipped there, and left out here.
    """
    return tuple(_task(published, item) for item in published.tasks)


def _task(published: Published, item: PublishedTask) -> WorldTask:
    requests = tuple(_requests(item.actions))
    return WorldTask(
        id=f"wb-{item.domain}-{item.index:03d}",
        suite=SUITE,
        utterance=item.query,
        seed=published.database.seed,
        now=NOW,
        toolkits=item.toolkits,
        gold=Gold(
            domain=item.domain,
            intent=_template_id(item.template),
            kind=GoldKind.CHANGE if requests else GoldKind.NONE,
            requests=requests,
        ),
        source=f"workbench/{published.release}/{item.domain}#{item.index}",
    )


def _requests(actions: Sequence[str]) -> Iterator[Request]:
    for text in actions:
        for action in read_actions(text).actions:
            yield Request(domain=action.toolkit, params={"intent": action.tool, **action.arguments})


def _template_id(template: str) -> str:
    """A short name of a template; the words themselves are the publication's."""
    return "template-" + hashlib.sha256(template.encode()).hexdigest()[:8]
