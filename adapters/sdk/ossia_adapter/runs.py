"""The episodes that a worker has in hand: started, waiting for their turn, cancelled.

A run is answered exactly once, by whoever comes first: its framework or a cancellation.
"""

import asyncio
import faulthandler
import inspect
import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ossia_adapter.inspection import RUN_PREFIX
from ossia_adapter.protocol import INVALID_PARAMS, MAX_MESSAGE_BYTES, ProtocolError
from ossia_adapter.types import Adapter, Answer, Episode, Reported

__all__ = ["CANCELLED", "Runs"]

CANCELLED = "Cancelled"
# An event loop that is silent for so long after a cancellation is taken to be blocked for ever.
BLOCKED_SECONDS = 10.0
EXIT_BLOCKED = 71
MAX_ANSWER_CHARACTERS = MAX_MESSAGE_BYTES // 16
MAX_ERROR_CHARACTERS = 4_000
MAX_TRACE_CHARACTERS = 20_000

Send = Callable[[int | str, Mapping[str, Any]], None]


@dataclass(slots=True, eq=False)
class _Run:
    request_id: int | str
    episode: Episode
    turns: int
    """The turns that the conversation has with this one; 0 where none follows."""
    answered: bool = False
    task: "asyncio.Task[None] | None" = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What an adapter keeps of a conversation between two turns, and how many it has seen."""

    turns: int
    memory: dict[str, Any]


def _clean(text: str, limit: int) -> str:
    """Return the text's beginning, with anything that UTF-8 cannot carry replaced."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")


def _describe(error: BaseException) -> dict[str, str]:
    trace = "".join(traceback.format_exception(error))
    return {
        "type": type(error).__name__,
        "message": _clean(str(error), MAX_ERROR_CHARACTERS),
        # The end of a trace says where it happened.
        "traceback": _clean(trace[-MAX_TRACE_CHARACTERS:], MAX_TRACE_CHARACTERS),
    }


def _checked(answer: object) -> Answer:
    """Return what an adapter gave back when it is an answer.

    Raises:
        TypeError: It is something else, or holds something else than text and numbers.
        ValueError: The text is longer than an answer may be.
    """
    if not isinstance(answer, Answer) or not isinstance(answer.text, str):
        raise TypeError(f"the adapter must return an Answer with a text, not {answer!r:.200}")
    reported = answer.reported
    if reported is not None:
        if not isinstance(reported, Reported):
            raise TypeError(f"Answer.reported must be a Reported or None, not {reported!r:.200}")
        for count in (reported.calls, reported.prompt_tokens, reported.completion_tokens):
            if count is not None and (not isinstance(count, int) or isinstance(count, bool)):
                raise TypeError(f"Answer.reported holds {count!r:.200}, which is no count")
    if len(answer.text) > MAX_ANSWER_CHARACTERS:
        raise ValueError(f"the answer is longer than {MAX_ANSWER_CHARACTERS} characters")
    return answer


class Runs:
    """Plays episodes on one adapter, so many at a time, and sends each one's result.

    A plain adapter plays each episode in a daemon thread of its own; an asynchronous one in a
    task on the given loop.
    """

    def __init__(
        self, adapter: Adapter, loop: asyncio.AbstractEventLoop, concurrency: int, send: Send
    ) -> None:
        """Prepare for runs.

        Args:
            adapter: What plays the episodes.
            loop: The worker's only event loop.
            concurrency: How many episodes may be played at once; further ones wait.
            send: Called once for each run with its request's id and its result, in any thread.
        """
        self._adapter = adapter
        self._loop = loop
        self._concurrency = concurrency
        self._send = send
        self._asynchronous = inspect.iscoroutinefunction(adapter.run)
        self._cpu_start = time.process_time()
        self._lock = threading.Lock()
        self._waiting: deque[_Run] = deque()
        self._runs: dict[str, _Run] = {}
        self._playing: set[str] = set()
        self._keeps = getattr(adapter, "conversation", False) is True
        self._kept: dict[str, _Kept] = {}

    def submit(self, request_id: int | str, episode: Episode, *, goes_on: bool = False) -> None:
        """Take an episode in hand; it starts as soon as fewer than the allowed are played.

        Args:
            request_id: The request that asks for it.
            episode: The episode with all earlier turns of its conversation. What the adapter has
                kept of them takes their place.
            goes_on: Whether the user may say more: then what the adapter keeps of the conversation
                is held for the next turn, until the episode is cancelled.

        Raises:
            ProtocolError: An episode of this id is in hand already.
        """
        turns = len(episode.history) + 1 if goes_on and self._keeps else 0
        with self._lock:
            if episode.id in self._runs:
                raise ProtocolError(INVALID_PARAMS, f"episode {episode.id} is in hand already")
            kept = self._kept.pop(episode.id, None)
            if kept is not None:
                unknown = episode.history[kept.turns :]
                episode = replace(episode, history=unknown, memory=kept.memory)
            elif turns:
                episode = replace(episode, memory={})
            run = _Run(request_id, episode, turns)
            self._runs[episode.id] = run
            self._waiting.append(run)
        self._start_waiting()

    def cancel(self, episode_id: str) -> bool:
        """Answer an episode's run as cancelled at once and stop it as far as possible.

        Nothing is kept of its conversation. A task is cancelled; when it turns out that it blocks
        the event loop, and so every other episode, the process ends. A thread cannot be stopped: it
        goes on until its next call to the gateway fails, and what it then returns is dropped.

        Returns:
            Whether such an episode was in hand.
        """
        with self._lock:
            run = self._runs.get(episode_id)
            self._kept.pop(episode_id, None)
        message = "the episode was cancelled"
        error = {"type": CANCELLED, "message": message, "traceback": ""}
        if run is None or not self._answer(run, None, error):
            return False
        if run.task is not None:
            self._loop.call_soon_threadsafe(run.task.cancel)
            threading.Thread(target=self._end_if_blocked, daemon=True).start()
        return True

    def _end_if_blocked(self) -> None:
        heard = threading.Event()
        self._loop.call_soon_threadsafe(heard.set)
        if not heard.wait(BLOCKED_SECONDS):
            faulthandler.dump_traceback()
            os._exit(EXIT_BLOCKED)

    def _start_waiting(self) -> None:
        starting = []
        with self._lock:
            while self._waiting and len(self._playing) < self._concurrency:
                run = self._waiting.popleft()
                self._playing.add(run.episode.id)
                starting.append(run)
        for run in starting:
            if self._asynchronous:
                self._loop.call_soon_threadsafe(self._spawn, run)
            else:
                name = f"{RUN_PREFIX}{run.episode.id}"
                threading.Thread(target=self._play, args=(run,), name=name, daemon=True).start()

    def _spawn(self, run: _Run) -> None:
        if not run.answered:
            name = f"{RUN_PREFIX}{run.episode.id}"
            run.task = self._loop.create_task(self._play_task(run), name=name)
            # A cancellation may have come between the check and the task.
            if run.answered:
                run.task.cancel()

    def _play(self, run: _Run) -> None:
        try:
            answer = _checked(self._adapter.run(run.episode))
        except BaseException as error:  # noqa: BLE001 - the process boundary: whatever a framework raises
            self._answer(run, None, _describe(error))
        else:
            self._answer(run, answer, None)

    async def _play_task(self, run: _Run) -> None:
        try:
            answer = _checked(await cast(Awaitable[Answer], self._adapter.run(run.episode)))
        except BaseException as error:  # noqa: BLE001 - the process boundary: whatever a framework raises
            self._answer(run, None, _describe(error))
        else:
            self._answer(run, answer, None)

    def _answer(self, run: _Run, answer: Answer | None, error: dict[str, str] | None) -> bool:
        """Send a run's result unless it was answered before; say whether it was sent."""
        with self._lock:
            if run.answered:
                return False
            run.answered = True
            del self._runs[run.episode.id]
            self._playing.discard(run.episode.id)
            if run.turns and run.episode.memory is not None and error is None:
                self._kept[run.episode.id] = _Kept(run.turns, run.episode.memory)
            if run in self._waiting:
                self._waiting.remove(run)
        reported = answer.reported if answer is not None else None
        self._send(
            run.request_id,
            {
                "answer": _clean(answer.text, MAX_ANSWER_CHARACTERS) if answer is not None else "",
                "reported": None
                if reported is None
                else {
                    "calls": reported.calls,
                    "prompt_tokens": reported.prompt_tokens,
                    "completion_tokens": reported.completion_tokens,
                },
                "error": error,
                "cpu_s": round(time.process_time() - self._cpu_start, 6),
            },
        )
        self._start_waiting()
        return True
