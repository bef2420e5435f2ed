"""The stored trace: what an older version wrote can still be read."""

import json

import pytest
from pydantic import ValidationError

from ossia_servers.gateway import GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace

NOW = Trace(
    episode=EpisodeKey(id="e", task="t", framework="f", model="m", repeat=1),
    ending=Ending(kind="answered"),
    answer="done",
    gateway=GatewayRecord(episode="e"),
    timing=EpisodeTiming(wall_s=2.0, cpu_s=0.0),
)


def stored(version, kind, detail=""):
    """A trace as it was stored, with the fields that a version has."""
    data = json.loads(
        NOW.model_dump_json(
            exclude={"turns": True, "injected": True, "episode": {"fault"}, "timing": {"turns_s"}}
        )
    )
    return json.dumps({**data, "version": version, "ending": {"kind": kind, "detail": detail}})


def test_a_trace_survives_json():
    assert Trace.model_validate_json(NOW.model_dump_json()) == NOW


@pytest.mark.parametrize("version", [2, 3, 4])
def test_earlier_versions_are_read_as_they_are(version):
    trace = Trace.model_validate_json(stored(version, "worker_killed", "out of memory"))
    assert trace == NOW.model_copy(update={"ending": trace.ending})
    assert (trace.version, trace.turns, trace.ending.kind) == (5, (), "worker_killed")


@pytest.mark.parametrize("text", [stored(6, "answered"), stored(3, "gone"), '{"version": 1}'])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(ValidationError):
        Trace.model_validate_json(text)
