import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline.faults import (
    Catalogue,
    FaultMaker,
    FaultType,
    Form,
    Scene,
    fault_types,
)
from ossia_workflows import load_team
from ossia_workflows.assistant import FINISH, role_output, stages

CATALOGUE = Catalogue.of(load_domains())
MAKER = FaultMaker(CATALOGUE)
TASKS = [task for task in assistant_tasks("test") if len(task.gold.gold_requests()) == 1]


def _frame(task):
    gold = task.gold
    return {"domain": gold.domain, "intent": gold.intent, "slots": gold.slots}


def _rights(task):
    """What a flawless team says for a task, by role, with what each role knew."""
    gold, url = task.gold, task.gold.gold_requests()[0].url
    scene = Scene(task.utterance, _frame(task), gold.time or None, gold.place or None)
    order = stages(gold.domain, gold.slots)
    after = Scene(task.utterance, _frame(task), done=order[:-1])
    return {
        "intent": (json.dumps(_frame(task)), Scene(task.utterance)),
        "time": (json.dumps({"time_slots": gold.time}), scene),
        "location": (json.dumps({"place_slots": gold.place}), scene),
        "url": (json.dumps({"url": url}), scene),
        "request": (url, scene),
        "manager": (order[-1], after),
        "response": ("It is 21 degrees.", scene),
    }


def test_every_role_of_the_team_has_types_and_each_type_belongs_to_one():
    team = load_team("assistant", {"catalogue": "", "home": ""})
    assert {fault.role for fault in FaultType} == {role.name for role in team.roles}
    assert sum(len(fault_types(role.name)) for role in team.roles) == len(FaultType)
    assert fault_types("nobody") == ()
    assert FaultType("manager.skip").form is Form.CHOICE
    assert FaultType.REQUEST_NO_CALL.form is Form.ADDRESS


@pytest.mark.parametrize("fault", list(FaultType))
def test_every_fault_happens_in_some_task_and_is_never_the_right_output(fault):
    met = 0
    for task in TASKS[::3]:
        right, scene = _rights(task)[fault.role]
        if fault in (FaultType.MANAGER_SKIP, FaultType.MANAGER_PREMATURE_FINISH):
            right, scene = "intent", Scene(task.utterance)
        options = MAKER.options(fault, right, scene)
        met += bool(options)
        assert len(set(options)) == len(options)
        if fault is not FaultType.REQUEST_DUPLICATE_CALL:
            assert right not in options
    assert met


def test_malformed_answers_cannot_be_read_and_others_can():
    for task in TASKS[::5]:
        for role in ("intent", "time", "location", "url"):
            right, scene = _rights(task)[role]
            for fault in MAKER.possible(role, right, scene):
                readable = [role_output(role, text) for text in MAKER.options(fault, right, scene)]
                assert all(
                    (output is None) == fault.value.endswith(".malformed") for output in readable
                ), fault


def test_wrong_frames_stay_within_the_catalogue():
    for task in TASKS[::3]:
        right, scene = _rights(task)["intent"]
        for fault in (
            FaultType.INTENT_WRONG_DOMAIN,
            FaultType.INTENT_SIBLING,
            FaultType.INTENT_EXTRA_SLOT,
        ):
            for text in MAKER.options(fault, right, scene):
                frame = json.loads(text)
                entry = CATALOGUE.domains[frame["domain"]]
                assert frame["intent"] in entry.intents
                assert frame["slots"].keys() <= {*entry.slots, *task.gold.slots}
                same = frame["domain"] == task.gold.domain
                assert same == (fault is not FaultType.INTENT_WRONG_DOMAIN)


def test_time_faults_read_as_a_user_would_expect():
    scene = Scene(
        "wake me up at seven tomorrow",
        {"domain": "alarm", "intent": "alarm_set", "slots": {"time": "seven", "date": "tomorrow"}},
    )
    right = json.dumps({"time_slots": {"time": "07:00", "date": "2026-03-14"}})
    wrong = MAKER.options(FaultType.TIME_WRONG, right, scene)
    assert json.dumps({"time_slots": {"time": "19:00", "date": "2026-03-14"}}) in wrong
    assert json.dumps({"time_slots": {"time": "07:00", "date": "2026-03-15"}}) in wrong
    (raw,) = MAKER.options(FaultType.TIME_UNCONVERTED, right, scene)
    assert json.loads(raw) == {"time_slots": {"time": "seven", "date": "tomorrow"}}


def test_a_manager_skips_repeats_and_stops():
    frame = {"domain": "alarm", "intent": "alarm_set", "slots": {"time": "seven"}}
    scene = Scene("wake me up at seven", frame, done=("intent",))
    assert MAKER.options(FaultType.MANAGER_SKIP, "time", scene) == ("url",)
    assert MAKER.options(FaultType.MANAGER_REPEAT, "time", scene) == ("intent",)
    assert MAKER.options(FaultType.MANAGER_PREMATURE_FINISH, "time", scene) == (FINISH,)
    assert "time" not in MAKER.options(FaultType.MANAGER_WRONG_AGENT, "time", scene)
    assert MAKER.options(FaultType.MANAGER_REPEAT, "intent", Scene("wake me up")) == ()


def test_a_slot_that_is_not_there_cannot_be_dropped():
    right = json.dumps({"domain": "general", "intent": "general_joke", "slots": {}})
    assert MAKER.options(FaultType.INTENT_DROPPED_SLOT, right, Scene("tell me a joke")) == ()
    assert MAKER.make(FaultType.INTENT_DROPPED_SLOT, right, Scene(), Random(1)) is None


@given(role=st.sampled_from(sorted({f.role for f in FaultType})), right=st.text(), said=st.text())
def test_any_text_is_taken(role, right, said):
    scene = Scene(said, {"domain": said, "slots": {"date": right}}, {"date": said}, done=(role,))
    for fault in fault_types(role):
        first = MAKER.make(fault, right, scene, Random(3))
        assert first == MAKER.make(fault, right, scene, Random(3))
        if fault is not FaultType.REQUEST_DUPLICATE_CALL and first is not None:
            assert first != right


@given(
    slots=st.dictionaries(st.sampled_from(["date", "time", "event_name", "person"]), st.text()),
    said=st.text(),
)
def test_any_slots_are_taken(slots, said):
    frame = {"domain": "calendar", "intent": "calendar_set", "slots": slots}
    for role, right in (
        ("intent", json.dumps(frame)),
        ("time", json.dumps({"time_slots": slots})),
        ("location", json.dumps({"place_slots": slots})),
    ):
        for fault in MAKER.possible(role, right, Scene(said, frame)):
            assert right not in MAKER.options(fault, right, Scene(said, frame))
