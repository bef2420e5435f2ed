import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_adapter import Episode, UnknownRoleError, WireError

ROLES = [
    {"name": "manager", "description": "delegates", "prompt": "P0", "tools": []},
    {"name": "time", "description": "times", "prompt": "P1", "tools": ["get_date"]},
    {
        "name": "request",
        "description": "requests",
        "prompt": "P2",
        "tools": ["http_request", "get_date"],
    },
]
EPISODE = {
    "id": "e1",
    "utterance": "wake me",
    "gateway_url": "http://127.0.0.1:1/v1",
    "api_key": "k",
    "servers_url": "http://127.0.0.1:2",
    "world": "w1",
    "limits": {"turns": 20, "tool_rounds": 5, "call_seconds": 60},
    "team": {
        "name": "assistant",
        "goal": "help",
        "manager": "manager",
        "final": "request",
        "roles": ROLES,
    },
}


def changed(path, value):
    """Return the episode with one value replaced, or removed when the value is ``...``."""
    episode = copy.deepcopy(EPISODE)
    *parents, last = path
    target = episode
    for key in parents:
        target = target[key]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return episode


def test_an_episode_is_read_from_the_wire():
    episode = Episode.from_wire(EPISODE)
    assert episode.limits.call_seconds == 60.0
    assert episode.team.manager_role.prompt == "P0"
    assert [role.name for role in episode.team.members] == ["time", "request"]
    assert episode.team.role("time").tools == ("get_date",)
    assert episode.model("time") == "ossia-time"
    assert [tool.__name__ for tool in episode.tools("request")] == ["http_request", "get_date"]
    assert episode.tools(episode.team.role("manager")) == ()


def test_a_team_of_one_role_plays_alone_and_has_no_manager():
    team = {**EPISODE["team"], "manager": "", "final": "time", "roles": [ROLES[1]]}
    alone = Episode.from_wire({**EPISODE, "team": team}).team
    assert (alone.alone, alone.members) == (alone.role("time"), alone.roles)
    with pytest.raises(UnknownRoleError, match=r"has no manager: play team\.alone"):
        _ = alone.manager_role
    assert Episode.from_wire(EPISODE).team.alone is None
    with pytest.raises(WireError, match="team has 3 roles and no manager"):
        Episode.from_wire(changed(("team", "manager"), ""))


def test_a_role_that_does_not_exist_is_refused():
    episode = Episode.from_wire(EPISODE)
    for ask in (episode.model, episode.tools, episode.team.role):
        with pytest.raises(UnknownRoleError, match="no role 'chef'"):
            ask("chef")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("gold",), [], "episode has unknown keys: gold"),
        (("world",), ..., "episode lacks keys: world"),
        (("id",), "", "episode.id must not be empty"),
        (("utterance",), 3, "episode.utterance must be text"),
        (("limits",), [], "limits must be an object"),
        (("limits", "turns"), 0, "limits.turns"),
        (("limits", "turns"), True, "limits.turns"),
        (("limits", "tool_rounds"), 1.5, "limits.tool_rounds"),
        (("limits", "call_seconds"), float("nan"), "limits.call_seconds"),
        (("limits", "call_seconds"), float("inf"), "limits.call_seconds"),
        (("limits", "calls"), 3, "limits has unknown keys: calls"),
        (("team", "manager"), "chef", "no manager named 'chef'"),
        (("team", "final"), "manager", "no member named 'manager'"),
        (("team", "roles"), "x", "team.roles must be a list"),
        (("team", "roles"), [*ROLES, ROLES[1]], "a role twice"),
        (("team", "roles", 1, "tools"), ["rm"], "unknown tools"),
        (("team", "roles", 1, "tools"), [[]], "unknown tools"),
        (("team", "roles", 1, "name"), "a b", "not an identifier"),
        (("team", "roles", 1, "gold"), 1, "role has unknown keys: gold"),
    ],
)
def test_anything_unexpected_is_refused(path, value, message):
    with pytest.raises(WireError, match=message):
        Episode.from_wire(changed(path, value))


@given(st.text())
def test_the_task_carries_the_utterance_as_a_json_literal(utterance):
    task = Episode.from_wire(changed(("utterance",), utterance)).task
    prefix = "The user says: "
    assert task.startswith(prefix)
    assert json.loads(task.removeprefix(prefix)) == utterance


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values)
def test_no_json_value_raises_anything_but_a_wire_error(value):
    with pytest.raises(WireError):
        Episode.from_wire(value)


@given(
    st.sampled_from(
        [(key,) for key in EPISODE]
        + [("limits", key) for key in EPISODE["limits"]]
        + [("team", key) for key in EPISODE["team"]]
        + [("team", "roles", 1, key) for key in ROLES[1]]
    ),
    json_values,
)
def test_a_changed_value_is_read_or_refused(path, value):
    try:
        Episode.from_wire(changed(path, value))
    except WireError as error:
        assert str(error)
