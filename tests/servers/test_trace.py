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
    data = json.loads(NOW.model_dump_json(exclude={"dropped"}))
    return json.dumps({**data, "version": version, "ending": {"kind": kind, "detail": detail}})


def test_a_trace_survives_json():
    assert Trace.model_validate_json(NOW.model_dump_json()) == NOW


@pytest.mark.parametrize(
    ("kind", "detail", "read", "cpu_s"),
    [
        ("answered", "", "answered", 0.0),
        ("timeout", "cancelled after 185 s", "timeout", None),
        ("worker_died", "the worker's process ended with status 9", "worker_died", None),
        ("worker_died", "the worker's process ended with status -9", "worker_killed", None),
        ("worker_died", "the worker's process ended with status -15", "worker_killed", None),
    ],
)
def test_the_first_version_is_read_in_the_words_of_the_present_one(kind, detail, read, cpu_s):
    trace = Trace.model_validate_json(stored(1, kind, detail))
    assert (trace.version, trace.ending.kind, trace.timing.cpu_s) == (3, read, cpu_s)
    assert trace.ending.detail == detail
    assert trace.dropped is None


def test_the_second_version_is_read_as_it_is():
    trace = Trace.model_validate_json(stored(2, "worker_killed", "out of memory"))
    assert trace == NOW.model_copy(update={"ending": trace.ending})
    assert (trace.version, trace.ending.kind) == (3, "worker_killed")


@pytest.mark.parametrize("text", [stored(4, "answered"), stored(1, "gone"), '{"version": 1}'])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(ValidationError):
        Trace.model_validate_json(text)
