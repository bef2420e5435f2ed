"""The trace: everything that an episode did at the gateway and at the servers."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from ossia_servers.gateway.records import Exchange, GatewayRecord
from ossia_servers.stress.injected import Injected
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.records import ServerRequest

TRACE_VERSION: Final = 5
"""Version of the stored trace format."""


_HALVES = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate, which cannot be sent or stored."""
    return _HALVES.sub("\ufffd", text)


_Text = Annotated[str, AfterValidator(whole)]
"""What frameworks and users say."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EpisodeKey(_Frozen):
    """What an episode is: one task, one framework, one model, one repeat, at most one fault."""

    id: str
    """Unique within a run, made of the other fields."""
    task: str
    framework: str
    model: str
    repeat: int
    fault: str = ""
    """The key of the fault that is injected; empty for none."""


_EPISODE = re.compile(r"[^.]+\.(.+?)\.\d+(?:\.m\d+)?(?:~.+)?")


def task_in(episode: str) -> str | None:
    """Return the id of the task that an episode's id names; None for an id of another make.

    Args:
        episode: such as `camel.alarm-001.1`, with the repeat, perhaps the model's number and, after
            a tilde, the fault.
    """
    found = _EPISODE.fullmatch(episode)
    return None if found is None else found[1]


class Ending(_Frozen):
    """How the framework left the episode; never by itself the verdict."""

    kind: Literal[
        "answered", "framework_error", "timeout", "worker_died", "worker_killed", "infrastructure"
    ]
    """A worker that ended by itself or broke the protocol while this episode was alone in it has
    died; one that was ended from outside, for example for want of memory, was killed. What broke
    beneath the framework, such as its world, is infrastructure."""
    detail: _Text = ""
    """One sentence, for example the exception's type and message."""


class Reported(_Frozen):
    """What the framework itself says it spent; None where it says nothing."""

    calls: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class UserTurn(_Frozen):
    """One turn of a user's conversation with the team."""

    user: _Text
    answer: _Text
    """What the team answered; empty when nothing came."""


class PlayedTurn(UserTurn):
    """A turn that the episode played, with its part of what the trace holds in order."""

    calls: int
    """Calls at the gateway that began in it."""
    requests: int
    """Requests at the servers that ended in it."""


class EpisodeTiming(_Frozen):
    """What differs between two identical runs."""

    wall_s: float
    """From the start of the episode to its end, without waiting for a turn at the model, or for a
    simulated user's."""
    cpu_s: float | None
    """Its share of its worker's CPU time. With several episodes at once only the mean is exact.
    None where the worker could not tell it: after a timeout, and when it has died."""
    turns_s: tuple[float, ...] = ()
    """From the user's words to the answer, for each of the episode's turns."""
    jobs: int | None = None
    """How many episodes were played at once, of all frameworks; None in traces of before."""


class Dropped(_Frozen):
    """What an earlier attempt at the episode spent, which a death of its worker ended."""

    calls: int
    """Calls that a model was asked to answer."""
    tokens: int
    """Known tokens; calls that the death cut have none."""
    estimated: bool
    """Whether any of the token counts is an estimate."""
    price_usd: float | None
    """Price of all calls; None as soon as one is unknown."""


def dropped_by(record: GatewayRecord) -> Dropped | None:
    """Return what a dropped attempt spent; None where it asked no model."""
    prices = [exchange.price_usd for exchange in record.exchanges if exchange.attempts]
    if not prices:
        return None
    known = [price for price in prices if price is not None]
    return Dropped(
        calls=record.calls,
        tokens=record.total_tokens,
        estimated=record.estimated,
        price_usd=sum(known) if len(known) == len(prices) else None,
    )


def _of_now(version: Any) -> Any:
    """Take what earlier versions stored for the present one, whose later fields have defaults.

    The second knew no ending by infrastructure, the third no conversations, and the fourth no
    faults.
    """
    return TRACE_VERSION if version in (2, 3, 4) else version


class Trace(_Frozen):
    """One finished episode."""

    version: Annotated[Literal[5], BeforeValidator(_of_now)] = TRACE_VERSION
    episode: EpisodeKey
    ending: Ending
    answer: _Text
    """What the user was told at last; empty when nothing came."""
    turns: tuple[PlayedTurn, ...] = ()
    """The conversation, where a simulated user went on talking; else the task is all that was
    said."""
    gateway: GatewayRecord
    requests: tuple[ServerRequest, ...] = ()
    diff: Diff = Diff()
    injected: tuple[Injected, ...] = ()
    """What the episode's fault did, in order; empty also where no call was in its place."""
    reported: Reported | None = None
    refused_connections: tuple[str, ...] = ()
    """Addresses that the worker's guard refused, while this episode ran."""
    timing: EpisodeTiming
    user_account: GatewayRecord | None = None
    """What a simulated user's model was asked and answered, in attempts that died as well; in no
    other number. None where no model speaks for the user."""
    dropped: Dropped | None = None
    """Spent by an attempt in a shared worker that died, beside what this record holds."""

    @property
    def untouched(self) -> tuple[Exchange, ...]:
        """The exchanges whose answers are the model's own: no fault took their place."""
        hit = {one.seq for one in self.injected if one.where == "model"}
        return tuple(one for one in self.gateway.exchanges if one.seq not in hit)

    @property
    def infrastructure_failure(self) -> str | None:
        """Why this episode says nothing about the team, or None.

        Decided by the records of gateway and servers and by whether the worker was killed from
        outside or something beneath it broke, never by what the framework says. A worker that died
        alone with the episode was ended by its framework, which is a failure like any other; so is
        a request that the endpoint refused for its content, be it the first or the last.
        """
        for exchange in self.gateway.exchanges:
            if exchange.status == "infrastructure":
                return f"the model failed: {exchange.error or 'no reason given'}"
        for request in self.requests:
            if request.infrastructure_failure:
                return f"the {request.domain} server failed: {request.response}"
        if self.ending.kind == "worker_killed":
            return f"the worker was killed from outside: {self.ending.detail}"
        if self.ending.kind == "infrastructure":
            return f"the episode broke off: {self.ending.detail}"
        return None
