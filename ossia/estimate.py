"""About what a run will cost, from a free run of the same tasks and frameworks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.store import RunStore
from ossia.suite import Suite
from ossia_evaluation.attribution import Spent, spent_text
from ossia_evaluation.grade import Verdict
from ossia_servers.gateway import Usage, price_usd, read_specification, upstream_name
from ossia_servers.trace import EpisodeKey, Trace

_GOLD: Final = "gold"


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


def free_config(config: RunConfig, suite: Suite[Any]) -> RunConfig:
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
            f"--estimate cannot be used with the suite '{suite.name}': no free model plays it"
        )
    free = {
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


def estimate(
    config: RunConfig,
    todo: Collection[EpisodeKey],
    free: RunStore,
    *,
    roles: Collection[str],
    unpaid: Collection[str] = (),
) -> Estimate:
    """Return what the episodes of a run are likely to ask of upstream models.

    Args:
        config: the run.
        todo: its episodes that are still to be run.
        free: the free run, played.
        roles: the roles of its team.
        unpaid: models that look like upstream models by their names, and are none.
    """
    played = {
        (trace.episode.framework, trace.episode.task): _asked(trace) for trace in _valid(free)
    }
    sums: dict[str, Spent] = {}
    episodes = unknown = 0
    for key in todo:
        upstreams = upstreams_of(key.model, roles, unpaid)
        if not upstreams:
            continue
        episodes += 1
        asked = played.get((key.framework, key.task))
        if asked is None:
            unknown += 1
            continue
        for role, usage in asked:
            name = upstreams.get(role)
            if name is not None:
                cost = Spent(calls=1).plus(cost_of(config.price_model or name, usage))
                sums[name] = sums.get(name, Spent()).plus(cost)
    player = free.config().models[0]
    return Estimate(free.config().run_id, player, episodes, unknown, sums)


def estimate_lines(found: Estimate) -> tuple[str, ...]:
    """Return an estimate in lines."""
    many = "1 episode" if found.episodes == 1 else f"{found.episodes:,} episodes"
    lines = [f"estimate for {many}, by the {found.player} run {found.source}:"]
    lines += [f"  {name}: {spent_text(spent)}" for name, spent in found.by_model.items()]
    if len(found.by_model) > 1:
        lines.append(f"  all: {spent_text(found.total)}")
    if found.unknown:
        lines.append(f"  not in it: {found.unknown:,} episodes that are invalid in that run")
    lines.append("a model that says more, reasons, errs or is asked again takes more")
    return tuple(lines)


def _valid(free: RunStore) -> Iterable[Trace]:
    for trace in free.traces():
        score = free.readable_score(trace.episode.id)
        if score is not None and score.verdict is not Verdict.INVALID:
            yield trace


def _asked(trace: Trace) -> tuple[tuple[str, Usage | None], ...]:
    """The role and the tokens of each answered call."""
    return tuple((e.role, e.usage) for e in trace.gateway.exchanges if e.response is not None)


def upstreams_of(
    model: str, roles: Collection[str], unpaid: Collection[str] = ()
) -> dict[str, str]:
    """Return the upstream model that answers for each role; roles without one are left out.

    Args:
        model: the specification.
        roles: the roles of the team.
        unpaid: models that look like upstream models by their names, and are none.
    """
    if model in unpaid:
        return {}
    spec = read_specification(model, roles)
    of = {role: spec.by_role.get(role, spec.default) for role in roles}
    return {role: upstream_name(one.target) for role, one in of.items() if one.kind == "upstream"}
