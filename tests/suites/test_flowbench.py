"""The suites of FlowBench, in real frameworks as well."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from ossia.runner.store import RunStore
from ossia.suites.flowbench import TEAMS, suite
from ossia_dataset.flowbench.sessions import SessionTask
from ossia_dataset.tasks import TaskError, parse_task, write_tasks
from ossia_servers.flowbench.script import gold_turns
from ossia_servers.flowbench.walk import walk
from ossia_servers.trace import UserTurn
from ossia_workflows.flowbench import Knowledge
from ossia_workflows.scenario import read_scenario
from tests.ossia.cli.conftest import (  # noqa: F401
    begin,
    command,
    environ,
    environments,
    home,
    ossia,
)
from tests.servers.flowbench.sessions import OPENING, RIDE, WHERE, session

ASIDES = [(2, "off_topic"), (5, "refuses"), (8, "impatient")]
CROSS = session(RIDE, WHERE, name="cross", asides=ASIDES)


@pytest.fixture
def sessions(tmp_path):
    """A folder of three sessions."""
    path = tmp_path / "sessions"
    path.mkdir()
    tasks = [
        session(name="single"),
        CROSS,
        session(WHERE, name="short"),
    ]
    write_tasks(path / "sessions.jsonl", tasks)
    return path


def test_knowledge_makes_a_task_of_each_session_and_form(sessions):
    found = suite("flowbench")
    tasks = found.tasks(str(sessions))
    told = found.knowledge(tasks, ["none", "code"])
    names = [f"{task.id}.{form}" for task in tasks for form in ("none", "code")]
    assert [task.id for task in told] == names
    assert {task.groups["knowledge"] for task in told} == {"none", "code"}
    assert [task.seed for task in told[::2]] == [task.seed for task in tasks]
    prompts = [found.team(task, ()).roles[0].prompt for task in told[:2]]
    assert ["plan = Workflow()" in prompt for prompt in prompts] == [False, True]
    assert {found.team_key(task) for task in told} == {
        ("ride_service", "none"),
        ("ride_service", "code"),
    }
    with pytest.raises(ValueError, match="no form 'song'; there are none_without_tools, none"):
        found.knowledge(tasks, ["none", "song"])


@pytest.mark.parametrize(
    ("suites", "old", "new", "told"),
    [
        (TEAMS, '"role"', '"knowledge": "song", "role"', "no form of knowledge 'song'"),
        (TEAMS, "ride-booking", "ride-boking", "ride_service has no scenario 'ride-boking'"),
        (TEAMS, '"ride_service"', '"nobody"', "nobody has no scenario 'ride-booking'"),
        (TEAMS, '"quote"', '"quota"', "ride-booking has no step 'quota'"),
        (TEAMS, '"quote"', '"locate"', "ride-booking: the user has no move at quote"),
        (TEAMS, '"accepts"', '"nods"', "'nods' at quote is no act; acts are accepts, declines"),
        (TEAMS, '"slots": {"pickup"', '"slots": {"colour": "red", "pickup"', "no slot 'colour'"),
        (TEAMS, '"slots": {"pickup"', '"slots": {"collect"', "no slot 'collect'"),
        (TEAMS, '"tool": "fare"', '"tool": "fair"', "ride_service has no tool 'fair'"),
    ],
)
def test_a_session_that_cannot_be_is_told(sessions, suites, old, new, told):
    path = sessions / "sessions.jsonl"
    path.write_text(path.read_text().replace(old, new))
    for name in suites:
        with pytest.raises(TaskError, match=rf"/sessions\.jsonl:\d: \w+: .*{told}"):
            suite(name).tasks(str(sessions))


def test_the_user_talks_and_in_single_turns_the_history_is_given(sessions):
    whole, turns = suite("flowbench"), suite("flowbench-turns")
    task = whole.tasks(str(sessions))[0]
    said = [UserTurn(user=OPENING, answer="Where are you waiting?")]
    user = whole.user(task, whole.domains(str(sessions)))
    assert asyncio.run(user.reply(said)) == "Market Square"
    assert (turns.user, tuple(whole.history(task))) == (None, ())
    third = turns.tasks(str(sessions))[2]
    assert third.id == "single.turn2"
    assert [turn.user for turn in turns.history(third)] == [OPENING, "Market Square"]


def test_each_form_has_a_prompt_for_each_team(sessions):
    for name in TEAMS:
        found = suite(name)
        tasks = found.knowledge(found.tasks(str(sessions))[:1], [*Knowledge])
        assert len({role.prompt for task in tasks for role in found.team(task, ()).roles}) >= 6


@pytest.mark.framework
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "frameworks"),
    [(name, ("control", "camel" if name == "flowbench" else "autogen")) for name in TEAMS],
)
def test_frameworks_carry_the_conversations_through(ossia, sessions, name, frameworks):  # noqa: F811
    # Of several wishes, and with asides: the others show no more of a framework.
    write_tasks(sessions / "sessions.jsonl", [CROSS])
    play = ("compare", "--suite", name, "--tasks", sessions, "--model", "gold")
    done = ossia(*play, "-f", ",".join(frameworks), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["frameworks"]) == len(frameworks)
    for line in found["frameworks"]:
        assert (line["success"]["count"], line["invalid"]) == (line["episodes"], 0)


@pytest.mark.framework("control")
@pytest.mark.slow
def test_who_does_nothing_succeeds_in_nothing(ossia, sessions, home):  # noqa: F811
    for name in TEAMS:
        done = ossia(
            *("run", "control", "--suite", name, "--tasks", sessions, "--model", "idle"),
            *("--knowledge", "none,ensemble", "--json"),
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["frameworks"][0]["success"]["count"] == 0
    for folder in (home / "runs").iterdir():
        with RunStore(folder) as store:
            config = store.config()
            assert config.forms == ("ensemble", "none")
            talked = {len(trace.turns) for trace in store.traces()}
            assert talked <= ({0} if config.suite == "flowbench-turns" else {4, 5, 6})


def test_the_session_of_the_guide_can_be_played():
    docs = Path(__file__).parents[2] / "docs"
    (line,) = re.findall(r"^```json\n(.*?)\n```$", (docs / "flowbench.md").read_text(), re.M | re.S)
    (toml,) = re.findall(r"^```toml\n(.*?)^```$", (docs / "workflows.md").read_text(), re.M | re.S)
    task = parse_task(line, SessionTask)
    scenarios = {task.wishes[0].scenario: read_scenario(toml, "the guide")}

    def service(tool, arguments):
        given = {"tool": tool, "arguments": dict(arguments)}
        return next(
            answer.result
            for answer in task.answers
            if answer.model_dump(include={"tool", "arguments"}) == given
        )

    turns = gold_turns(task, scenarios, walk(task, scenarios, service))
    assert [turn.user for turn in turns][:2] == [task.utterance, "L-2209"]
    assert turns[-1].tells == {"renew_loan.due": "2026-05-04"}
