"""Controls of the injection protocol: failures of which nobody in the team is to blame."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from random import Random

from benchmarks.attribution.attempts import (
    CALLS,
    GATEWAY,
    GOLD,
    KEPT,
    NO_FAULT,
    PAIRED,
    PLACEBO,
    SERVERS,
    Attempt,
    AttemptLog,
    beside,
    is_decided,
)
from benchmarks.attribution.cases import CaseMaker, Clean
from benchmarks.attribution.fault_records import case_of, faults_text, harmless_faults
from benchmarks.attribution.injection import InjectedFault
from benchmarks.attribution.server_failures import FailingServers, Harm
from benchmarks.attribution.wrong_gold import WrongGoldScorer
from ossia.attribution.evidence import ReplayInvalid
from ossia_dataset.randomness import seeded_random
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.score import Score
from ossia_servers.trace import Trace

FEW_CALLS = 3
"""The model calls of an episode whose framework is to stop in an exception."""

_BOUND = 4
"""Attempts for each control that is wanted."""


@dataclass(frozen=True)
class Makers:
    """Who makes and attributes the cases of a framework.

    Attributes:
        usual: under the usual limits.
        hurried: in episodes of which a server lets the time run out.
        starved: in episodes with too few model calls.
        wrong_gold: whose scorer expects something that right requests do not give.
        scorer: that scorer.
    """

    usual: CaseMaker
    hurried: CaseMaker
    starved: CaseMaker
    wrong_gold: CaseMaker
    scorer: WrongGoldScorer


@dataclass(frozen=True)
class _Kind:
    """A kind of control in which some role deviates and something else is the cause.

    Attributes:
        cell: its name.
        maker: runs and attributes its episodes.
        harm: how the servers fail meanwhile.
        part: its part of all such controls; the quick ones have most.
        early: whether only what is said within the first few calls may deviate.
        lanes: episodes at once.
    """

    cell: str
    maker: CaseMaker
    harm: Harm | None
    part: float
    early: bool = False
    lanes: int = 2


class Controls:
    """Makes the controls of one framework."""

    def __init__(
        self,
        framework: str,
        makers: Makers,
        log: AttemptLog,
        failing_servers: FailingServers,
        seed: int,
    ) -> None:
        """Make a maker of controls.

        Args:
            framework: its name.
            makers: run and attribute the episodes.
            log: keeps every attempt; what it holds already is not tried again.
            failing_servers: makes the domain servers fail.
            seed: decides which roles deviate where.
        """
        self._framework = framework
        self._makers = makers
        self._log = log
        self._failing_servers = failing_servers
        self._seed = seed
        self._bare: dict[str, bool] = {}

    async def plain(self, cleans: Sequence[Clean], wanted: int) -> None:
        """Make controls in which no role deviates: what becomes of them is told apart.

        Args:
            cleans: the episodes to choose from.
            wanted: how many of each kind.
        """
        maker = self._makers.usual
        for number, clean in enumerate(cleans[:wanted]):
            await self._plain(NO_FAULT, clean, maker, maker.again(clean))
            roles = sorted({role for role, _, _ in clean.possible_faults()} - {"manager"})
            if roles:
                role = roles[number % len(roles)]
                await self._plain(PLACEBO, clean, maker, maker.placebo(clean, role))
                await self._plain(GATEWAY, clean, maker, maker.unanswered(clean, role))
        for harm in Harm:
            maker = self._makers.hurried if harm is Harm.HANGS else self._makers.usual
            for clean in _served(cleans)[:wanted]:
                with self._failing_servers.during(harm):
                    run = maker.again(clean)
                    await self._plain(f"{SERVERS}, {harm}", clean, maker, run)

    async def _plain(
        self,
        cell: str,
        clean: Clean,
        maker: CaseMaker,
        run: Coroutine[None, None, tuple[Trace, Score] | None],
    ) -> None:
        key = f"{cell}|{clean.task.id}"
        if self._log.find(key) is not None:
            run.close()
            return
        made = await run
        if made is not None:
            await self._hand_over(key, cell, clean, maker, made)

    async def deviating(self, cleans: Sequence[Clean], wanted: int) -> None:
        """Make controls in which one or two roles deviate, and something else is the cause.

        That the deviations do no harm is known from episodes in which nothing else was wrong, and
        that the cause does without them from an episode in which nobody deviates.

        Args:
            cleans: the episodes to choose from.
            wanted: in how many of all kinds together the attributor is to have a step to blame.
        """
        makers = self._makers
        refuses, hangs = f"{SERVERS}, {Harm.REFUSES}", f"{SERVERS}, {Harm.HANGS}"
        kinds = (
            _Kind(GOLD, makers.wrong_gold, None, 0.44),
            _Kind(beside(refuses), makers.usual, Harm.REFUSES, 0.34),
            _Kind(CALLS, makers.starved, None, 0.18, early=True),
            # The server sleeps, so one episode's wait would be part of another's time.
            _Kind(beside(hangs), makers.hurried, Harm.HANGS, 0.04, lanes=1),
        )
        for kind in kinds:
            able = _served(cleans) if kind.harm else cleans
            if kind.cell == GOLD:
                able = [c for c in cleans if makers.scorer.alter_gold(c.task, c.trace)]
            await self._deviating(kind, able, math.ceil(wanted * kind.part))

    async def _deviating(self, kind: _Kind, cleans: Sequence[Clean], wanted: int) -> None:
        draw = seeded_random("controls", self._seed, kind.cell)
        todo = self._choices(cleans, kind.early, draw)
        able = iter(todo[: wanted * _BOUND])
        made = sum(is_decided(a) for a in self._log if a.cell == kind.cell)

        async def lane() -> None:
            nonlocal made
            for clean, faults in able:
                if made >= wanted:
                    return
                made += await self._control(kind, clean, faults)

        during: AbstractContextManager[None] = nullcontext()
        if kind.harm is not None:
            during = self._failing_servers.during(kind.harm)
        with during:
            await asyncio.gather(*(lane() for _ in range(kind.lanes)))

    def _choices(
        self, cleans: Sequence[Clean], early: bool, draw: Random
    ) -> list[tuple[Clean, tuple[InjectedFault, ...]]]:
        """Return every harmless deviation of each episode, and half of them with a second one."""
        harmless = harmless_faults(self._log)

        def of(clean: Clean) -> Iterator[tuple[InjectedFault, ...]]:
            pool = [p for p in harmless.get(clean.task.id, ()) if p.role in PAIRED]
            pool = [p for p in pool if not early or _is_early(p)]
            for fault in pool:
                yield (fault,)
                others = [other for other in pool if other.role != fault.role]
                if others and draw.random() < 1 / 2:
                    yield (fault, draw.choice(others))

        found = [(clean, faults) for clean in cleans for faults in of(clean)]
        return draw.sample(found, len(found))

    async def _control(self, kind: _Kind, clean: Clean, faults: tuple[InjectedFault, ...]) -> bool:
        """Make a control and hand it over; returns whether there was a step to blame, anew."""
        key = f"{kind.cell}|{clean.task.id}|{faults_text(faults)}"
        if self._log.find(key) is not None:
            return False
        made = await kind.maker.deviating(clean, faults)
        if made is None:
            return self._drop(key, kind.cell, clean, "a fault found no place")
        if made[1].verdict is Verdict.SUCCESS:
            return self._drop(key, kind.cell, clean, "succeeds")
        if not await self._fails_bare(kind, clean):
            return self._drop(key, kind.cell, clean, "succeeds without the deviations")
        return await self._hand_over(key, kind.cell, clean, kind.maker, made)

    async def _fails_bare(self, kind: _Kind, clean: Clean) -> bool:
        """Whether an episode fails as well where nobody deviates."""
        key = f"{kind.cell}|{clean.task.id}"
        if key not in self._bare:
            _, score = await kind.maker.again(clean)
            self._bare[key] = score.verdict is Verdict.FAILURE
        return self._bare[key]

    async def _hand_over(
        self, key: str, cell: str, clean: Clean, maker: CaseMaker, made: tuple[Trace, Score]
    ) -> bool:
        """Let the attributor work on an episode as if it had failed, whatever its verdict is.

        An invalid episode is never handed over, and so it is no control that it could get wrong.
        """
        trace, score = made
        if score.verdict is Verdict.INVALID:
            return self._drop(key, cell, clean, Verdict.INVALID.value)
        try:
            found = await maker.attribute(clean.task, trace, score)
        except ReplayInvalid:
            return self._drop(key, cell, clean, Verdict.INVALID.value)
        case = case_of(frozenset(), found)
        attempt = self._attempt(key, cell, clean, KEPT).model_copy(update={"case": case})
        self._log.add(attempt)
        return is_decided(attempt)

    def _drop(self, key: str, cell: str, clean: Clean, reason: str) -> bool:
        self._log.add(self._attempt(key, cell, clean, reason))
        return False

    def _attempt(self, key: str, cell: str, clean: Clean, outcome: str) -> Attempt:
        return Attempt(
            key=key, framework=self._framework, task=clean.task.id, cell=cell, outcome=outcome
        )


def _is_early(fault: InjectedFault) -> bool:
    """Whether a fault comes within the few calls of a starved episode."""
    return fault.role == "intent" or (fault.role == "manager" and fault.at <= 1)


def _served(cleans: Sequence[Clean]) -> list[Clean]:
    """Return the episodes that ask a server; one that fails would spoil a task's setup, too."""
    return [clean for clean in cleans if not clean.task.setup and clean.trace.requests]
