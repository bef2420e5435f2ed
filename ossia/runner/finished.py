"""A finished episode of a run, and when a session ends early for what has finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ossia.errors import AllInvalid, RunStopped
from ossia.runner.config import RunConfig
from ossia.runner.hints import told_why
from ossia_evaluation.grade import Grade, Verdict
from ossia_servers.gateway import Gateway
from ossia_servers.trace import EpisodeKey, Trace

STOP_AFTER = 20
"""A session is stopped when so many episodes in a row are invalid: the model is down, and hundreds
of further calls would tell no more. So is the first session of a run where the endpoint refuses
every request of its first episodes, which the next one goes on with all the same."""


@dataclass(frozen=True)
class Finished:
    """Sent to the observer after an episode is stored."""

    trace: Trace
    score: Grade
    done: int
    """Finished episodes of the run, those of earlier sessions included."""
    total: int
    spent_usd: float = 0.0
    """What the run has spent at upstream models, as far as prices are known, earlier sessions and
    invalid episodes included; an attempt without usage counts as the most that it can cost."""


Observer = Callable[[Finished], None]


class Stopping:
    """Stops a session that can only go on in vain."""

    def __init__(self, config: RunConfig, gateway: Gateway, *, fresh: bool) -> None:
        """Begin.

        Args:
            config: the run.
            gateway: tells whether a model will answer no more.
            fresh: whether the run had no finished episode before.
        """
        self._config = config
        self._gateway = gateway
        self._first: list[Finished] | None = [] if fresh else None
        self._invalid = 0

    def begun(self, todo: Sequence[EpisodeKey]) -> Iterator[EpisodeKey]:
        """Yield the episodes that are begun: none any more when the limit of cost is reached."""
        return takewhile(lambda _: self._gateway.limit_reached is None, todo)

    def at_end(self) -> None:
        """Take note that all begun episodes have ended.

        Raises:
            RunStopped: the limit of cost was reached.
        """
        if self._gateway.limit_reached is not None:
            raise RunStopped(f"the run has stopped: {self._gateway.limit_reached}; {_AGAIN}")

    def after(self, done: Finished) -> None:
        """Take note of a finished episode.

        Raises:
            RunStopped: the endpoint answers no more, or too many episodes in a row are invalid.
            AllInvalid: the endpoint refused every request of the first episodes.
        """
        because = self._gateway.closed_because
        if because is not None:
            raise RunStopped(f"the run has stopped: {because}; {_AGAIN}")
        if self._gateway.limit_reached is not None:
            # What is under way is paid for: it ends by itself, and whoever cannot pay ends at once.
            return
        invalid = done.score.verdict is Verdict.INVALID
        self._invalid = self._invalid + 1 if invalid else 0
        if self._invalid >= STOP_AFTER:
            raise RunStopped(
                f"the run has stopped: {STOP_AFTER} episodes in a row are invalid, the last because"
                f" {told_why(done.score.reason, self._config)}; {_AGAIN}"
            )
        if self._first is not None:
            self._first.append(done)
            if len(self._first) == STOP_AFTER:
                _stop_in_vain(self._first, self._config)
                self._first = None


_AGAIN = "fix the cause, then run the same command again"


def _stop_in_vain(first: Sequence[Finished], config: RunConfig) -> None:
    """Stop a run of whose first episodes none was answered by the model.

    Raises:
        AllInvalid: the endpoint refused every request of theirs.
    """
    gateway, many = first[-1].trace.gateway, len(first)
    if all(one.trace.gateway.is_all_refused for one in first):
        sent = {name for exchange in gateway.exchanges for name in exchange.forced}
        raise AllInvalid(
            f"the endpoint refused every request of the first {many} episodes, the last with:"
            f" {told_why(gateway.first_refusal or '', config, sent)}; they count as failures: mend"
            " the cause and use --fresh, or give the same command again to go on all the same"
        )
