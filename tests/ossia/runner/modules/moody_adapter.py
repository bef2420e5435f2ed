"""An adapter that mostly works, and misbehaves where the utterance says so."""

import os
import signal
import sys
import time
from contextlib import suppress

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


def _flood() -> None:
    """Write without end where the worker's messages go."""
    descriptor = int(sys.argv[sys.argv.index("--write-fd") + 1])
    while True:
        os.write(descriptor, b"x" * 65_536)


ADAPTER = Moody()
