"""The smart house does what it is told, now or later, and remembers it."""

from datetime import datetime

import pytest

from ossia_dataset.world_tasks import WorldTask
from ossia_servers.worlds.schema import Row

from .support import Pair, asked_back, check_gold, ok, refused, rows, tasks_of, world


@pytest.fixture
def house() -> Pair:
    return world(domains=["iot"])


def lamps(pair: Pair, *, on: bool = True) -> list[Row]:
    return [row for row in pair[1].rows("iot.lights") if row["on"] is on]


def lamp(pair: Pair, room: str, name: str = "ceiling light") -> Row:
    return next(
        row for row in pair[1].rows("iot.lights") if (row["room"], row["name"]) == (room, name)
    )


def test_light_goes_on_and_off_again(house: Pair) -> None:
    assert not lamp(house, "garage")["on"]
    changed = rows(house, "iot", intent="iot_hue_lighton", house_place="the garage")
    assert changed == [lamp(house, "garage")]
    assert changed[0]["on"]
    rows(house, "iot", intent="iot_hue_lightoff", house_place="garage")
    assert house[1].diff().changes == ()


def test_without_a_place_the_whole_house_is_meant(house: Pair) -> None:
    ok(house, "iot", intent="iot_hue_lightoff")
    assert lamps(house) == []
    ok(house, "iot", intent="iot_hue_lighton", device_type="lights")
    assert lamps(house, on=False) == []


@pytest.mark.parametrize(
    ("place", "rooms"),
    [
        ("here", {"living room"}),
        ("my room", {"bedroom"}),
        ("den", {"living room"}),
        ("upstairs bathroom", {"bathroom"}),
        ("kitchen and the hall", {"kitchen", "hallway"}),
        ("kids' room", {"kids room"}),
    ],
)
def test_rooms_are_understood_as_people_call_them(house: Pair, place: str, rooms: set[str]) -> None:
    changed = rows(house, "iot", intent="iot_hue_lightoff", house_place=place)
    assert {row["room"] for row in changed} == rooms


@pytest.mark.parametrize(
    ("device", "names"),
    [
        ("desk lamp", {"desk lamp"}),
        ("overhead lights", {"ceiling light"}),
        ("all", set()),
        ("hue light bulbs", set()),
        ("kitchen counter light", {"counter light"}),
    ],
)
def test_lamps_are_understood_as_people_call_them(
    house: Pair, device: str, names: set[str]
) -> None:
    changed = rows(house, "iot", intent="iot_hue_lightoff", device_type=device)
    everything = {row["name"] for row in house[1].rows("iot.lights")}
    assert {row["name"] for row in changed} == (names or everything)


def test_brightness_moves_by_what_was_said_and_stays_in_bounds(house: Pair) -> None:
    place = {"house_place": "hallway"}
    ok(house, "iot", intent="iot_hue_lightup", **place)
    assert lamp(house, "hallway")["brightness"] == 70
    ok(house, "iot", intent="iot_hue_lightdim", change_amount="slightly", **place)
    assert lamp(house, "hallway")["brightness"] == 60
    ok(house, "iot", intent="iot_hue_lightup", change_amount="two levels", **place)
    assert lamp(house, "hallway")["brightness"] == 80
    ok(house, "iot", intent="iot_hue_lightup", change_amount="ninety percent", **place)
    assert lamp(house, "hallway")["brightness"] == 100
    ok(house, "iot", intent="iot_hue_lightdim", change_to="fifty five percent", **place)
    assert lamp(house, "hallway")["brightness"] == 55


def test_lamps_that_are_off_stay_off_while_others_change(house: Pair) -> None:
    lit = {row["id"] for row in lamps(house)}
    changed = rows(house, "iot", intent="iot_hue_lightcolor", color_type="red")
    assert {row["id"] for row in changed} == lit
    assert {row["color"] for row in changed} == {"red"}
    assert rows(house, "iot", intent="iot_hue_lightup", house_place="garden")[0]["on"]


@pytest.mark.parametrize(
    ("said", "color"),
    [("light green", "light green"), ("some purple please", "purple"), ("warm", "warm white")],
)
def test_colours_are_understood(house: Pair, said: str, color: str) -> None:
    ok(house, "iot", intent="iot_hue_lightcolor", color_type=said, house_place="kitchen")
    assert lamp(house, "kitchen")["color"] == color


def test_a_colour_that_nobody_named_is_a_new_one_and_always_the_same(house: Pair) -> None:
    before = {row["color"] for row in house[1].rows("iot.lights")}
    first = rows(house, "iot", intent="iot_hue_lightcolor")
    again = rows(world(domains=["iot"]), "iot", intent="iot_hue_lightcolor")
    assert first == again
    assert not {row["color"] for row in first} & before


@pytest.mark.parametrize("intent", ["iot_hue_lightchange", "iot_hue_lightother"])
def test_adjusting_does_what_the_words_say(house: Pair, intent: str) -> None:
    place = {"intent": intent, "house_place": "kitchen"}
    assert asked_back(house, "iot", intent=intent) == ("color_type", "change_to")
    ok(house, "iot", **place, color_type="teal")
    assert lamp(house, "kitchen")["color"] == "teal"
    ok(house, "iot", **place, change_to="brighter", change_amount="ten percent")
    assert lamp(house, "kitchen")["brightness"] == 100
    ok(house, "iot", **place, change_to="half")
    assert lamp(house, "kitchen")["brightness"] == 50
    ok(house, "iot", **place, change_to="off")
    assert not lamp(house, "kitchen")["on"]
    ok(house, "iot", **place, change_to="on")
    assert lamp(house, "kitchen")["on"]


def test_light_on_takes_colour_and_brightness(house: Pair) -> None:
    row = rows(
        house,
        "iot",
        intent="iot_hue_lighton",
        house_place="attic",
        color_type="blue",
        change_to="ten percent",
    )[0]
    assert (row["on"], row["color"], row["brightness"]) == (True, "blue", 10)


@pytest.mark.parametrize(
    "params",
    [
        {"intent": "iot_hue_lighton", "house_place": "the moon base"},
        {"intent": "iot_hue_lightoff", "device_type": "lava lamp"},
        {"intent": "iot_hue_lightcolor", "color_type": "potato"},
        {"intent": "iot_hue_lightdim", "change_amount": "potato"},
        {"intent": "audio_volume_up", "change_to": "potato"},
        {"intent": "iot_wemo_on", "device_type": "jacuzzi"},
        {"intent": "audio_volume_mute", "house_place": "attic"},
        {"intent": "iot_cleaning", "house_place": "narnia"},
        {"intent": "iot_coffee", "change_amount": "nine hundred"},
        {"intent": "iot_coffee", "setting": "cancel"},
        {"intent": "iot_wemo_off", "date": "2026-03-12"},
        {"intent": "iot_wemo_off", "date": "2026-03-13", "time": "08:00"},
    ],
)
def test_what_cannot_be_is_refused(house: Pair, params: dict[str, str]) -> None:
    refused(house, "iot", **params)


def test_sockets(house: Pair) -> None:
    plugs = [row for row in house[1].rows("iot.sockets") if row["name"] == "smart plug"]
    assert {row["room"]: row["on"] for row in plugs} == {"living room": False, "bedroom": True}
    row = rows(house, "iot", intent="iot_wemo_on", device_type="wemo plug socket")[0]
    assert (row["name"], row["room"], row["on"]) == ("smart plug", "living room", True)
    off = rows(house, "iot", intent="iot_wemo_off")
    assert [row["room"] for row in off] == ["living room", "bedroom"]
    assert not any(row["on"] for row in off)
    assert rows(house, "iot", intent="iot_wemo_off", device_type="tv")[0]["name"] == "television"
    office = rows(house, "iot", intent="iot_wemo_off", house_place="office")
    assert {row["room"] for row in office} == {"office"}
    everything = rows(house, "iot", intent="iot_wemo_off", device_type="all sockets")
    assert len(everything) == len(house[1].rows("iot.sockets"))


def test_volume(house: Pair) -> None:
    kitchen = {"house_place": "kitchen"}
    assert rows(house, "iot", intent="audio_volume_up", **kitchen)[0]["volume"] == 70
    down = rows(house, "iot", intent="audio_volume_down", change_amount="by ten", **kitchen)
    assert down[0]["volume"] == 60
    assert rows(house, "iot", intent="audio_volume_mute", **kitchen)[0]["muted"]
    quiet = rows(house, "iot", intent="audio_volume_down", change_to="minimum", **kitchen)[0]
    assert (quiet["volume"], quiet["muted"]) == (10, False)
    other = {"intent": "audio_volume_other"}
    assert asked_back(house, "iot", **other) == ("change_to",)
    assert rows(house, "iot", **other, change_to="level three", **kitchen)[0]["volume"] == 30
    assert rows(house, "iot", **other, change_to="mute", **kitchen)[0]["muted"]
    assert not rows(house, "iot", **other, setting="unmute", **kitchen)[0]["muted"]
    assert rows(house, "iot", **other, setting="louder", **kitchen)[0]["volume"] == 50


def test_all_loudspeakers_are_meant_by_their_kind(house: Pair) -> None:
    plain = rows(house, "iot", intent="audio_volume_up")
    assert len(plain) == 5
    pair = world(domains=["iot"])
    speakers = [row for row in plain if row["name"] == "speaker"]
    assert rows(pair, "iot", intent="audio_volume_up", device_type="the speakers") == speakers


def test_later_is_noted_and_changes_nothing_yet(house: Pair) -> None:
    done = rows(house, "iot", intent="iot_hue_lightoff", house_place="porch", time="23:00")
    plan = {"devices": ["porch light"], "change": "off", "date": "2026-03-13", "time": "23:00"}
    assert done == [{"id": "plan-2", **plan}]
    assert lamp(house, "porch", "porch light")["on"]
    tomorrow = rows(house, "iot", intent="iot_wemo_on", time="09:00")
    assert tomorrow[0]["date"] == "2026-03-14"


def test_now_in_so_many_words_is_now(house: Pair) -> None:
    ok(house, "iot", intent="iot_wemo_on", device_type="fan", date="2026-03-13", time="10:00")
    assert len(house[1].rows("iot.schedule")) == 1
    ok(house, "iot", intent="audio_volume_mute", time="..11:30")
    assert all(row["muted"] for row in house[1].rows("iot.speakers"))
    assert house[1].rows("iot.schedule")[-1]["time"] == "..11:30"


def test_coffee_is_made_now_later_and_called_off(house: Pair) -> None:
    now = rows(house, "iot", intent="iot_coffee", item_name="two cups of strong latte")[0]
    assert (now["drink"], now["cups"], now["setting"]) == ("latte", 2, "strong")
    assert (now["date"], now["time"]) == ("2026-03-13", "10:00")
    daily = rows(house, "iot", intent="iot_coffee", setting="set", date="every day")[0]
    assert (daily["drink"], daily["setting"], daily["date"]) == ("coffee", "", "every day")
    called_off = rows(house, "iot", intent="iot_coffee", setting="cancel")
    assert daily in called_off
    assert daily not in house[1].rows("iot.coffees")
    assert len(house[1].rows("iot.coffees")) == 3


def test_the_usual_coffee_is_the_last_one(house: Pair) -> None:
    row = rows(house, "iot", intent="iot_coffee", setting="my usual")[0]
    assert (row["drink"], row["setting"], row["cups"]) == ("coffee", "strong with milk", 1)


def test_cleaning_is_done_planned_and_called_off(house: Pair) -> None:
    now = rows(house, "iot", intent="iot_cleaning", item_name="carpet", house_place="den")[0]
    assert (now["device"], now["place"], now["time"]) == ("vacuum robot", "living room", "10:00")
    mop = rows(house, "iot", intent="iot_cleaning", device_type="mop", time="16:00")[0]
    assert (mop["device"], mop["place"], mop["time"]) == ("mop robot", "house", "16:00")
    gone = rows(house, "iot", intent="iot_cleaning", setting="stop", device_type="mop")
    assert {row["device"] for row in gone} == {"mop robot"}
    assert {row["device"] for row in house[1].rows("iot.cleanings")} == {"vacuum robot"}


def test_past_cleanings_are_not_called_off() -> None:
    house = world(now=datetime(2026, 3, 13, 10, 0), domains=["iot"])
    ok(house, "iot", intent="iot_cleaning", setting="cancel")
    refused(house, "iot", intent="iot_cleaning", setting="cancel")


@pytest.mark.parametrize("task", tasks_of("iot"), ids=lambda task: str(task.id))
def test_gold_runs(task: WorldTask) -> None:
    check_gold(task)
