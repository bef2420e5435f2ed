"""What a verification will do and about what it costs, before anything is asked of a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ossia.attribution.failures import Failure, read_failures
from ossia.attribution.run import contracts_of
from ossia.attribution.store import AttributionStore, verified_digest
from ossia.errors import UserError
from ossia.estimate import cost_of
from ossia.runner.config import RunConfig
from ossia.runner.run import Session
from ossia.runner.store import RunStore
from ossia.suites import find_suite
from ossia_evaluation.attribution import (
    MOST_PAIRS,
    Arm,
    Attribution,
    Spent,
    Status,
    Verification,
    causes_beside,
    family_to_verify,
    fewest_more,
)
from ossia_evaluation.attribution.contracts import WordsContracts
from ossia_servers.gateway import ROLES, names_upstream, read_specification
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain

MOST_UNASKED: Final = 5000
"""Model calls that are made without the user having named a number."""


@dataclass(frozen=True)
class Item:
    """A repair set that is to be verified.

    Attributes:
        failure: the failed episode.
        known: what has been sampled of it; without samples at first.
        digest: what the samples depend on.
        episode: what the recorded episode spent, and so about what each sample spends.
    """

    failure: Failure
    known: Verification
    digest: str
    episode: Spent


@dataclass(frozen=True)
class Plan:
    """What a verification will do.

    Attributes:
        items: the repair sets that are not verified in full yet.
        known: what was verified before, by episode; of unfinished ones what there is.
        unheld: attributed failures without a repair set of recorded steps alone; they are left out.
        least: about what is spent if every repair is decided as soon as can be.
        most: about what is spent if none is decided.
        most_calls: the most model calls that are made.
    """

    items: tuple[Item, ...]
    known: Mapping[str, Verification]
    unheld: int
    least: Spent
    most: Spent
    most_calls: int


def plan_verification(
    store: RunStore,
    session: Session,
    *,
    frameworks: Sequence[str] = (),
    max_calls: int | None = None,
) -> Plan:
    """Return what is to be verified, asking nothing of a model.

    What a sample spends is estimated by what its recorded episode spent.

    Args:
        store: the run, attributed.
        session: its configuration, tasks and models.
        frameworks: only these; all of the run when empty.
        max_calls: most model calls; 5000 where it is not given and so many should do.

    Raises:
        UserError: no live model made the run, it has to be said how many calls may be made, or
            they do not suffice for one sample.
    """
    items, known, unheld = _read(store, session, frozenset(frameworks or session.workers))
    least = most = Spent()
    for item in items:
        few, many = samples_left(item.known)
        least, most = least.plus(item.episode.times(few)), most.plus(item.episode.times(many))
    if items and max_calls is None and most.calls > MOST_UNASKED:
        raise UserError(
            f"verifying {len(items)} repairs takes about {least.calls} to {most.calls} calls of the"
            f" live model, which may be more than {MOST_UNASKED}; say how many it may make:"
            f" --max-calls {most.calls}"
        )
    one = min((item.episode.calls for item in items), default=0)
    if max_calls is not None and max_calls < one:
        raise UserError(
            f"--max-calls {max_calls} is not enough for one sample, which takes about {one}"
        )
    allowed = MOST_UNASKED if max_calls is None else max_calls
    return Plan(items, known, unheld, least, most, allowed)


def _read(
    store: RunStore, session: Session, names: Collection[str]
) -> tuple[tuple[Item, ...], Mapping[str, Verification], int]:
    config = session.config
    live = require_live(config)
    contracts = contracts_of(config, session.domains)
    failures = read_failures(store, session.tasks, session.grader, contracts, frozenset(names))
    items, known, unheld = [], {}, 0
    with AttributionStore(store.place) as kept:
        for failure in failures.items:
            key = failure.trace.episode
            found = kept.find(key.id, failure.digest)
            if found is None or found.status is not Status.ATTRIBUTED or key.model not in live:
                continue
            family = family_to_verify(found)
            if family is None:
                unheld += 1
                continue
            digest = verified_digest(failure.task, failure.trace, family)
            before = kept.find_verification(key.id, digest)
            if before is not None:
                known[key.id] = before
            begun = begun_of(before, found, family)
            if not begun.is_finished:
                spent = spent_by(failure.trace, free_models(key.model), config.price_model)
                items.append(Item(failure, begun, digest, spent))
    return tuple(items), known, unheld


def begun_of(
    before: Verification | None, found: Attribution, family: tuple[str, ...]
) -> Verification:
    """Return what has been sampled of a repair set; nothing where other causes stood beside it.

    Args:
        before: what is stored, if anything is.
        found: the attribution.
        family: its repair set that is verified.
    """
    beside = causes_beside(found, family)
    if before is None:
        return Verification(episode=found.episode, family=family, beside=beside)
    if before.beside == beside:
        return before
    dropped = {"repaired": (), "held": (), "anew": (), "untouched": 0}
    return before.model_copy(update={**dropped, "beside": beside})


def samples_left(item: Verification) -> tuple[int, int]:
    """Return how many samples a repair set takes still, in all arms: at least and at most.

    Args:
        item: what has been sampled of it.
    """
    made = sum(len(samples) for samples in item.successes.values())
    if item.is_contrasted:
        left = len(item.pairs) - len(item.anew)
        return left, left
    pairs = len(item.pairs)
    few = len(Arm) * (pairs + fewest_more(item.pairs)) - made
    return few, len(Arm) * MOST_PAIRS - made


def spent_by(trace: Trace, free: Collection[str], price_model: str | None) -> Spent:
    """Return what a recorded episode spent on models that cost something.

    Args:
        trace: the episode.
        free: names of models that run in this process.
        price_model: price all tokens as this model's.
    """
    total = Spent()
    for exchange in trace.gateway.exchanges:
        # What was answered from the cache is asked anew.
        calls = exchange.attempts or int(exchange.cached)
        if exchange.model in free or not calls:
            continue
        total = total.plus(Spent(calls=calls))
        if exchange.response is not None:
            total = total.plus(cost_of(price_model or exchange.model, exchange.usage))
    return total


def words_of(config: RunConfig, domains: Sequence[Domain]) -> WordsContracts:
    """Return the contracts of a run's roles, whose words can be set.

    Args:
        config: the run.
        domains: its domain servers.

    Raises:
        UserError: the roles' words cannot be set.
    """
    words = contracts_of(config, domains).words
    if words is None:
        raise UserError(
            f"--verify cannot be used with the suite '{config.suite}': its steps have no fixed"
            " form of text that could be replaced; `ossia attribute` alone finds their causes"
        )
    return words


def require_live(config: RunConfig) -> frozenset[str]:
    """Return the live models of a run.

    Raises:
        UserError: it has none, or its steps cannot be set to what their contracts demand.
    """
    words_of(config, find_suite(config.suite).domains(config.tasks))
    live = frozenset(filter(names_upstream, config.models))
    if not live:
        raise UserError(
            "--verify is for runs made with a live model; this run's models always give the same"
            " answers:"
            f" {', '.join(config.models)}"
        )
    return live


def free_models(model: str) -> frozenset[str]:
    """Return the names of a specification's models that run in this process."""
    specs = read_specification(model, ROLES).specs
    return frozenset(str(spec) for spec in specs if spec.kind != "upstream")
