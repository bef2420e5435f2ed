"""Adapters that behave badly in every way a framework might, for the tests of the worker.

What to do is the utterance. They run in worker processes only.
"""

# ruff: noqa: T201 - frameworks print, so these do

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import requests

from ossia_adapter import Answer, Episode, Reported, runs


def _write_fd() -> int:
    return int(sys.orig_argv[sys.orig_argv.index("--write-fd") + 1])


def _child(_: str) -> str:
    process = subprocess.Popen(["sleep", "300"])
    return str(process.pid)


def _escaped_child(_: str) -> str:
    process = subprocess.Popen(["sleep", "3"], start_new_session=True)
    print(process.pid, file=sys.stderr, flush=True)
    os._exit(5)


def _flood_stdout(_: str) -> str:
    for _ in range(400):
        print("x" * 10_000)
        os.write(1, b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n')
    return "printed"


def _flood_stderr(_: str) -> str:
    for number in range(800):
        print(f"{number} " + "y" * 10_000, file=sys.stderr)
    return "logged"


def _flood_protocol(_: str) -> str:
    line = b'{"jsonrpc": "2.0", "method": "connection_refused", "params": {"address": "a:1"}}\n'
    while True:
        os.write(_write_fd(), line * 100)


def _oversize(_: str) -> str:
    while True:
        os.write(_write_fd(), b"z" * 65_536)


def _garbage(_: str) -> str:
    os.write(_write_fd(), b"not json\n")
    time.sleep(300)
    return ""


def _unasked(_: str) -> str:
    os.write(_write_fd(), b'{"jsonrpc": "2.0", "id": 4711, "result": {}}\n')
    time.sleep(300)
    return ""


def _close_pipe(_: str) -> str:
    os.close(_write_fd())
    time.sleep(300)
    return ""


def _crash(_: str) -> str:
    print("last words", file=sys.stderr, flush=True)
    os._exit(7)


def _raise(_: str) -> str:
    raise LookupError("no \ud800 such thing")


def _exit(_: str) -> str:
    sys.exit(3)


def _hang(_: str) -> str:
    time.sleep(300)
    return ""


def _environment(_: str) -> str:
    return json.dumps({**os.environ, "cwd": str(Path.cwd())})


def _connect(argument: str) -> str:
    try:
        return requests.get(argument, timeout=5).text
    except requests.ConnectionError as error:
        return f"refused: {error}"


def _unix(argument: str) -> str:
    try:
        socket.socket(socket.AF_UNIX).connect(argument)
    except (ConnectionRefusedError, PermissionError):
        return "refused"
    return "connected"


def _udp(argument: str) -> str:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"x", ("127.0.0.1", int(argument)))
    except ConnectionRefusedError:
        return "refused"
    return "sent"


def _threads(_: str) -> str:
    return str(threading.active_count())


DEEDS = {
    "child": _child,
    "close-pipe": _close_pipe,
    "connect": _connect,
    "crash": _crash,
    "environment": _environment,
    "escaped-child": _escaped_child,
    "exit": _exit,
    "flood-protocol": _flood_protocol,
    "flood-stderr": _flood_stderr,
    "flood-stdout": _flood_stdout,
    "garbage": _garbage,
    "hang": _hang,
    "oversize": _oversize,
    "raise": _raise,
    "threads": _threads,
    "udp": _udp,
    "unasked": _unasked,
    "unix": _unix,
}


class Plain:
    """Plays each episode in a thread."""

    name = "plain"
    distribution = "requests"

    def run(self, episode: Episode) -> Answer:
        deed, _, argument = episode.utterance.partition(" ")
        if deed == "nothing":
            return None  # type: ignore[return-value]
        if deed == "reported":
            return Answer("counted", Reported(calls=2, completion_tokens=5))
        if deed in DEEDS:
            return Answer(DEEDS[deed](argument))
        time.sleep(0.05)
        return Answer(f"{episode.id}: {episode.utterance}")


class Tasks:
    """Plays each episode in a task."""

    name = "tasks"
    distribution = "requests"

    async def run(self, episode: Episode) -> Answer:
        deed = episode.utterance
        if deed == "sleep":
            await asyncio.sleep(300)
        if deed == "stubborn":
            try:
                await asyncio.sleep(300)
            except asyncio.CancelledError:
                return Answer("late")
        if deed == "block":
            runs.BLOCKED_SECONDS = 1.0
            time.sleep(300)
        await asyncio.sleep(0.05)
        return Answer(f"{episode.id}: {deed}")


class Remembering:
    """Keeps what the user says in the memory of the conversation, and tells all it knows."""

    name = "remembering"
    distribution = "requests"
    conversation = True

    async def run(self, episode: Episode) -> Answer:
        memory = {} if episode.memory is None else episode.memory
        said = memory.setdefault("said", [])
        said += [turn.user for turn in episode.history]
        said.append(episode.utterance)
        if episode.utterance == "raise":
            raise LookupError("the framework lost a message")
        if episode.utterance == "sleep":
            await asyncio.sleep(300)
        return Answer(json.dumps([said, len(episode.history)]))


class Told:
    """Has no memory, and answers with all that it is told."""

    name = "told"
    distribution = "requests"

    def run(self, episode: Episode) -> Answer:
        return Answer(episode.task)


def make() -> Tasks:
    """Make an adapter, as an entry may name a function."""
    return Tasks()


PLAIN = Plain()
