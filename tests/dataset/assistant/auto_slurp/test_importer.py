"""From rows of the two file shapes to tasks."""

import csv
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.assistant.auto_slurp import (
    CHANGING,
    DOMAIN_OF,
    PARAMETERS,
    AutoSlurpError,
    Import,
    read_auto_slurp,
)
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.tasks import dump_task, parse_task
from ossia_dataset.world_tasks import GoldKind

NOW = datetime(2026, 3, 13, 10, 0)
HOME = "Springfield, Illinois"


def imported(folder: Path, *rows: tuple[str, str, str, str], column: str = "query") -> Import:
    """Write rows of id, text, intent and slots as a csv file and read it."""
    path = folder / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", column, "intent", "slots", "action"])
        writer.writerows([*row, "x"] for row in rows)
    return read_auto_slurp(path, now=NOW, home=HOME)


def one(folder: Path, text: str, intent: str, slots: str) -> tuple[AssistantTask, list[str]]:
    """Read one row; return its task and its notes."""
    result = imported(folder, ("7", text, intent, slots))
    assert result.rejected == ()
    return result.tasks[0], [note.text for note in result.notes]


@pytest.mark.parametrize("column", ["query", "sentence"])
def test_a_row_becomes_a_task(tmp_path: Path, column: str) -> None:
    row = ("42", "put yoga on friday at six", "calendar_set",
           "['event_name : yoga', 'date : friday', 'time : six']")  # fmt: skip
    result = imported(tmp_path, row, column=column)
    assert result.rejected == () and result.notes == ()
    task = result.tasks[0]
    assert task.id == "auto-slurp-42"
    assert task.utterance == "put yoga on friday at six"
    assert task.source == "auto-slurp/rows.csv#42"
    assert (task.now, task.home) == (NOW, HOME)
    assert task.gold.domain == "calendar"
    assert task.gold.kind is GoldKind.CHANGE
    assert task.gold.slots == {"event_name": "yoga", "date": "friday", "time": "six"}
    assert task.gold.time == {"date": "2026-03-20", "time": "18:00"}
    assert [request.params for request in task.gold.gold_requests()] == [
        {"intent": "calendar_set", "event_name": "yoga", "date": "2026-03-20", "time": "18:00"}
    ]
    assert parse_task(dump_task(task), AssistantTask) == task


def test_places_get_their_normal_form(tmp_path: Path) -> None:
    task, _ = one(tmp_path, "is it hot in dallas", "weather_query", "['place_name : dallas']")
    assert task.gold.place == {"place_name": "Dallas, Texas"}
    task, _ = one(tmp_path, "is it hot here", "weather_query", "['place_name : here']")
    assert task.gold.place == {"place_name": HOME}
    assert task.gold.kind is GoldKind.ANSWER


@pytest.mark.parametrize(
    ("text", "slots", "time", "exact"),
    [
        ("up at six in morning", "['time : six', 'timeofday : morning']", "six in morning",
         {"time": "06:00"}),
        ("tonight it is at seven", "['time : seven', 'timeofday : tonight']", "seven tonight",
         {"date": "2026-03-13", "time": "19:00"}),
        ("in the morning at nine", "['timeofday : morning','time : nine']", "nine in the morning",
         {"time": "09:00"}),
        ("this afternoon", "['timeofday : this afternoon']", "this afternoon",
         {"date": "2026-03-13", "time": "12:00..18:00"}),
    ],
)  # fmt: skip
def test_the_part_of_the_day_joins_the_time(
    tmp_path: Path, text: str, slots: str, time: str, exact: dict[str, str]
) -> None:
    task, notes = one(tmp_path, text, "alarm_set", slots)
    assert task.gold.slots == {"time": time}
    assert task.gold.time == exact
    assert notes


@pytest.mark.parametrize(
    ("intent", "slots", "raw"),
    [
        ("qa_currency", "['currency_name : euro', 'currency_name : yen', 'amout : five']",
         {"currency": "euro", "currency2": "yen", "amount": "five"}),
        ("email_querycontact", "['person : ann', 'persenal_info : number']",
         {"person": "ann", "personal_info": "number"}),
        ("play_music", "['player_settings : repeat', 'playlists_name : jogging']",
         {"player_setting": "repeat", "playlist_name": "jogging"}),
        ("play_podcasts", "['player_setting : load', 'player_setting : play']",
         {"player_setting": "load and play"}),
        ("alarm_set", "['general_frequency : daily', 'time : 6 am']",
         {"time": "6 am", "date": "daily"}),
        ("calendar_set", "['general_frequency : each year', 'date : may two']",
         {"date": "may two"}),
        ("calendar_query", "['time : one', 'time2 : three pm']",
         {"from_time": "one", "to_time": "three pm"}),
        ("calendar_query", "['day : the day']", {"date": "the day"}),
        ("email_query", "['time : last three days']", {"date": "last three days"}),
        ("email_query", "['descriptor : new']", {"query": "new"}),
        ("music_query", "['app_name : some app']", {}),
    ],
)  # fmt: skip
def test_slot_names_become_those_of_the_catalogue(
    tmp_path: Path, intent: str, slots: str, raw: dict[str, str]
) -> None:
    task, notes = one(tmp_path, "some words", intent, slots)
    assert task.gold.slots == raw
    assert notes


def test_a_slot_without_a_normal_form_stays_raw_alone(tmp_path: Path) -> None:
    task, notes = one(tmp_path, "what is on this date", "calendar_query", "['date : this date']")
    assert task.gold.slots == {"date": "this date"}
    assert task.gold.dropped == ("date",)
    assert task.gold.gold_requests()[0].params == {"intent": "calendar_query"}
    assert any("no normal form" in note for note in notes)


def test_a_compound_row_makes_one_request_for_each_intent(tmp_path: Path) -> None:
    task, notes = one(
        tmp_path,
        "mail ann the weather for tomorrow",
        "weather_query;email_sendemail",
        "['date : tomorrow'],['to_person : ann', 'content : the weather']",
    )
    assert task.gold.kind is GoldKind.CHANGE
    assert [request.url for request in task.gold.gold_requests()] == [
        "/weather?intent=weather_query&date=2026-03-14",
        "/email?intent=email_sendemail&to_person=ann&content=the+weather",
    ]
    assert any("several intents" in note for note in notes)


def test_chat_has_no_request(tmp_path: Path) -> None:
    task, _ = one(tmp_path, "tell me a joke", "general_joke", "[]")
    assert task.gold.kind is GoldKind.CHAT
    assert task.gold.gold_requests() == ()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("7", "some words", "fly_kite", "[]"), "not in the published catalogue"),
        (("7", "some words", "lists_query", "nothing"), "not a list"),
        (("7", "some words", "lists_query", "['milk']"), "is not a slot"),
        (("7", "", "lists_query", "[]"), "no text"),
        (("", "some words", "lists_query", "[]"), "The id"),
        (("7", "some words", "lists_query", "[],[]"), "2 slot lists for 1 intents"),
    ],
)
def test_a_row_that_is_no_task_says_why(
    tmp_path: Path, row: tuple[str, str, str, str], reason: str
) -> None:
    result = imported(tmp_path, ("1", "say my lists", "lists_query", "[]"), row)
    assert [task.id for task in result.tasks] == ["auto-slurp-1"]
    assert [(item.row_id, item.line) for item in result.rejected] == [(row[0], 3)]
    assert reason in result.rejected[0].reason


def test_an_id_that_occurs_twice_is_rejected_once(tmp_path: Path) -> None:
    row = ("7", "say my lists", "lists_query", "[]")
    result = imported(tmp_path, row, row)
    assert len(result.tasks) == len(result.rejected) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"id,intent,slots\n", b"id,query,slots\n", b"\xff\xfe\x00", b"no csv at all\n"],
)
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(content)
    with pytest.raises(AutoSlurpError, match=r"other\.csv"):
        read_auto_slurp(path, now=NOW, home=HOME)


SLOTS = st.lists(
    st.tuples(
        st.sampled_from(["date", "time", "timeofday", "day", "event_name", "to_person", "person",
                         "list_name", "item_name", "descriptor", "place_name", "setting", "x"]),
        st.one_of(
            st.sampled_from(["next week", "every monday", "five", "tonight", "this", "a week ago"]),
            st.text(max_size=15),
        ),
    ),
    max_size=4,
).map(lambda pairs: repr([f"{name} : {value}" for name, value in pairs]))  # fmt: skip
INTENTS = st.sampled_from([*DOMAIN_OF, "lists_query;calendar_set", "fly_kite", ""])


@given(st.lists(st.tuples(st.text(max_size=20), INTENTS, st.one_of(SLOTS, st.text()))))
def test_every_row_is_a_task_or_is_rejected(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    given_rows = [(str(number), *row) for number, row in enumerate(rows)]
    result = imported(tmp_path_factory.mktemp("rows"), *given_rows)
    assert len(result.tasks) + len(result.rejected) == len(rows)
    assert all(item.reason.endswith(".") for item in result.rejected)
    assert all(note.text.endswith(".") for note in result.notes)
    for task in result.tasks:
        assert parse_task(dump_task(task), AssistantTask) == task


def test_the_catalogue_is_whole() -> None:
    assert set(DOMAIN_OF.values()) == set(PARAMETERS)
    assert len(PARAMETERS) == 23
    assert set(DOMAIN_OF) > CHANGING
