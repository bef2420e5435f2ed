"""What a verification will do, and the most it may cost, before anything is asked of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ossia.attribution.failures import Failure, read_failures
from ossia.attribution.store import AttributionStore, verified_digest
from ossia.errors import UserError
from ossia.office import TEAMS
from ossia.runner.config import RunConfig
from ossia.runner.run import Session
from ossia.runner.store import RunStore
from ossia_evaluation.attribution import MOST_SAMPLES, Arm, Attribution, Status, Verification
from ossia_evaluation.score import Scorer
from ossia_servers.gateway import ROLES, read_specification

MOST_INVALID: Final = 3
"""Samples lost to infrastructure after which an arm is given up."""


MOST_UNASKED: Final = 5000
"""Model calls that are spent without the user having named a number."""


@dataclass(frozen=True)
class Plan:
    """What a verification will do.

    Attributes:
        items: the failures whose top repair set is not verified yet.
        known: what was verified before, by episode.
        most_calls: the most model calls it may spend.
    """

    items: tuple[tuple[Failure, Attribution], ...]
    known: Mapping[str, Verification]
    most_calls: int


def plan_verification(
    store: RunStore,
    session: Session,
    *,
    frameworks: Sequence[str] = (),
    max_calls: int | None = None,
) -> Plan:
    """Return what is to be verified, asking nothing of a model.

    Args:
        store: the run, attributed.
        session: its configuration, tasks and models.
        frameworks: only these; all of the run when empty.
        max_calls: most model calls; without it as many as the samples may need, if these are not
            too many.

    Raises:
        UserError: no live model made the run, or it has to be said how many calls may be made.
    """
    config = session.config
    live = require_live(config)
    names = frozenset(frameworks or session.workers)
    scorer = Scorer(session.domains)
    failures = read_failures(store, session.tasks, scorer, session.domains, names)
    items, known = [], {}
    with AttributionStore(store.folder) as kept:
        for failure in failures.items:
            found = kept.find(failure.trace.episode.id, failure.digest)
            if found is None or found.status is not Status.ATTRIBUTED:
                continue
            if failure.trace.episode.model not in live:
                continue
            before = kept.find_verification(found.episode, verified_digest(failure.digest, found))
            if before is None or before.cut:
                items.append((failure, found))
            if before is not None:
                known[found.episode] = before
    samples = len(Arm) * (MOST_SAMPLES + MOST_INVALID - 1)
    needed = len(items) * samples * config.budget.calls
    if max_calls is None and needed > MOST_UNASKED:
        raise UserError(
            f"to verify {len(items)} repairs may take {needed} calls of the live model, which is"
            f" more than {MOST_UNASKED}; say how many it may make: --max-calls {needed}"
        )
    return Plan(tuple(items), known, needed if max_calls is None else min(needed, max_calls))


def require_live(config: RunConfig) -> frozenset[str]:
    """Return the live models of a run.

    Raises:
        UserError: it has none, or its steps cannot be set to what their contracts demand.
    """
    if config.suite in TEAMS:
        raise UserError(
            f"--verify cannot be used with the suite '{config.suite}': its steps have no words of"
            " a fixed form to be set; `ossia attribute` alone finds their causes"
        )
    live = frozenset(name for name in config.models if is_live(name))
    if not live:
        raise UserError(
            "--verify is for runs made with a live model; this run's would say the same again:"
            f" {', '.join(config.models)}"
        )
    return live


def is_live(model: str) -> bool:
    """Say whether a specification asks an upstream model for some role."""
    return any(spec.kind == "upstream" for spec in read_specification(model, ROLES).specs)
