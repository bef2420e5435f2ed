"""Answers that were given once, so that in a measurement no time goes into thinking.

The same answers serve both sides: behind the gateway as a model, and in the stub over HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.worlds.gold import prepare
from ossia_servers.gateway import Completion, ModelCall, TapeMiss
from ossia_servers.gateway.chat import answer_body
from ossia_servers.trace import Trace
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import execute

__all__ = ["Answers", "RecordedModel", "StubAnswers", "request_mark", "server_mark"]


def request_mark(body: Mapping[str, Any]) -> bytes:
    """Return by what a recorded model answer is found: the role's model name and the messages.

    Unlike a tape's key this is nearly free to make, and fits within one measurement only.

    Args:
        body: The body of a chat completion request.
    """
    return orjson.dumps([body["model"], body["messages"]])


def server_mark(task: str, path: str, params: Mapping[str, str]) -> str:
    """Return by what a recorded answer of a domain server is found.

    Args:
        task: The task in whose world the request was made.
        path: The path, such as `/alarm`.
        params: The parameters of query and body, in any order.
    """
    return orjson.dumps([task, path, sorted(params.items())]).decode()


class StubAnswers(BaseModel):
    """What the stub answers, as it goes to the stub's process in a file.

    Attributes:
        model: Bodies of chat completion responses by the mark of the request.
        servers: Status and body by the mark of the request to a server.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: dict[str, str]
    servers: dict[str, tuple[int, str]]


@dataclass(slots=True)
class Answers:
    """Everything that model and servers answered in some episodes.

    Attributes:
        completions: The model's answers by the mark of the request.
        names: The requested model names by the same marks.
        servers: Status and body of the servers' answers by the mark of the request.
    """

    completions: dict[bytes, Completion] = field(default_factory=dict)
    names: dict[bytes, str] = field(default_factory=dict)
    servers: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def add(self, task: WorldTask, trace: Trace, domains: Mapping[str, Domain]) -> bool:
        """Add what was answered in one episode.

        Args:
            task: The episode's task.
            trace: The episode.
            domains: The domain servers by name; they answer once more, on a world of their own.

        Returns:
            Whether the answers follow from the requests alone. Where they do not, as when one
            request was made twice with two answers, nothing is added.
        """
        served = _served(task, trace, domains)
        if served is None:
            return False
        completions: dict[bytes, Completion] = {}
        for exchange in trace.gateway.exchanges:
            if exchange.response is None:
                return False
            mark = request_mark(exchange.request)
            known = completions.get(mark) or self.completions.get(mark)
            if known is not None and known.message != exchange.response:
                return False
            completions[mark] = Completion(
                exchange.response, exchange.finish_reason or "stop", exchange.usage
            )
            self.names[mark] = str(exchange.request["model"])
        self.completions |= completions
        self.servers |= served
        return True

    def write(self, path: Path) -> None:
        """Write them for the stub.

        Raises:
            OSError: The file cannot be written.
        """
        bodies = {
            mark.decode(): answer_body("chatcmpl-recorded", self.names[mark], each, each.usage)
            for mark, each in self.completions.items()
        }
        answers = StubAnswers(
            model={mark: body.decode() for mark, body in bodies.items()},
            servers={
                mark: (status, body.decode()) for mark, (status, body) in self.servers.items()
            },
        )
        path.write_bytes(answers.model_dump_json().encode())


def _served(
    task: WorldTask, trace: Trace, domains: Mapping[str, Domain]
) -> dict[str, tuple[int, bytes]] | None:
    """Return the servers' answers in an episode, or None where one request had two answers."""
    store = WorldStore(tuple(domains.values()))
    try:
        world = store.create(task.id, seed=task.seed, now=task.now, home=task.home)
        prepare(store, world, task, domains)
        clock = {
            "date": world.today.isoformat(),
            "weekday": world.now.strftime("%A"),
            "time": world.now.strftime("%H:%M"),
        }
        served = {server_mark(task.id, "/clock", {}): (200, orjson.dumps(clock))}
        for request in trace.requests:
            done = execute(store, world, domains[request.domain], request.params, request.method)
            mark = server_mark(task.id, f"/{request.domain}", request.params)
            answer = (done.status, orjson.dumps(done.body))
            if served.setdefault(mark, answer) != answer:
                return None
        return served
    finally:
        store.close()


class RecordedModel:
    """Gives recorded answers behind the gateway, at once or after a fixed wait."""

    name = "recorded"

    def __init__(self, answers: Answers, *, wait_s: float = 0.0) -> None:
        """Make the model.

        Args:
            answers: What it answers.
            wait_s: How long each call takes.
        """
        self._completions = answers.completions
        self._wait_s = wait_s

    async def complete(self, call: ModelCall) -> Completion:
        """Give the recorded answer.

        Raises:
            TapeMiss: The request was not made while recording.
        """
        if self._wait_s:
            await asyncio.sleep(self._wait_s)
        completion = self._completions.get(request_mark(call.request))
        if completion is None:
            raise TapeMiss(f"role {call.role} asks something that was not recorded")
        return completion
