"""Labelled behaviours are read from files, played on fresh worlds and counted with intervals."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia.suites import find_suite
from ossia.tasks import find_tasks, sets_of
from ossia_evaluation.audit.behaviours import (
    Accepted,
    Behaviour,
    BehaviourError,
    Judged,
    Should,
    accepted,
    judge,
    read_behaviours,
)
from ossia_evaluation.grade import Verdict
from ossia_evaluation.stats import Interval, wilson
from ossia_evaluation.worlds.score import Score
from tests.evaluation.support import DENTIST, LIST, SCORER, WAKE, WEATHER

LABELLED = Path(__file__).parents[4] / "shared/data/verdict-audit/behaviours.jsonl"
SOUND = {
    "suite": "assistant",
    "task": "alarm-001",
    "should": "success",
    "behaviour": "as told",
    "requests": ["G"],
    "reply": None,
}


def line(**changes):
    return json.dumps({**SOUND, **changes})


def written(folder, *lines):
    path = folder / "own.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_a_file_is_read_line_by_line(tmp_path):
    path = written(tmp_path, line(), "", "   ", line(should="debatable", reply="Hm.", kind="x"))
    first, second = read_behaviours(path)
    assert first == Behaviour.model_validate(SOUND)
    assert (first.kind, first.reply, first.requests) == ("", None, ("G",))
    assert (second.kind, second.reply, second.should) == ("x", "Hm.", Should.DEBATABLE)


def test_a_reply_may_be_left_out(tmp_path):
    short = {name: value for name, value in SOUND.items() if name != "reply"}
    (found,) = read_behaviours(written(tmp_path, json.dumps(short)))
    assert found.reply is None


def test_line_ends_within_words_are_none_of_the_file(tmp_path):
    (found,) = read_behaviours(written(tmp_path, line(reply="one\u2028two\x0bthree")))
    assert found.reply == "one\u2028two\x0bthree"


@pytest.mark.parametrize(
    ("lines", "number", "named"),
    [
        (["{"], 1, "Invalid JSON"),
        ([line(), "no json at all"], 2, "Invalid JSON"),
        ([line(), "", "[1, 2]"], 3, "Input should be an object"),
        (["null"], 1, "Input should be an object"),
        ([line(), line(why="because")], 2, "why"),
        ([line(should="perhaps")], 1, "should"),
        ([line(requests="G")], 1, "requests"),
        ([line(requests=["G", 3])], 1, "requests.1"),
        ([line(), line(), line(task=None)], 3, "task"),
        ([json.dumps({"suite": "assistant"})], 1, "task"),
        ([line(reply=["a"])], 1, "reply"),
    ],
)
def test_a_broken_line_is_named_with_its_file(tmp_path, lines, number, named):
    path = written(tmp_path, *lines)
    with pytest.raises(BehaviourError) as error:
        read_behaviours(path)
    assert str(error.value).startswith(f"{path}:{number}: {named}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
def test_an_empty_file_is_refused(tmp_path, content):
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)
    with pytest.raises(BehaviourError, match="contains no behaviour") as error:
        read_behaviours(path)
    assert str(path) in str(error.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(b'{"suite": "caf\xe9"}')
    for path in (tmp_path / "nowhere.jsonl", tmp_path, latin):
        with pytest.raises(BehaviourError) as error:
            read_behaviours(path)
        assert str(path) in str(error.value)


def played(task, *requests, reply=None, should="success"):
    """The judged behaviour of somebody who makes some requests and tells something."""
    behaviour = Behaviour(
        suite=task.suite,
        task=task.id,
        should=should,
        behaviour="as told",
        requests=requests,
        reply=reply,
    )
    return judge(behaviour, task, SCORER)


@pytest.mark.parametrize("task", [WAKE, WEATHER, LIST, DENTIST])
def test_the_gold_run_in_the_servers_words_is_a_success(task):
    assert played(task, "G").score.verdict is Verdict.SUCCESS


@pytest.mark.parametrize("task", [WAKE, WEATHER, LIST, DENTIST])
def test_nothing_done_and_nothing_said_is_a_failure(task):
    found = played(task, reply="")
    assert found.score.verdict is Verdict.FAILURE
    assert not found.accepted
    assert not found.agrees


@pytest.mark.parametrize(
    ("task", "requests", "reply", "verdict"),
    [
        (WAKE, ("G1",), None, "success"),
        (WAKE, ("/alarm?intent=alarm_set&time=07:30&date=2026-03-14",), None, "success"),
        (WAKE, ("/alarm?intent=alarm_query", "G"), "Done.", "success"),
        (WAKE, ("/alarm?intent=alarm_set&time=19:30&date=2026-03-14",), None, "failure"),
        (WAKE, ("G", "G"), None, "failure"),
        (WAKE, ("G",), "Sorry, I could not set it.", "failure"),
        (WAKE, (), "Your alarm is set.", "failure"),
        (WEATHER, ("G",), "I do not know, sorry, I failed.", "failure"),
        (WEATHER, ("/weather?intent=weather_query&place_name=Boston",), None, "failure"),
        (
            LIST,
            ("/lists?intent=lists_createoradd&item_name=Soap&list_name=packing",),
            None,
            "success",
        ),
        (
            LIST,
            ("/lists?intent=lists_createoradd&item_name=soup&list_name=packing",),
            None,
            "failure",
        ),
        (LIST, ("/lists?intent=lists_createoradd&item_name=soap&list_name=a#b",), None, "failure"),
        (DENTIST, (), "When is it?", "success"),
        (DENTIST, (), "It is in your calendar.", "failure"),
    ],
)
def test_a_behaviour_is_judged_by_what_is_done_and_told(task, requests, reply, verdict):
    assert played(task, *requests, reply=reply).score.verdict == verdict


@pytest.mark.parametrize("request_", ["G2", "G0", "G99"])
def test_a_gold_request_that_is_not_there_is_named(request_):
    with pytest.raises(BehaviourError, match=f"{WAKE.id}: there is no gold request {request_}"):
        played(WAKE, request_)


@pytest.mark.parametrize("request_", ["/penguins?intent=x", "nowhere", "", "?intent=alarm_set"])
def test_a_request_without_a_server_is_named(request_):
    with pytest.raises(BehaviourError) as error:
        played(WAKE, request_)
    assert WAKE.id in str(error.value)


def test_a_refused_request_is_part_of_the_behaviour():
    assert not played(WAKE, "/alarm?intent=alarm_fly").accepted
    assert played(WAKE, "/alarm?intent=alarm_fly", "G", reply="Done.").accepted


def labelled(should, verdict, task="t"):
    behaviour = Behaviour(suite="s", task=task, should=should, behaviour="b", requests=())
    return Judged(behaviour, Score(verdict=verdict, reason="as told"))


@pytest.mark.parametrize(
    ("should", "verdict", "agrees"),
    [
        ("success", "success", True),
        ("success", "failure", False),
        ("failure", "failure", True),
        ("failure", "success", False),
        ("told_falsely", "failure", True),
        ("told_falsely", "success", False),
        ("debatable", "success", True),
        ("debatable", "failure", True),
        ("success", "invalid", False),
    ],
)
def test_a_verdict_agrees_with_its_label_or_not(should, verdict, agrees):
    assert labelled(should, verdict).agrees is agrees


def test_only_the_labels_that_are_asked_for_are_counted():
    judged = [
        labelled("success", "success", "a"),
        labelled("success", "failure", "b"),
        labelled("failure", "success", "c"),
        labelled("debatable", "success", "d"),
    ]
    right = accepted(judged, Should.SUCCESS)
    assert (right.count, right.of, right.share) == (1, 2, 0.5)
    assert accepted(judged, Should.SUCCESS, Should.FAILURE).of == 3
    assert accepted(judged, Should.TOLD_FALSELY) == Accepted(0, 0, Interval(0.0, 1.0))
    assert accepted(judged, Should.TOLD_FALSELY).share is None
    assert accepted([], Should.SUCCESS).of == 0


@pytest.mark.parametrize("verdict", ["success", "failure"])
def test_where_all_verdicts_are_the_same_tasks_are_counted(verdict):
    judged = [labelled("success", verdict, task) for task in "aaaabbc"]
    found = accepted(judged, Should.SUCCESS)
    assert found.of == 7
    assert found.interval == wilson(3 if verdict == "success" else 0, 3)


def test_behaviours_of_one_task_are_not_independent():
    """Twenty tasks with both verdicts ten times over say no more than twenty."""
    few = [labelled("success", "success" if i % 2 else "failure", f"t{i}") for i in range(20)]
    many = few * 10
    spread = [labelled("success", "success" if i % 2 else "failure", f"t{i}") for i in range(200)]
    widths = []
    for judged in (few, many, spread):
        low, high = accepted(judged, Should.SUCCESS).interval
        assert 0 <= low <= 0.5 <= high <= 1
        widths.append(high - low)
    assert widths[0] == widths[1] > 2 * widths[2]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=12))
def test_an_interval_is_the_same_each_time_and_holds_shares(pairs):
    judged = [labelled("success", "success" if ok else "failure", task) for task, ok in pairs]
    found = accepted(judged, Should.SUCCESS)
    assert found == accepted(list(judged), Should.SUCCESS)
    assert (found.count, found.of) == (sum(ok for _, ok in pairs), len(pairs))
    low, high = found.interval
    assert 0 <= low <= high <= 1


def test_a_request_is_no_address():
    odd = Behaviour.model_validate({**SOUND, "requests": ["//[::1"]})
    with pytest.raises(BehaviourError, match="no domain server is called"):
        judge(odd, WAKE, SCORER)


def judged_of(path):
    behaviours = read_behaviours(path)
    tasks, scorers = {}, {}
    for suite in {behaviour.suite for behaviour in behaviours}:
        found = find_suite(suite)
        for name in sets_of(suite):
            scorer = found.grader(found.domains(name))
            for task in find_tasks(name, suite):
                tasks[suite, task.id], scorers[suite, task.id] = task, scorer
    keys = [(behaviour.suite, behaviour.task) for behaviour in behaviours]
    return [
        judge(behaviour, tasks[key], scorers[key])
        for key, behaviour in zip(keys, behaviours, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "share"),
    [
        pytest.param(
            LABELLED,
            0.97,
            marks=pytest.mark.skipif(
                not LABELLED.is_file(),
                reason="no labelled behaviours at ../shared/data/verdict-audit/behaviours.jsonl",
            ),
            id="audit",
        ),
        # Written for tasks drawn at random by readers who did not know the rules.
        pytest.param(Path(__file__).with_name("fresh.jsonl"), 0.95, id="fresh"),
        pytest.param(Path(__file__).with_name("fresh-2.jsonl"), 0.95, id="fresh-2"),
    ],
)
def test_verdicts_agree_with_careful_readers(path, share):
    judged = judged_of(path)
    told = "\n".join(
        f"{one.behaviour.task}, {one.behaviour.behaviour}: should be {one.behaviour.should}, is"
        f" {one.score.verdict} ({one.score.reason})"
        for one in judged
        if not one.agrees
    )
    assert accepted(judged, Should.SUCCESS).share >= share, told
    assert accepted(judged, Should.FAILURE, Should.TOLD_FALSELY).share <= 1 - share, told
