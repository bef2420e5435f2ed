"""The looks of conditional tasks, put to the servers: what they return decides the condition.

The conditions are decided here from the prompt's words and the tools' replies alone.
"""

import re

import pytest

from ossia.suites.workbench import office_tasks
from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.generated import generated_database
from ossia_dataset.workbench.generator import disagreement, generate_tasks
from ossia_dataset.workbench.office import read_day
from ossia_dataset.workbench.templates.all import templates
from ossia_evaluation.workbench.actions import writing_tools
from ossia_servers.workbench import observation, office_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute

DOMAINS = {domain.name: domain for domain in office_domains(generated_database)}
STORE = WorldStore(tuple(DOMAINS.values()))
TEMPLATES = {item.name: item for item in templates("test")}
TODAY = "2023-11-30"
CONDITIONAL = "If |but only if|whether|provided that"
"""How prompts put a condition."""


class Said:
    """The words of a prompt, and what the tools told."""

    def __init__(self, values, replies):
        self.values, self.replies = values, replies

    def __getitem__(self, name):
        return self.values[name]

    def day(self, name="past_day"):
        return read_day(self.values[name]).isoformat()

    def number(self, reply, name="past_day"):
        """What one reply told for a day; a day without visits is missing."""
        told = self.replies[reply]
        assert told.keys() <= {self.day(name)}
        return told.get(self.day(name), 0)

    def rows(self, reply=0):
        """The rows of one reply; a sentence tells that there is none."""
        told = self.replies[reply]
        return [] if isinstance(told, str) else told


def more_visits(said):
    return said.number(0) > int(said["count"])


def short_sessions(said):
    return said.number(0) < int(said["seconds"])


def source_leads(said):
    return said.number(0) > said.number(1)


def fell(said):
    return said.number(0) < said.number(1, "past_day2")


def busy_day(said):
    (days,) = said.replies
    assert all(said.day("day_from") <= day <= said.day("day_to") for day in days)
    return max(days.values(), default=0) > int(said["count"])


def half_engaged(said):
    return 2 * said.number(0) < said.number(1)


def risers(said):
    visits, engaged = said.number(0), said.number(2)
    return said.number(1, "past_day2") > visits or said.number(3, "past_day2") > engaged


def not_met(said):
    for row in said.rows():
        assert row["participant_email"].startswith(said["person"].lower())
        assert said.day() <= row["event_start"] < TODAY
    return not said.rows()


def slot_free(said):
    moment = f"{said.day('work_day')} {said['time']}:00"
    assert all(row["event_start"] == moment for row in said.rows())
    return not said.rows()


def not_written(said):
    received = [
        row["sent_datetime"]
        for row in said.rows()
        if row["inbox/outbox"] == "inbox"
        and row["sender/recipient"].startswith(said["person"].lower())
    ]
    return max(received) < said.day()


def owes_tasks(said):
    for row in said.rows():
        assert row["assigned_to_email"].startswith(said["assignee"].lower())
        assert row["board"] == said["board"]
    return any(row["due_date"] < TODAY and row["list_name"] != "Completed" for row in said.rows())


def fewer_tasks(said):
    for reply, name in enumerate(("assignee", "assignee2")):
        for row in said.rows(reply):
            assert row["assigned_to_email"].startswith(said[name].lower())
            assert row["list_name"] == said["list"]
    return len(said.rows(0)) < len(said.rows(1))


def stale(said):
    (row,) = said.rows()
    assert row["customer_name"] == said["customer"]
    return row["last_contact_date"] < said.day()


def customer_is(said):
    (row,) = said.rows()
    assert row["customer_name"] == said["customer"]
    return row["status"] == said["status"]


HOLDS = {
    more_visits: "an-more-visits mu-visits-task mu-visits-event mu-everything",
    short_sessions: "an-short-sessions mu-sessions",
    source_leads: "an-source-leads",
    fell: "an-fewer-engaged mu-engaged an-visits-fell mu-visits-letter",
    busy_day: "an-busy-day mu-busy-day",
    half_engaged: "an-half-engaged",
    risers: "an-risers",
    not_met: "ca-not-met mu-not-met",
    slot_free: "ca-slot-free",
    not_written: "em-not-written mu-not-written",
    owes_tasks: "pr-owes-tasks mu-owes-letter mu-owes-event",
    fewer_tasks: "pr-fewer-tasks mu-fewer-tasks",
    stale: "cr-stale mu-stale-event mu-stale-task mu-stale-letter",
    customer_is: "cr-customer-is mu-customer",
}
HOLDS_BY_NAME = {name: holds for holds, names in HOLDS.items() for name in names.split()}


def ask(task):
    """Put a task's looks to its world, and return what they tell."""
    world = STORE.create(STORE.free_id(), seed=task.seed, now=NOW, home="x")
    told = []
    for look in task.gold.looks:
        reply = execute(STORE, world, DOMAINS[look.domain], look.params)
        assert reply.status == 200, reply.body
        told.append(observation(reply.body))
    assert not world.diff()
    STORE.delete(world.id)
    return told


def test_every_conditional_task_has_looks_and_no_other():
    tasks = office_tasks("test")
    for task in tasks:
        # Which of two figures has risen is a condition in other words.
        hangs = re.search(CONDITIONAL, task.utterance) or task.gold.intent == "an-risers"
        assert bool(task.gold.looks) is bool(hangs), task.id
    assert sum(bool(task.gold.looks) for task in tasks) == 310
    assert not any(task.gold.looks for task in office_tasks("retrieval"))


@pytest.mark.parametrize("seed", [1, 5])
def test_looks_only_read_with_tools_that_the_team_has(seed):
    for task in generate_tasks("test", seed):
        for look in task.gold.looks:
            assert look.domain in task.toolkits
            assert f"{look.domain}.{look.params['intent']}" not in writing_tools()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 5])
@pytest.mark.parametrize("name", HOLDS_BY_NAME)
def test_what_the_looks_return_decides_whether_there_is_anything_to_do(name, seed):
    tasks = [task for task in generate_tasks("test", seed) if task.gold.intent == name]
    assert len(tasks) == 10
    for task in tasks:
        (values,) = TEMPLATES[name].read(task.utterance)
        holds = HOLDS_BY_NAME[name](Said(values, ask(task)))
        assert holds is bool(task.gold.gold_requests()), task.utterance


def test_other_looks_no_longer_agree_with_the_prompt():
    task = next(task for task in generate_tasks("test") if task.gold.looks)
    blind = task.model_copy(update={"gold": task.gold.model_copy(update={"looks": ()})})
    assert disagreement(task) is None
    assert "looks" in disagreement(blind)
