"""Tasks are written and read back unchanged, and a bad file is refused with its place."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.tasks import (
    DEFAULT_HOME,
    DEFAULT_NOW,
    Request,
    TaskError,
    dataset_hash,
    dump_task,
    parse_task,
    read_tasks,
    write_tasks,
)
from ossia_dataset.world_tasks import Gold, GoldKind, Part, WorldTask, by_domain

# A line break of any alphabet inside a text must not end the line of a task.
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(["\u2028", "a\nb"])
NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
SLOTS = st.dictionaries(NAMES, TEXTS, max_size=2)
REQUESTS = st.builds(Request, domain=NAMES, params=SLOTS)


@st.composite
def golds(draw: st.DrawFn) -> Gold:
    # Nothing to do is what only tasks of several parts can come to.
    kind = draw(st.sampled_from([kind for kind in GoldKind if kind is not GoldKind.NONE]))
    some = st.lists(REQUESTS, max_size=2).map(tuple)
    # Nothing to do is told by requests that are listed, even if they are none.
    listed = some if kind is GoldKind.NONE else st.none() | some
    return Gold(
        domain=draw(NAMES),
        intent=draw(NAMES),
        slots=draw(SLOTS),
        time=draw(SLOTS),
        place=draw(SLOTS),
        kind=kind,
        dropped=draw(st.lists(NAMES, max_size=2).map(tuple)),
        requests=None if kind is GoldKind.CHAT else draw(listed),
        facts=draw(st.lists(TEXTS, max_size=2).map(tuple)),
    )


@st.composite
def parts(draw: st.DrawFn, first: bool = False) -> Part:
    condition = None if first else draw(st.none() | TEXTS)
    slots = draw(SLOTS)
    return Part(
        domain=draw(NAMES.filter(lambda name: name != "general")),
        intent=draw(NAMES),
        slots=slots,
        time=draw(SLOTS),
        place=draw(SLOTS),
        dropped=draw(st.lists(NAMES, max_size=2).map(tuple)),
        condition=condition,
        holds=None if condition is None else draw(st.booleans()),
        taken={name: draw(TEXTS) for name in slots if draw(st.booleans())},
    )


@st.composite
def compound_golds(draw: st.DrawFn) -> Gold:
    found = (draw(parts(first=True)), *draw(st.lists(parts(), min_size=1, max_size=2)))
    return Gold(
        domain=found[0].domain,
        intent=found[0].intent,
        kind=draw(st.sampled_from([GoldKind.CHANGE, GoldKind.ANSWER, GoldKind.NONE])),
        parts=found,
    )


TASKS = st.builds(
    AssistantTask,
    id=st.from_regex(r"[a-z0-9][a-z0-9_.-]{0,8}", fullmatch=True),
    suite=NAMES,
    utterance=TEXTS.filter(bool),
    seed=NAMES,
    now=st.datetimes(datetime(1950, 1, 1), datetime(2149, 12, 31)),
    home=TEXTS,
    setup=st.lists(REQUESTS, max_size=2).map(tuple),
    gold=golds() | compound_golds(),
    source=st.none() | TEXTS,
)

# Of several tasks at once only what tells them apart has to vary.
SMALL = st.lists(
    st.builds(
        AssistantTask,
        id=st.from_regex(r"[a-z0-9]{1,4}", fullmatch=True),
        utterance=TEXTS.filter(bool),
        gold=golds(),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda one: one.id,
)


def task(number: int = 1, **changes: Any) -> WorldTask:
    """Make a small task; `changes` are fields of it."""
    gold = Gold(domain="alarm", intent="alarm_set", slots={"time": "six"}, kind=GoldKind.CHANGE)
    base = AssistantTask(id=f"alarm-{number:03}", utterance="wake me at six", gold=gold)
    return base.model_copy(update=changes)


@given(TASKS)
def test_a_task_is_read_back_as_it_was_written(one: AssistantTask) -> None:
    line = dump_task(one)
    assert "\n" not in line
    assert parse_task(line, AssistantTask) == one
    assert dump_task(parse_task(line, AssistantTask)) == line


@given(SMALL)
def test_a_file_is_read_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, tasks: list[WorldTask]
) -> None:
    path = tmp_path_factory.mktemp("tasks") / "tasks.jsonl"
    write_tasks(path, tasks)
    assert read_tasks(path, AssistantTask) == tuple(tasks)


def test_defaults_are_left_out_of_the_line() -> None:
    one = task()
    assert json.loads(dump_task(one)) == {
        "schema": 1,
        "id": "alarm-001",
        "utterance": "wake me at six",
        "gold": {
            "domain": "alarm",
            "intent": "alarm_set",
            "slots": {"time": "six"},
            "kind": "change",
        },
    }
    read = parse_task(dump_task(one), AssistantTask)
    assert (read.now, read.home, read.seed) == (DEFAULT_NOW, DEFAULT_HOME, "home")


GOLD = '"gold": {"domain": "alarm", "intent": "alarm_set", "kind": "change"}'
GOOD = '{"schema": 1, "id": "a", "utterance": "hello", ' + GOLD + "}"


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("not json", "Invalid JSON"),
        ("[]", "Input should be"),
        (GOOD[:-1], "Invalid JSON"),
        (GOOD.replace('"schema": 1', '"schema": 2'), "schema"),
        (GOOD.replace('"id": "a", ', ""), "id"),
        (GOOD.replace('"a"', '"A task"'), "id"),
        (GOOD.replace('"hello"', '""'), "utterance"),
        (GOOD.replace('"hello"', "7"), "utterance"),
        (GOOD.replace("hello", "x" * 100_001), "utterance: String should have at most 100000"),
        (GOOD.replace(GOLD, '"gold": null'), "gold"),
        (GOOD.replace('"change"', '"changes"'), "gold.kind"),
        (GOOD.replace('"id": "a"', '"id": "a", "now": "tomorrow"'), "now"),
        (GOOD.replace('"id": "a"', '"id": "a", "now": "2026-03-13T10:00:00Z"'), "now"),
        (GOOD.replace('"id": "a"', '"id": "a", "utterence": "x"'), "utterence"),
        (GOOD.replace('"kind"', '"slots": {"time": 6}, "kind"'), "gold.slots.time"),
        (GOOD.replace('"id": "a"', '"id": "a", "setup": [{"domain": "x"}]'), "setup.0.params"),
        (
            GOOD.replace(
                '"change"', '"chat", "requests": [{"domain": "alarm", "params": {}}]'
            ),
            "gold",
        ),
    ],
)  # fmt: skip
def test_a_bad_line_is_refused_with_file_line_and_field(
    tmp_path: Path, line: str, where: str
) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(f"{GOOD}\n\n{line}\n", "utf-8")
    with pytest.raises(TaskError) as caught:
        read_tasks(path, AssistantTask)
    place = f"{path}:3: {where}"
    assert str(caught.value).startswith(place)
    assert len(str(caught.value)) > len(f"{place}: ")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(GOOD.encode() + b"\n\xff\xfe\n")
    with pytest.raises(TaskError, match=r"tasks\.jsonl: the file is not in UTF-8"):
        read_tasks(path, AssistantTask)


def test_a_mark_that_editors_put_before_utf_8_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(f"{GOOD}\n", "utf-8-sig")
    assert len(read_tasks(path, AssistantTask)) == 1


def test_an_id_that_occurs_twice_is_refused_even_across_files(tmp_path: Path) -> None:
    write_tasks(tmp_path / "a.jsonl", [task(1), task(2)])
    write_tasks(tmp_path / "b.jsonl", [task(2)])
    with pytest.raises(TaskError, match=r"b\.jsonl:1: the id 'alarm-002' occurs twice"):
        read_tasks(tmp_path, AssistantTask)


def test_a_folder_is_read_in_name_order(tmp_path: Path) -> None:
    write_tasks(tmp_path / "b.jsonl", [task(2)])
    write_tasks(tmp_path / "a.jsonl", [task(1)])
    (tmp_path / "notes.txt").write_text("no task", "utf-8")
    assert [one.id for one in read_tasks(tmp_path, AssistantTask)] == ["alarm-001", "alarm-002"]


def test_a_folder_of_one_set_is_that_set_and_several_are_named(tmp_path: Path) -> None:
    for name in ("test", "train"):
        (tmp_path / name).mkdir()
    write_tasks(tmp_path / "test" / "a.jsonl", [task(1)])
    assert read_tasks(tmp_path, AssistantTask) == read_tasks(tmp_path / "test", AssistantTask)
    write_tasks(tmp_path / "train" / "a.jsonl", [task(2)])
    with pytest.raises(
        TaskError, match=r"several task sets, give one of them: \S+/test, \S+/train$"
    ):
        read_tasks(tmp_path, AssistantTask)


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no such file or folder"):
        read_tasks(tmp_path / "absent.jsonl", AssistantTask)
    with pytest.raises(TaskError, match="/dev/null: neither a file nor a folder"):
        read_tasks(Path("/dev/null"), AssistantTask)
    with pytest.raises(TaskError, match="contains no task"):
        read_tasks(tmp_path, AssistantTask)
    (tmp_path / "empty.jsonl").write_text("\n \n", "utf-8")
    with pytest.raises(TaskError, match="contains no task"):
        read_tasks(tmp_path / "empty.jsonl", AssistantTask)


@given(SMALL, st.randoms())
def test_the_hash_does_not_depend_on_the_order(tasks: list[WorldTask], stream: Random) -> None:
    mixed = list(tasks)
    stream.shuffle(mixed)
    assert dataset_hash(mixed) == dataset_hash(tasks)


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "alarm-009"},
        {"utterance": "wake me at six!"},
        {"now": datetime(2026, 3, 13, 10, 1)},
        {"home": "Austin, Texas"},
        {"seed": "office"},
        {"setup": (Request(domain="alarm", params={"intent": "alarm_set"}),)},
        {"source": "somewhere"},
        {"gold": task().gold.model_copy(update={"time": {"time": "06:00"}})},
        {"gold": task().gold.model_copy(update={"slots": {}})},
        {"gold": task().gold.model_copy(update={"dropped": ("time",)})},
    ],
)
def test_any_change_changes_the_hash(changes: dict[str, Any]) -> None:
    assert dataset_hash([task(), task(2)]) != dataset_hash([task(**changes), task(2)])


def test_a_set_with_fewer_tasks_has_another_hash() -> None:
    assert dataset_hash([task()]) != dataset_hash([task(), task(2)])


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_tasks(path, [task(1)])

    def broken() -> Iterator[WorldTask]:
        yield task(2)
        raise RuntimeError("the source of tasks fails")

    with pytest.raises(RuntimeError):
        write_tasks(path, broken())
    assert [one.id for one in read_tasks(path, AssistantTask)] == ["alarm-001"]
    write_tasks(path, [task(2), task(3)])
    assert [one.id for one in read_tasks(path, AssistantTask)] == ["alarm-002", "alarm-003"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["tasks.jsonl"]


def test_the_gold_request_is_composed_of_slots_and_normal_forms() -> None:
    gold = Gold(
        domain="calendar",
        intent="calendar_set",
        slots={"date": "tonight", "event_name": "a walk", "time2": "whenever"},
        time={"date": "2026-03-13", "time": "18:00..23:59"},
        kind=GoldKind.CHANGE,
        dropped=("time2",),
    )
    (request,) = gold.gold_requests()
    assert request.url == (
        "/calendar?intent=calendar_set&date=2026-03-13&event_name=a+walk&time=18%3A00..23%3A59"
    )
    chat = Gold(domain="general", intent="general_joke", kind=GoldKind.CHAT)
    assert chat.gold_requests() == ()


def test_listed_requests_come_before_composed_ones() -> None:
    listed = (Request(domain="weather", params={"intent": "weather_query"}),)
    gold = task().gold.model_copy(update={"requests": listed})
    assert gold.gold_requests() == listed


def test_tasks_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValidationError):
        task().__setattr__("utterance", "something else")


def test_tasks_are_grouped_by_domain_in_name_order() -> None:
    weather = task(2, gold=task().gold.model_copy(update={"domain": "weather"}))
    groups = by_domain([weather, task(1), task(3)])
    assert {name: [one.id for one in found] for name, found in groups.items()} == {
        "alarm": ["alarm-001", "alarm-003"],
        "weather": ["alarm-002"],
    }
    assert list(groups) == ["alarm", "weather"]


@pytest.mark.parametrize("year", ["0001", "1949", "2150", "9999"])
def test_a_clock_that_leaves_no_room_for_past_or_future_is_refused(year: str) -> None:
    task = {"id": "a", "utterance": "hi", "now": f"{year}-06-01T00:00:00"}
    gold = {"domain": "general", "intent": "general_greet", "kind": "chat"}
    with pytest.raises(TaskError, match="now"):
        parse_task(json.dumps({**task, "gold": gold}), AssistantTask)


RAIN = Part(domain="weather", intent="weather_query", slots={"date": "tomorrow"})
CANCEL = Part(
    domain="calendar",
    intent="calendar_remove",
    slots={"event_name": "picnic"},
    condition="it rains tomorrow",
    holds=False,
)
JOKE = Part(domain="general", intent="general_joke")


def compound(*parts: Part, kind: GoldKind = GoldKind.CHANGE, **changes: Any) -> Gold:
    """Make the gold of a compound task."""
    named = {"domain": parts[0].domain, "intent": parts[0].intent, **changes}
    return Gold(kind=kind, parts=parts, **named)


def test_a_compound_task_asks_for_each_part_that_is_due() -> None:
    holding = CANCEL.model_copy(update={"holds": True})
    assert [r.domain for r in compound(RAIN, holding, JOKE).gold_requests()] == [
        "weather",
        "calendar",
    ]
    assert [r.domain for r in compound(RAIN, CANCEL, JOKE).gold_requests()] == ["weather"]


def test_the_parts_that_are_due_are_tasks_of_their_own() -> None:
    one = task().model_copy(update={"gold": compound(RAIN, CANCEL, JOKE)})
    assert [(single.id, single.gold.domain) for single in one.due()] == [
        (one.id, "weather"),
        (one.id, "general"),
    ]
    assert one.domains == {"weather", "calendar", "general"}
    assert task().due() == (task(),)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: compound(RAIN), "two parts"),
        (lambda: compound(RAIN, CANCEL, slots={"date": "tomorrow"}), "in its parts only"),
        (lambda: compound(RAIN, CANCEL, domain="alarm"), "not those of the first part"),
        (lambda: compound(CANCEL, RAIN), "always done"),
        (lambda: compound(RAIN, JOKE, CANCEL), "only the last"),
        (lambda: Part(domain="a", intent="b", condition="it rains"), "come together"),
        (lambda: Part(domain="a", intent="b", taken={"date": "it"}), "no slot: date"),
    ],
)
def test_parts_that_do_not_fit_are_refused(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        wrong()
