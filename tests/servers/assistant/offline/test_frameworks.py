"""The model behind a real worker, with the real gateway and servers.

Behind every framework it plays the checks of `tests/ossia/conformance`.
"""

import asyncio

import pytest

from ossia.conformance.stage import Part, open_stage
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.gateway import InProcessModel
from tests.adapters.support.environments import installed

SCENES = {
    "wake me up at half past six tomorrow": (
        "alarm",
        {"intent": "alarm_set", "time": "18:30", "date": "2026-03-14"},
    ),
    "what's the weather in dallas tomorrow": (
        "weather",
        {"intent": "weather_query", "place_name": "Dallas, Texas", "date": "2026-03-14"},
    ),
    "play some jazz": ("music", {"intent": "play_music", "music_genre": "jazz"}),
    "tell me a joke": None,
}


@pytest.mark.framework("control")
def test_the_scenes_are_carried_out():
    info = installed("control")

    async def play_all():
        async with open_stage(info, InProcessModel(OfflineModel.load())) as stage:
            return [
                await stage.play(Part(utterance), episode=f"scene-{number}")
                for number, utterance in enumerate(SCENES)
            ]

    for played, (utterance, asked) in zip(asyncio.run(play_all()), SCENES.items(), strict=True):
        assert played.error is None, utterance
        assert played.result is not None and played.result.answer, utterance
        requests = [(request.domain, request.params) for request in played.requests]
        assert requests == ([asked] if asked else []), utterance
