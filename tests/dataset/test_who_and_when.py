"""Logs in both published layouts, with their quirks; written here, none is a published one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.who_and_when import (
    Collection,
    Log,
    Message,
    Origin,
    WhoAndWhenError,
    agent_of,
    dump_log,
    is_environment,
    read_log,
    read_who_and_when,
    write_lines,
    write_log,
)


def generated(**changes):
    """A log as the algorithm-generated collection lays it out."""
    log = {
        "is_correct": False,
        "question": "How many tiles does the roof need?",
        "question_ID": "q-7",
        "level": "2",
        "ground_truth": "40",
        "history": [
            {"content": "Measure the roof first.", "role": "assistant", "name": "Roof_Expert"},
            {"content": "exitcode: 0", "name": "Computer_terminal", "role": "user"},
            {"content": "It is 38.", "name": "Count_Expert", "role": "user"},
        ],
        "mistake_agent": "Count_Expert",
        "mistake_step": "2",
        "mistake_reason": "Counted one row twice.",
        "system_prompt": {"Roof_Expert": "You measure.", "Count_Expert": "You count."},
    }
    return {**log, **changes}


def crafted(**changes):
    """A log as the hand-crafted collection lays it out."""
    log = {
        "history": [
            {"content": "When does the ferry leave?", "role": "human"},
            {"content": "Plan: look it up.", "role": "Orchestrator (thought)"},
            {"content": "Look it up.", "role": "Orchestrator (-> WebSurfer)"},
            {"content": "I clicked on trains.", "role": "WebSurfer"},
            {"content": "No progress.", "role": "Orchestrator (termination condition)"},
        ],
        "question": "When does the ferry leave?",
        "groundtruth": 9.5,
        "is_corrected": "False",
        "mistake_agent": "Orchestrator",
        "mistake_step": 2,
        "mistake_reason": "Vague.",
        "mistake_type": "planning",
        "question_id": "q-8",
        "level": 1,
    }
    return {**log, **changes}


@pytest.fixture
def clone(tmp_path):
    """A clone with one log in each collection."""
    for folder, name, log in (
        ("Algorithm-Generated", "1.json", generated()),
        ("Hand-Crafted", "1.json", crafted()),
    ):
        place = tmp_path / "clone" / "Who&When" / folder
        place.mkdir(parents=True)
        (place / name).write_text(json.dumps(log), "utf-8")
    (tmp_path / "clone" / "Automated_FA").mkdir()
    return tmp_path / "clone"


def written(tmp_path, log, name="1.json"):
    path = tmp_path / name
    path.write_text(json.dumps(log), "utf-8")
    return path


def test_a_generated_log_has_its_speakers_in_name(tmp_path):
    log, oddities = read_log(written(tmp_path, generated()))
    assert oddities == ()
    assert log.collection is Collection.ALGORITHM
    assert log.agents == ("Roof_Expert", "Computer_terminal", "Count_Expert")
    assert log.model_agents == ("Roof_Expert", "Count_Expert")
    assert (log.mistake_agent, log.mistake_step) == ("Count_Expert", 2)
    assert log.speaker_at_label == "Count_Expert"
    assert (log.question_id, log.level, log.ground_truth) == ("q-7", "2", "40")
    assert log.system_prompts["Roof_Expert"] == "You measure."


def test_a_crafted_log_has_its_speakers_in_role_with_what_they_do(tmp_path):
    log, oddities = read_log(written(tmp_path, crafted()))
    assert oddities == ()
    assert log.collection is Collection.HAND
    assert log.history[2].speaker == "Orchestrator (-> WebSurfer)"
    assert log.agents == ("human", "Orchestrator", "WebSurfer")
    assert log.model_agents == ("Orchestrator", "WebSurfer")
    assert log.speaker_at_label == "Orchestrator"
    assert (log.question_id, log.level, log.ground_truth) == ("q-8", "1", "9.5")
    assert not log.succeeded


@pytest.mark.parametrize("below", ["", "Who&When"])
def test_a_clone_and_its_data_folder_hold_both_collections(clone, below):
    found = read_who_and_when(clone / below)
    assert [log.collection for log in found.logs] == list(Collection)


def test_one_collection_may_be_named(clone):
    found = read_who_and_when(clone / "Who&When" / "Hand-Crafted")
    assert [log.collection for log in found.logs] == [Collection.HAND]


def test_a_folder_of_another_name_shows_its_layout(tmp_path):
    written(tmp_path, generated())
    assert read_who_and_when(tmp_path).logs[0].collection is Collection.ALGORITHM


def test_logs_come_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 9, 1):
        written(tmp_path, generated(), f"{number}.json")
    names = [log.name for log in read_who_and_when(tmp_path).logs]
    assert names == ["1.json", "9.json", "10.json"]


@pytest.mark.parametrize(
    ("log", "text"),
    [
        (generated(mistake_step="9"), "step 9 is beyond the end of the 3 steps"),
        (generated(mistake_step="0"), "names Count_Expert, but at its step 0 Roof_Expert speaks"),
        (generated(colour="red"), "the field 'colour' is not known and is left out"),
        (generated(is_correct=True), "the run is marked as correct"),
    ],
)
def test_what_stands_out_is_noted(tmp_path, log, text):
    written(tmp_path, log)
    (note,) = read_who_and_when(tmp_path).notes
    assert note.log == "algorithm-generated/1.json"
    assert text in note.text


@pytest.mark.parametrize(
    ("log", "text"),
    [
        ([], "is not a JSON object"),
        (generated(history=[]), "'history' is not a list of messages"),
        (generated(history="text"), "'history' is not a list of messages"),
        (
            generated(history=[{"name": "A", "content": "a"}, 3]),
            "step 1 of 'history' is not a message",
        ),
        (generated(history=[{"name": "", "content": "a"}]), "step 0 of 'history' has no 'name'"),
        (generated(history=[{"name": "A", "content": 3}]), "has a 'content' that is not a string"),
        (crafted(history=[{"content": "a"}]), "step 0 of 'history' has no 'role'"),
        (generated(mistake_step="two"), "'mistake_step' is not a step: 'two'"),
        (generated(mistake_step=-1), "'mistake_step' is not a step: -1"),
        (generated(mistake_step=True), "'mistake_step' is not a step: True"),
        (generated(mistake_agent=""), "'mistake_agent' is not a string"),
        (generated(mistake_agent=None), "'mistake_agent' is missing"),
        (generated(is_correct="perhaps"), "neither true nor false: 'perhaps'"),
        (generated(system_prompt=["x"]), "'system_prompt' is not an object of texts"),
        (generated(groundtruth="41"), "'groundtruth' contradicts another field"),
        (generated(ossia={"version": 2}), "written by another version of Ossia"),
    ],
)
def test_what_does_not_fit_is_one_clear_line(tmp_path, log, text):
    path = written(tmp_path, log)
    with pytest.raises(WhoAndWhenError) as caught:
        read_who_and_when(tmp_path)
    assert text in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_no_text_is_an_empty_message(tmp_path):
    log, _ = read_log(written(tmp_path, generated(history=[{"name": "A", "content": None}])))
    assert log.history[0].content == ""


def test_no_json_and_no_logs_are_told(tmp_path):
    with pytest.raises(WhoAndWhenError, match="contains no logs"):
        read_who_and_when(tmp_path)
    with pytest.raises(WhoAndWhenError, match="no such folder"):
        read_who_and_when(tmp_path / "nowhere")
    (tmp_path / "1.json").write_bytes(b"\xff{")
    with pytest.raises(WhoAndWhenError, match=r"1\.json: is not a JSON file in UTF-8"):
        read_who_and_when(tmp_path)


@pytest.mark.parametrize(
    ("speaker", "agent"),
    [
        ("Orchestrator (thought)", "Orchestrator"),
        ("Orchestrator (-> WebSurfer)", "Orchestrator"),
        ("WebSurfer", "WebSurfer"),
        ("Expert (senior) of law", "Expert (senior) of law"),
        ("(nobody)", "(nobody)"),
    ],
)
def test_brackets_say_what_an_agent_is_doing(speaker, agent):
    assert agent_of(speaker) == agent


@pytest.mark.parametrize("agent", ["Computer_terminal", "ComputerTerminal", "human", "User"])
def test_people_and_terminals_are_no_model_agents(agent):
    assert is_environment(agent)
    assert not is_environment("Terminal_Expert")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAME = TEXT.map(str.strip).filter(bool)


@given(
    st.builds(
        Log,
        collection=st.sampled_from(Collection),
        name=st.just("1.json"),
        question=TEXT.filter(str.strip),
        question_id=TEXT,
        level=TEXT,
        ground_truth=TEXT,
        succeeded=st.booleans(),
        history=st.lists(st.builds(Message, speaker=NAME, content=TEXT), min_size=1).map(tuple),
        mistake_agent=NAME,
        mistake_step=st.integers(0, 999_999_999),
        mistake_reason=TEXT,
        mistake_type=TEXT,
        system_prompts=st.dictionaries(TEXT, TEXT),
        origin=st.none()
        | st.builds(
            Origin,
            version=st.just(1),
            episode=TEXT,
            framework=TEXT,
            model=TEXT,
            source=st.sampled_from(["intervention", "rules"]),
        ),
    )
)
def test_a_written_log_reads_as_it_was(tmp_path_factory, log):
    path = write_log(tmp_path_factory.mktemp("logs"), log)
    assert path.read_text("utf-8") == dump_log(log)
    assert read_log(path, log.collection)[0] == log


def test_logs_are_written_in_one_form(clone, tmp_path):
    logs = read_who_and_when(clone).logs
    lines = write_lines(tmp_path / "deep" / "logs.jsonl", logs).read_text("utf-8").splitlines()
    data = [json.loads(line) for line in lines]
    assert [item.pop("schema") for item in data] == [1, 1]
    assert tuple(Log.model_validate(item) for item in data) == logs
