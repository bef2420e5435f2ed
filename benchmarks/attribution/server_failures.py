"""Services that fail on purpose, so that nobody in the team is to blame."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from benchmarks.attribution.injection import Unchanged
from ossia_servers.assistant.offline.tool_state import ToolState
from ossia_servers.gateway import ModelFailure
from ossia_servers.http.app import build_app
from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import Conversation
from ossia_servers.worlds.domain import Domain, Handler
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Refusal, Reply
from ossia_servers.worlds.world import World


class Harm(StrEnum):
    """How a server fails."""

    BREAKS = "HTTP 500"
    """It breaks at every request."""
    REFUSES = "refusal of a right request"
    """It refuses every request, as if the request were wrong."""
    HANGS = "no answer in time"
    """It answers when the episode's time is up."""


SHORT_SECONDS = 1.5
"""The time of an episode that a server lets run out; several times what an episode takes."""


@dataclass
class FailingServers:
    """Decides whether domain servers fail.

    Attributes:
        harm: how they fail from now on; None lets them work.
    """

    harm: Harm | None = None

    @contextmanager
    def during(self, harm: Harm) -> Iterator[None]:
        """Let the servers fail for a while, and keep what they log of it quiet."""
        log = logging.getLogger(build_app.__module__)
        self.harm = harm
        log.addFilter(_unexpected)
        try:
            yield
        finally:
            self.harm = None
            log.removeFilter(_unexpected)

    def of(self, domains: Sequence[Domain]) -> tuple[Domain, ...]:
        """Return the same domain servers, failing when this says so."""
        return tuple(
            replace(
                domain,
                intents=tuple(
                    # A server that fails asks nothing back either.
                    replace(intent, handler=self._failing(intent.answer), asks=())
                    for intent in domain.intents
                ),
            )
            for domain in domains
        )

    def _failing(self, handler: Handler) -> Handler:
        def serve(world: World, params: Params) -> Reply:
            if self.harm is Harm.BREAKS:
                raise ServerBroken("the server fails on purpose")
            if self.harm is Harm.REFUSES:
                raise Refusal.not_found("There is no such thing.")
            if self.harm is Harm.HANGS:
                time.sleep(SHORT_SECONDS)
            return handler(world, params)

        return serve


@dataclass
class Unanswered(Unchanged):
    """Lets the model fail at one role's calls, as a provider that is down.

    Attributes:
        role: whose calls get no answer.
    """

    role: str

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        """Give a member no answer; see `ResponseHook.perform`.

        Raises:
            ModelFailure: the role is the one.
        """
        if conversation.role == self.role:
            raise ModelFailure("the model fails on purpose")
        return right


def _unexpected(record: logging.LogRecord) -> bool:
    return record.exc_info is None or record.exc_info[0] is not ServerBroken


class ServerBroken(Exception):
    """A domain server broke on purpose."""
