"""The bare loop: a framework's team without Ossia, as a plain script would run it.

It runs in the adapter's own environment and needs the adapter's SDK alone:

    PYTHON bare.py MODULE:ATTRIBUTE CONCURRENCY

Each line of standard input is a JSON list of episodes as they go to a worker; for each it prints
one line with the list of their answers.
"""

import asyncio
import inspect
import json
import os
import sys
import traceback
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TextIO, cast

from ossia_adapter import Adapter, Answer, Episode
from ossia_adapter.worker import load_adapter


def _answered(answer: Any) -> str:
    return cast(Answer, answer).text


async def _play_tasks(adapter: Adapter, episodes: Iterable[Episode], concurrency: int) -> list[str]:
    free = asyncio.Semaphore(concurrency)

    async def play(episode: Episode) -> str:
        async with free:
            try:
                return _answered(await cast(Any, adapter.run(episode)))
            # The framework decides what it raises; the benchmark compares the answers.
            except Exception as error:  # noqa: BLE001
                traceback.print_exc()
                return f"{type(error).__name__}: {error}"

    return list(await asyncio.gather(*(play(each) for each in episodes)))


def _play_threads(adapter: Adapter, episodes: Iterable[Episode], concurrency: int) -> list[str]:
    def play(episode: Episode) -> str:
        try:
            return _answered(adapter.run(episode))
        # As above.
        except Exception as error:  # noqa: BLE001
            traceback.print_exc()
            return f"{type(error).__name__}: {error}"

    with ThreadPoolExecutor(concurrency) as pool:
        return list(pool.map(play, episodes))


async def _loop(adapter: Adapter, concurrency: int, answers: TextIO) -> None:
    """Play batch after batch on one event loop, since the frameworks' clients belong to theirs."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        episodes = [Episode.from_wire(each) for each in json.loads(line)]
        if inspect.iscoroutinefunction(adapter.run):
            said = await _play_tasks(adapter, episodes, concurrency)
        else:
            said = await asyncio.to_thread(_play_threads, adapter, episodes, concurrency)
        print(json.dumps(said), file=answers, flush=True)


def main() -> None:
    """Play until standard input closes."""
    # Frameworks print; the answers go where standard output went.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        adapter = load_adapter(sys.argv[1])
        print("ready", file=answers, flush=True)
        asyncio.run(_loop(adapter, int(sys.argv[2]), answers))


if __name__ == "__main__":
    main()
