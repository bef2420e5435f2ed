"""About what a run will cost, from a free run of the same tasks and frameworks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from ossia.errors import UserError
from ossia.run_plan import RunPlan
from ossia.runner.catalog import Catalog
from ossia.runner.config import RunConfig
from ossia.runner.plan import missing
from ossia.runner.plan import plan as episodes_of
from ossia.runner.store import RunStore
from ossia.storage.place import Place
from ossia.suite import Suite
from ossia_evaluation.attribution import Spent, spent_text
from ossia_evaluation.grade import Verdict
from ossia_servers.gateway import (
    Message,
    Usage,
    is_priced,
    price_usd,
    read_specification,
    upstream_name,
)
from ossia_servers.gateway.estimates import estimate_usage
from ossia_servers.trace import EpisodeKey, Trace

_GOLD: Final = "gold"

_ASKED_ABOVE_USD: Final = 1.0
"""What costs no more is begun without a question."""


@dataclass(frozen=True)
class Estimate:
    """What a run is likely to ask of upstream models.

    Attributes:
        source: the free run that it was taken from.
        player: the model that played it.
        episodes: the episodes that are still to run with an upstream model.
        unknown: how many of them the free run says nothing of; in no other number.
        by_model: what is asked of each upstream model.
    """

    source: str
    player: str
    episodes: int
    unknown: int
    by_model: Mapping[str, Spent]

    @property
    def total(self) -> Spent:
        """What is asked of all of them; its price is unknown where that of one is."""
        total = Spent()
        for each in self.by_model.values():
            total = total.plus(each)
        if self.unknown:
            return total.model_copy(update={"price_usd": None})
        return total

    @property
    def cheap(self) -> bool:
        """Whether the run may begin without a question."""
        price = self.total.price_usd
        return not self.episodes or (price is not None and price <= _ASKED_ABOVE_USD)


def cost_of(model: str, usage: Usage | None) -> Spent:
    """Return what an answered call cost beside the call itself.

    Args:
        model: the model whose price is asked for.
        usage: its tokens; None where they are not known.
    """
    return Spent(
        tokens=0 if usage is None else usage.total_tokens,
        estimated=usage is None or usage.source == "estimate",
        price_usd=price_usd(model, usage),
    )


def _free_config(config: RunConfig, suite: Suite[Any]) -> RunConfig:
    """Return the run of the same tasks and frameworks that costs nothing.

    It is the one that `--model offline` names, so what there is of it already is not played again.

    Args:
        config: the run that is to be estimated.
        suite: its suite.

    Raises:
        UserError: no model of Ossia's own plays the suite.
    """
    if suite.offline is not None:
        player = "offline"
    elif _GOLD in suite.players:
        player = _GOLD
    else:
        raise UserError(
            f"--estimate cannot be used with the suite '{suite.name}': no free model can play it"
        )
    free = {
        "user": "",
        "user_hash": "",
        "models": (player,),
        "model_hashes": ("",),
        "base_url": None,
        "base_urls": (),
        "price_model": None,
        "repeats": 1,
        "parameters": (),
        "cache": False,
    }
    return config.model_copy(update=free)


def estimate_run(
    plan: RunPlan, catalog: Catalog, play: Callable[[RunPlan], None], *, fresh: bool
) -> Estimate | None:
    """Return what a run is likely to cost, or None where no upstream model is asked.

    Args:
        plan: the run.
        catalog: where runs are.
        play: plays a run to its end: the free one, which may be there in part.
        fresh: whether the run's earlier results are to be forgotten.

    Raises:
        UserError: no free model plays the suite.
    """
    config = plan.config
    free = _free_config(config, plan.suite)
    done = frozenset() if fresh else _finished(catalog.place(config.run_id))
    if _user_name(config) is None and not any(_upstreams(plan, model) for model in config.models):
        return None
    play(replace(plan, config=free))
    with RunStore(catalog.place(free.run_id)) as store:
        return _estimate(plan, missing(episodes_of(config), done), store)


def _finished(place: Place) -> frozenset[str]:
    if not place.exists():
        return frozenset()
    with RunStore(place) as store:
        return store.finished()


def _estimate(plan: RunPlan, todo: Collection[EpisodeKey], free: RunStore) -> Estimate:
    """What the episodes of a run are likely to ask, by the free run of their tasks."""
    user = _user_name(plan.config)
    played = {
        (trace.episode.framework, trace.episode.task): (
            _asked(trace),
            () if user is None else asyncio.run(_asked_user(plan, trace)),
        )
        for trace in _valid(free)
    }
    sums: dict[str, Spent] = {}
    episodes = unknown = 0
    repeats = Counter((key.framework, key.task, key.model) for key in todo)
    for (framework, task, model), number in repeats.items():
        upstreams = _upstreams(plan, model)
        if not upstreams and user is None:
            continue
        episodes += number
        asked = played.get((framework, task))
        if asked is None:
            unknown += number
            continue
        calls = [(upstreams.get(role), usage) for role, usage in asked[0]]
        for name, usage in [*calls, *((user, usage) for usage in asked[1])]:
            if name is not None:
                cost = Spent(calls=1).plus(cost_of(plan.config.price_model or name, usage))
                sums[name] = sums.get(name, Spent()).plus(cost.times(number))
    player = free.config().models[0]
    return Estimate(free.config().run_id, player, episodes, unknown, sums)


def paid_models(plan: RunPlan) -> list[str]:
    """Return the upstream models of a run whose price is known."""
    asked = [_upstreams(plan, model).values() for model in plan.config.models]
    user = _user_name(plan.config)
    names = dict.fromkeys(name for upstreams in asked for name in upstreams)
    if user is not None:
        names[user] = None
    return [name for name in names if is_priced(plan.config.price_model or name)]


def estimate_lines(found: Estimate, max_cost: float | None) -> tuple[str, ...]:
    """Return an estimate in lines.

    Args:
        found: the estimate.
        max_cost: the most US dollars that the run may spend.
    """
    many = "1 episode" if found.episodes == 1 else f"{found.episodes:,} episodes"
    lines = [f"estimate for {many}, by the {found.player} run {found.source}:"]
    lines += [f"  {name}: {spent_text(spent)}" for name, spent in found.by_model.items()]
    if len(found.by_model) > 1:
        lines.append(f"  all: {spent_text(found.total)}")
    if found.unknown:
        lines.append(f"  not included: {found.unknown:,} episodes that are invalid in that run")
    lines.append("a model that writes more, reasons, makes mistakes or is asked again needs more")
    price = found.total.price_usd
    if max_cost is not None and price is not None and price > max_cost:
        lines.append(f"that is more than --max-cost {max_cost:g}: the run would stop before")
    return tuple(lines)


def _valid(free: RunStore) -> Iterable[Trace]:
    for trace in free.traces():
        score = free.readable_score(trace.episode.id)
        if score is not None and score.verdict is not Verdict.INVALID:
            yield trace


def _asked(trace: Trace) -> tuple[tuple[str, Usage | None], ...]:
    """The role and the tokens of each answered call."""
    return tuple((e.role, e.usage) for e in trace.gateway.exchanges if e.response is not None)


class _CountedError(Exception):
    """Ends a simulated user's reply when its question is counted."""


async def _asked_user(plan: RunPlan, trace: Trace) -> tuple[Usage | None, ...]:
    """The tokens that a model would take to speak for the user of a conversation."""
    made, found = plan.suite.llm_user, list[Usage | None]()
    assert made is not None, "a user's model is refused where there is no such user"
    task = plan.tasks[trace.episode.task]
    given = tuple(plan.suite.history(task))
    for number in range(1, len(trace.turns) + 1):
        said = trace.turns[number].user if number < len(trace.turns) else ""

        async def ask(messages: Sequence[Message], said: str = said) -> str:
            found.append(estimate_usage({"messages": list(messages)}, {"content": said}))
            raise _CountedError

        with suppress(_CountedError):
            await made(task, plan.domains, ask).reply((*given, *trace.turns[:number]))
    return tuple(found)


def _user_name(config: RunConfig) -> str | None:
    """The upstream model that speaks for the simulated user; None where none does."""
    if not config.user:
        return None
    spec = read_specification(config.user, ()).default
    return upstream_name(spec.target) if spec.kind == "upstream" else None


def _upstreams(plan: RunPlan, model: str) -> dict[str, str]:
    """The upstream model that answers for each role; roles without one are left out."""
    # A player of the suite may look like an upstream model by its name.
    if model in plan.suite.players:
        return {}
    spec = read_specification(model, plan.roles)
    of = {role: spec.by_role.get(role, spec.default) for role in plan.roles}
    return {role: upstream_name(one.target) for role, one in of.items() if one.kind == "upstream"}
