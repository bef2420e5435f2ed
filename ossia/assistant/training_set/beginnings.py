"""Start states that an utterance takes for granted: "turn it off" supposes that it is on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from ossia_dataset.assistant.auto_slurp.setup import setup_for
from ossia_dataset.tasks import Request

_OPPOSITES: Final[Mapping[str, str]] = {
    "iot_hue_lightoff": "iot_hue_lighton",
    "iot_hue_lighton": "iot_hue_lightoff",
    "iot_hue_lightup": "iot_hue_lighton",
    "iot_hue_lightdim": "iot_hue_lighton",
    "iot_wemo_off": "iot_wemo_on",
    "iot_wemo_on": "iot_wemo_off",
    "music_likeness": "music_dislikeness",
    "music_dislikeness": "music_likeness",
}
"""The intent that makes the state which another one ends."""

_KEPT: Final[tuple[str, ...]] = (
    "device_type",
    "house_place",
    "song_name",
    "artist_name",
    "music_genre",
)


def beginnings(request: Request, now: datetime) -> Iterator[tuple[Request, ...]]:
    """Yield the setups with which a gold request may make a task, after the plain start state.

    Args:
        request: the gold request.
        now: the task's frozen clock.
    """
    supposed = setup_for(request, now)
    if supposed:
        yield supposed
    intent = request.params["intent"]
    if intent in _OPPOSITES:
        kept = {name: request.params[name] for name in _KEPT if name in request.params}
        params = {"intent": _OPPOSITES[intent], **kept}
        yield (Request(domain=request.domain, params=params),)
