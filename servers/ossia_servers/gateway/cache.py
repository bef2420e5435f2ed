"""Answers of a run, kept so that an identical request of the same run is not sent again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from pydantic import BaseModel, ConfigDict, ValidationError

from ossia_servers.gateway.canonical import canonical_request, request_key
from ossia_servers.gateway.models import ClosingModel, Completion, Model, ModelCall
from ossia_servers.gateway.parameters import Parameter, with_parameters
from ossia_servers.gateway.records import Usage

CACHE_VERSION: Final = 1


class _Kept(BaseModel):
    """An answer; a line of the cache's file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cache: int = CACHE_VERSION
    key: str
    message: dict[str, Any]
    finish_reason: str
    usage: Usage | None


class AnswerCache:
    """Answers by request, in the order in which they were given.

    The second time that one episode asks the same it gets the second answer, or a new one: a
    framework that asks again would not get out of a loop otherwise.
    """

    def __init__(self) -> None:
        """Begin closed: nothing is kept, and nothing answered, until it is opened."""
        self._file: TextIO | None = None
        self._answers: dict[str, list[_Kept]] = {}
        self._asked: Counter[tuple[str, str]] = Counter()
        self._locks: dict[str, asyncio.Lock] = {}

    @property
    def is_open(self) -> bool:
        """Whether it keeps and answers."""
        return self._file is not None

    def open(self, path: Path) -> None:
        """Read what earlier sessions of the run kept, and keep further answers beside it.

        Args:
            path: Its file. Lines that a kill has torn are left out.

        Raises:
            OSError: The file cannot be read or written.
        """
        torn = False
        for line in path.read_bytes().split(b"\n") if path.exists() else ():
            try:
                kept = _Kept.model_validate_json(line)
            except ValidationError:
                torn = bool(line)
                continue
            torn = False
            if kept.cache == CACHE_VERSION:
                self._answers.setdefault(kept.key, []).append(kept)
        self._file = path.open("a", encoding="utf-8")
        if torn:
            self._file.write("\n")

    def close(self) -> None:
        """Keep no more."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def lock(self, key: str) -> asyncio.Lock:
        """Return what is held while a request is sent, so that an identical one waits for it."""
        return self._locks.setdefault(key, asyncio.Lock())

    def number(self, episode: str, key: str) -> int:
        """Count that an episode asks something; returns how often it has before."""
        self._asked[episode, key] += 1
        return self._asked[episode, key] - 1

    def find(self, key: str, number: int) -> Completion | None:
        """Return the answer that was given at this turn, or None.

        Args:
            key: The key of the request.
            number: How often the episode has asked it before.
        """
        answers = self._answers.get(key, ())
        if number >= len(answers):
            return None
        kept = answers[number]
        return Completion(
            message=dict(kept.message),
            finish_reason=kept.finish_reason,
            usage=kept.usage,
            attempts=0,
            cached=True,
        )

    def keep(self, key: str, completion: Completion) -> None:
        """Keep an answer.

        Raises:
            OSError: The file cannot be written.
        """
        kept = _Kept(
            key=key,
            message=completion.message,
            finish_reason=completion.finish_reason,
            usage=completion.usage,
        )
        self._answers.setdefault(key, []).append(kept)
        if self._file is not None:
            self._file.write(kept.model_dump_json() + "\n")
            self._file.flush()


class CachedModel:
    """A model whose answers are kept; as the model itself while the cache is closed."""

    def __init__(
        self, model: Model, cache: AnswerCache, parameters: Collection[Parameter] = ()
    ) -> None:
        """Set up.

        Args:
            model: What answers otherwise.
            cache: The run's cache, shared by all of its models.
            parameters: What the model sets or drops in its requests.
        """
        self._model = model
        self._cache = cache
        self._parameters = tuple(parameters)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def complete(self, call: ModelCall) -> Completion:
        """Answer from the cache, or ask the model and keep its answer.

        Args:
            call: The request.

        Returns:
            The answer.

        Raises:
            ModelFailure: As raised by the model; nothing is kept of it.
        """
        if not self._cache.is_open:
            return await self._model.complete(call)
        key = self._key(call.request)
        number = self._cache.number(call.episode, key)
        lock = self._cache.lock(key)
        if lock.locked():
            call.on_wait()
        async with lock:
            found = self._cache.find(key, number)
            if found is None:
                found = await self._model.complete(call)
                self._cache.keep(key, found)
            return found

    async def aclose(self) -> None:
        """Close the model and the cache's file."""
        self._cache.close()
        if isinstance(self._model, ClosingModel):
            await self._model.aclose()

    def _key(self, request: Mapping[str, Any]) -> str:
        """What makes two requests identical: the model, the body in its one form, and the seed."""
        changed = with_parameters(request, self._parameters)
        canonical = canonical_request({**changed, "model": self._model.name})
        # The canonical form leaves the seed out, and another seed is another draw.
        return request_key(canonical + repr(changed.get("seed")).encode())
