"""Adapters with one flaw each, for the tests of the checks; made of the control."""

import contextlib
import os
import socket
import subprocess
from dataclasses import replace

from ossia_adapter_control import ControlAdapter, ModelError

from ossia_adapter import Answer, Episode


class Silent(ControlAdapter):
    """Asks nobody."""

    def run(self, episode: Episode) -> Answer:
        return Answer("")


class Reworded(ControlAdapter):
    """Changes the prompts."""

    def run(self, episode: Episode) -> Answer:
        roles = tuple(
            replace(role, prompt=role.prompt.replace("\n", " ")) for role in episode.team.roles
        )
        return super().run(replace(episode, team=replace(episode.team, roles=roles)))


class Retrying(ControlAdapter):
    """Tries again and again when the model fails."""

    def run(self, episode: Episode) -> Answer:
        for _ in range(15):
            try:
                return super().run(episode)
            except ModelError:
                pass
        return Answer("never mind")


class Patient(ControlAdapter):
    """Waits for the model for ever."""

    def run(self, episode: Episode) -> Answer:
        return super().run(replace(episode, limits=replace(episode.limits, call_seconds=1000.0)))


class Endless(ControlAdapter):
    """Keeps no limits."""

    def run(self, episode: Episode) -> Answer:
        limits = replace(episode.limits, turns=10_000, tool_rounds=10_000)
        return super().run(replace(episode, limits=limits))


class Deaf(ControlAdapter):
    """Keeps limits of its own, as a framework's defaults are, whatever the episode's are."""

    def run(self, episode: Episode) -> Answer:
        limits = replace(episode.limits, turns=10, tool_rounds=5)
        return super().run(replace(episode, limits=limits))


class Fragile(ControlAdapter):
    """Gives up when a tool fails."""

    def run(self, episode: Episode) -> Answer:
        answer = super().run(episode)
        if "did not work" in answer.text:
            raise RuntimeError("a tool failed")
        return answer


class Remembering(ControlAdapter):
    """Tells each episode what the earlier ones were about."""

    def __init__(self) -> None:
        self._said: list[str] = []

    def run(self, episode: Episode) -> Answer:
        self._said.append(episode.utterance)
        return super().run(replace(episode, utterance=" and ".join(self._said)))


class Hashing(ControlAdapter):
    """Lets the hash seed into a prompt."""

    def run(self, episode: Episode) -> Answer:
        goal = f"{hash('ossia')}"
        roles = tuple(replace(role, prompt=f"{role.prompt} {goal}") for role in episode.team.roles)
        return super().run(replace(episode, team=replace(episode.team, roles=roles)))


class CallingHome(ControlAdapter):
    """Tries to reach an address elsewhere and does not mind when it cannot."""

    def run(self, episode: Episode) -> Answer:
        with contextlib.suppress(OSError):
            socket.create_connection(("192.0.2.1", 443), timeout=1)
        return super().run(episode)


class Littering(ControlAdapter):
    """Leaves a process behind that went its own way."""

    def run(self, episode: Episode) -> Answer:
        subprocess.Popen(["sleep", "5"], start_new_session=True, stderr=subprocess.DEVNULL)
        return super().run(episode)


class Crashing(ControlAdapter):
    """Takes its process down when the model fails."""

    def run(self, episode: Episode) -> Answer:
        try:
            return super().run(episode)
        except ModelError:
            os._exit(9)


class Misnamed(ControlAdapter):
    """Is called otherwise than its project."""

    name = "other"


class Unknown(ControlAdapter):
    """Names a distribution that is not installed."""

    distribution = "ossia-adapter-base"
