"""An adapter that mostly works, and misbehaves where the utterance says so."""

import os
import time

from ossia_adapter_control import ADAPTER as CONTROL

from ossia_adapter import Answer, Episode


class Moody:
    name = "moody"
    distribution = "requests"

    def run(self, episode: Episode) -> Answer:
        if "crash" in episode.utterance:
            time.sleep(0.3)
            os._exit(9)
        if "hang" in episode.utterance:
            time.sleep(600)
        if "raise" in episode.utterance:
            raise LookupError("the framework lost a message")
        return CONTROL.run(episode)


ADAPTER = Moody()
