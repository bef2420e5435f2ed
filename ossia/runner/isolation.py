"""What the operating system held a run's workers to, as the run's store keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from ossia.runner.store import RunStore
from ossia.worker import Aspect, confinement_text

ISOLATION_VERSION: Final = 1
"""Version of the stored record; runs of before have none."""

NOT_RECORDED = "not recorded"
"""Said of runs that were stored before the record was made."""


class Isolation(BaseModel):
    """What held for every worker of one framework, in all sessions of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = ISOLATION_VERSION
    enforced: tuple[Aspect, ...]


def note_isolation(store: RunStore, framework: str, enforced: Sequence[Aspect]) -> None:
    """Store what held for a worker, together with what held for the framework's earlier ones."""
    before = _stored(store, framework)
    kept = [each for each in enforced if before is None or each in before.enforced]
    now = Isolation(enforced=tuple(kept))
    if now != before:
        store.set_meta(_key(framework), now.model_dump_json())


def isolation_of(stores: Sequence[RunStore]) -> str | None:
    """Return in words how far the workers of runs were confined; None where none has run yet."""
    found = []
    for store in stores:
        for framework in store.config().frameworks:
            noted = _stored(store, framework.name)
            if noted is not None:
                found.append(frozenset(noted.enforced))
            elif store.meta(f"framework.{framework.name}") is not None:
                return NOT_RECORDED
    return confinement_text(frozenset.intersection(*found)) if found else None


def _stored(store: RunStore, framework: str) -> Isolation | None:
    text = store.meta(_key(framework))
    return None if text is None else Isolation.model_validate_json(text)


def _key(framework: str) -> str:
    return f"isolation.{framework}"
