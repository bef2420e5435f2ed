"""The built-in training tasks are what the builder makes; what it leaves out has a reason."""

import pytest

from ossia.assistant.training_set.build import Builder
from ossia.assistant.training_set.write import (
    SET,
    fill_facts,
    held_out,
    write_training_set,
)
from ossia_dataset.assistant.tasks import AssistantTask, assistant_tasks
from ossia_dataset.builtin import builtin_folder
from ossia_dataset.tasks import parse_task, read_tasks, write_tasks
from ossia_dataset.world_tasks import GoldKind
from ossia_evaluation.assistant.proof import AssistantProver
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline.understanding.markup import parse_examples

PROVER = AssistantProver(load_domains())


def build(utterances, intent, domain, others=()):
    lines = "\n".join([f"## {intent}", *utterances])
    return Builder(parse_examples(lines, domain), others, PROVER).build(domain)


def test_the_built_in_tasks_are_what_is_built(tmp_path):
    built = dict(write_training_set(tmp_path, ["alarm"]))
    for name, made in built.items():
        assert len(made.tasks) >= 50
        stored = builtin_folder("assistant") / SET / f"{name}.jsonl"
        same = (tmp_path / f"{name}.jsonl").read_bytes() == stored.read_bytes()
        assert same, f"what {name} is built of changed: `ossia dataset build`"


def test_a_proven_utterance_is_a_task_with_facts():
    built = build(["wake me at [six](time) [tomorrow](date)"], "alarm_set", "alarm")
    (task,) = built.tasks
    assert (task.id, task.gold.kind) == ("train-alarm-001", GoldKind.CHANGE)
    assert "18:00" in task.gold.facts
    assert PROVER.prove(task).problems == ()
    assert built.unproven == ()


def test_what_is_not_there_is_made_first():
    (task,) = build(["delete my [nap](event_name) alarm"], "alarm_remove", "alarm").tasks
    assert task.setup
    (plain,) = build(["delete my [yoga](event_name) alarm"], "alarm_remove", "alarm").tasks
    assert not plain.setup


@pytest.mark.parametrize(
    ("utterance", "reason"),
    [
        ("wake me when [the cows come home](date) at [six](time)", "has no normal form"),
        ("ring at [six](time) or rather at [seven](time)", "two values that stand apart"),
        ("set an alarm called [yoga](event_name)", None),
    ],
)
def test_an_utterance_that_makes_no_task_is_listed(utterance, reason):
    built = build([utterance], "alarm_set", "alarm")
    if reason is None:
        assert [task.gold.kind for task in built.tasks] == [GoldKind.CLARIFICATION]
    else:
        assert built.tasks == ()
        assert reason in built.unproven[0].reason


def test_an_unknown_answer_is_no_task():
    built = build(["what is a [zyzzyva](definition_word)"], "qa_definition", "qa")
    assert built.tasks == ()
    assert built.unproven[0].reason == "the answer rests on nothing known"


@pytest.mark.parametrize(
    ("utterance", "sound"),
    [
        ("turn off the radio", False),
        ("[turn off](player_setting) the radio", True),
        ("play [lite fm](radio_name)", True),
    ],
)
def test_what_a_player_is_to_do_has_to_be_marked(utterance, sound):
    built = build([utterance], "play_radio", "radio")
    assert all("not marked" in one.reason for one in built.unproven)
    assert bool(built.unproven) is not sound


def test_near_duplicates_are_left_out():
    lines = ["wake me at [six](time) [tomorrow](date)", "wake me at [six](time), [tomorrow](date)"]
    built = build(lines, "alarm_set", "alarm")
    assert len(built.tasks) == 1
    assert "nearly the utterance" in built.unproven[0].reason
    again = build(lines[:1], "alarm_set", "alarm", others=built.tasks)
    assert again.tasks == ()
    assert "of another set" in again.unproven[0].reason


def test_at_most_three_tasks_share_a_frame():
    hours = ("three", "six", "eleven", "nine thirty", "quarter past eight")
    built = build([f"alarm for [{hour}](time)" for hour in hours], "alarm_set", "alarm")
    assert len(built.tasks) == 3
    assert all("three tasks are already" in one.reason for one in built.unproven)


def test_few_tasks_of_an_intent_ask_back():
    lines = ["set an alarm", "i need an alarm", "new alarm please", "could you do the alarm thing"]
    built = build(lines, "alarm_set", "alarm")
    assert len(built.tasks) == 3
    assert built.unproven[0].reason == "enough tasks of the intent ask back"


def test_nothing_that_is_trained_on_is_held_out():
    ids = {task.id for task in held_out()}
    assert {task.id for task in assistant_tasks("test")} <= ids
    assert not any(task.id in ids for task in assistant_tasks(SET))


def test_facts_are_filled_in_where_there_are_none(tmp_path):
    path = tmp_path / "own.jsonl"
    line = (
        '{"id": "a", "utterance": "wake me at six", "gold": {"domain": "alarm", "intent":'
        ' "alarm_set", "slots": {"time": "six"}, "time": {"time": "18:00"}, "kind": "change"}}'
    )
    write_tasks(path, [parse_task(line, AssistantTask)])
    (filled,) = fill_facts(path)
    assert filled.gold.facts == ("18:00", "2026-03-13")
    assert read_tasks(path, AssistantTask) == (filled,)
    assert list(fill_facts(path)) == []
    own = filled.model_copy(update={"gold": filled.gold.model_copy(update={"facts": ("six",)})})
    write_tasks(path, [own])
    assert list(fill_facts(path)) == []
    assert list(fill_facts(path, again=True)) == [filled]
