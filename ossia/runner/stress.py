"""The faults of a run's episodes: which calls they hit, by the same episodes without a fault."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from ossia.runner.config import EpisodeLimits
from ossia.runner.plan import baseline_of
from ossia_servers.gateway import names_upstream
from ossia_servers.stress.model_faults import ModelFaults, TeamRoles, calls_in_place
from ossia_servers.stress.plan import Aim, Fault, FaultPlan
from ossia_servers.stress.services import fitting
from ossia_servers.trace import EpisodeKey, Trace
from ossia_workflows import Team

HANGING: Final = frozenset({"hang", "service-hang"})
"""The faults that end when the client gives up."""

_CALL_SECONDS: Final = 2.0
"""How long a client waits that is to give up: a model in this process answers at once."""

_UPSTREAM_CALL_SECONDS: Final = 60.0


class Baselines:
    """The same episodes without a fault, by which a fault finds its place."""

    def __init__(
        self,
        plan: FaultPlan,
        todo: Iterable[EpisodeKey],
        stored: Callable[[str], Trace | None],
    ) -> None:
        """Set up.

        Args:
            plan: the run's plan.
            todo: the episodes that are still to run.
            stored: gives the trace of a stored episode by its id, or None.
        """
        self._plan = plan
        self._stored = stored
        self._ended = {key.id: asyncio.Event() for key in todo if not key.fault}

    def ended(self, key: EpisodeKey) -> None:
        """Take note that an episode is stored."""
        if not key.fault:
            self._ended[key.id].set()

    async def of(self, key: EpisodeKey) -> Trace | None:
        """Return what an episode's fault finds its place by, as soon as that is there.

        Returns:
            The trace; None where there is none, or no need of it.
        """
        if not key.fault or not _aim(self._plan, key).is_measured:
            return None
        baseline = baseline_of(key)
        if baseline in self._ended:
            await self._ended[baseline].wait()
        return self._stored(baseline)


class Stress:
    """The faults of a run."""

    def __init__(self, plan: FaultPlan, players: Iterable[str]) -> None:
        """Set up.

        Args:
            plan: the run's plan.
            players: models that are no upstreams, whatever their names.
        """
        self._plan = plan
        self._players = frozenset(players)

    def aim(self, key: EpisodeKey, team: Team, baseline: Trace | None) -> Aim:
        """Return which calls of an episode are hit by what.

        Args:
            key: an episode with a fault.
            team: its team.
            baseline: the same episode without the fault, as `Baselines` gives it.
        """
        aim = _aim(self._plan, key)
        return aim if baseline is None else replace(aim, calls=_calls(aim.fault, team, baseline))

    def model_faults(self, key: EpisodeKey, aim: Aim, team: Team) -> ModelFaults:
        """Return the fault of one attempt at an episode, at the gateway."""
        return ModelFaults(
            aim,
            roles_of(team),
            slow_seconds=self._plan.slow_seconds,
            asks_in_vain=not self._asks_upstream(key),
        )

    @property
    def slow_seconds(self) -> float:
        """The delay of what is slow."""
        return self._plan.slow_seconds

    def limits(self, key: EpisodeKey, usual: EpisodeLimits) -> EpisodeLimits:
        """Return the limits of an episode: its client gives up soon where something hangs."""
        if self._plan.fault(key.fault).kind not in HANGING:
            return usual
        short = _UPSTREAM_CALL_SECONDS if self._asks_upstream(key) else _CALL_SECONDS
        seconds = min(self._plan.call_seconds or short, usual.call_seconds)
        return usual.model_copy(update={"call_seconds": seconds})

    def _asks_upstream(self, key: EpisodeKey) -> bool:
        return key.model not in self._players and names_upstream(key.model)


def _aim(plan: FaultPlan, key: EpisodeKey) -> Aim:
    return Aim(plan.fault(key.fault), plan.seed, key.task)


def roles_of(team: Team) -> TeamRoles:
    """Return who is who in a team."""
    return TeamRoles(team.manager, tuple(role.name for role in team.members))


def _calls(fault: Fault, team: Team, trace: Trace) -> int:
    """How many calls of an episode without a fault were in the fault's place."""
    if fault.about.where == "service":
        return fitting(fault.kind, trace.requests)
    return calls_in_place(fault, roles_of(team), trace.gateway.exchanges)
