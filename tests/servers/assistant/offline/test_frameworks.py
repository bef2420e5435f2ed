"""The model behind real frameworks, with the real gateway and servers."""

import asyncio
import os
from pathlib import Path

import pytest

from ossia.adapters import InstallError, find_adapter, install, ossia_home
from ossia.conformance.stage import Part, open_stage
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.gateway import InProcessModel

ROOT = Path(__file__).resolve().parents[4]
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
ADAPTERS = [
    pytest.param(name, marks=pytest.mark.framework(name))
    for name in ("control", "autogen", "langgraph", "camel", "agentlite")
]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_framework_carries_the_scenes_out(adapter):
    info = find_adapter(adapter, ossia_home({"OSSIA_HOME": str(ROOT / ".ossia"), **os.environ}))
    try:
        install(info)
    except InstallError as error:
        pytest.skip(f"{error}: {error.output[-300:]}")

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
