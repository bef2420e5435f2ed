"""An adapter that mostly works, and misbehaves where the utterance says so."""

import os
import signal
import sys
import time
from contextlib import suppress

import requests
from ossia_adapter_control import ADAPTER as CONTROL

from ossia_adapter import Answer, Episode

_SIGNALS = {
    "segfault": signal.SIGSEGV,
    "kill": signal.SIGKILL,
    "terminate": signal.SIGTERM,
}


class Moody:
    name = "moody"
    distribution = "requests"

    def run(self, episode: Episode) -> Answer:
        if "late crash" in episode.utterance:
            with suppress(Exception):
                CONTROL.run(episode)
            os._exit(9)
        if "slow crash" in episode.utterance:
            time.sleep(4)
        if "crash" in episode.utterance:
            time.sleep(0.3)
            os._exit(9)
        for word, number in _SIGNALS.items():
            if word in episode.utterance:
                os.kill(os.getpid(), number)
        if "as the user" in episode.utterance:
            return Answer(_asked(episode, "ossia-user"))
        if "flood" in episode.utterance:
            _flood()
        if "hang" in episode.utterance:
            time.sleep(600)
        if "half raise" in episode.utterance:
            raise LookupError("lost a\ud83d b")
        if "half" in episode.utterance:
            return Answer("a\ud83d b")
        if "raise" in episode.utterance:
            raise LookupError("the framework lost a message")
        return CONTROL.run(episode)


def _asked(episode: Episode, model: str) -> str:
    """Ask under a name that none of the team's roles has; returns what the gateway says."""
    sent = requests.post(
        f"{episode.gateway_url}/chat/completions",
        json={"model": model, "messages": [{"role": "user", "content": "well?"}]},
        headers={"authorization": f"Bearer {episode.api_key}"},
        timeout=20,
    )
    return f"{sent.status_code}: {sent.text}"


def _flood() -> None:
    """Write without end where the worker's messages go."""
    descriptor = int(sys.argv[sys.argv.index("--write-fd") + 1])
    while True:
        os.write(descriptor, b"x" * 65_536)


ADAPTER = Moody()
