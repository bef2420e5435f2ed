"""The suites by name, and what looking one up brings with it."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ossia import compare
from ossia.adapters import find_adapter, install, ossia_home
from ossia.errors import UserError
from ossia.runner import episode
from ossia.runner.config import EpisodeLimits, Knowledge
from ossia.suite import Suite, later
from ossia.suites import find_suite, load_brought, suite_commands, suite_names
from ossia.suites.workbench import TEAMS
from ossia_dataset.builtin import builtin_folder
from ossia_dataset.tasks import Task
from ossia_evaluation.grade import Grade
from ossia_evaluation.metrics import checked as checked_metrics
from ossia_evaluation.report import TAKEN_COLUMNS
from ossia_evaluation.workbench.players import GOLD, IDLE, LITERAL
from ossia_evaluation.workbench.tasks import SUITE
from ossia_servers.trace import EpisodeKey
from ossia_servers.wire.obedience import demands
from ossia_workflows import Role, Team

SERVED = """
import json, sys
from ossia.cli import told as terminal

def told(text, *others, **options):
    print(json.dumps({"text": text, "modules": sorted(sys.modules)}))
    raise SystemExit(0)

terminal.say = told
from ossia.cli.app import main
main(["serve", "--port", "0", *sys.argv[1:]])
"""


WITH_TASKS = [name for name in suite_names() if find_suite(name).sets]
"""Suites with tasks of their own."""

SERVING = [name for name in WITH_TASKS if find_suite(name).domains("test")]
"""Those of them whose tasks are carried out on domain servers."""

FAMILIES = {find_suite(name).data: name for name in reversed(SERVING)}.values()
"""One of each family, whose suites are made by one module."""


@pytest.mark.parametrize("suite", FAMILIES)
def test_a_suites_servers_start_without_runner_and_scorer(suite, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SERVED, "--suite", suite],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    seen = json.loads(done.stdout)
    assert "Domain servers at http://127.0.0.1:" in seen["text"]
    needy = "/calendar calendar_set: asks back" if suite.startswith("assistant") else "needs '"
    assert needy in seen["text"].partition("Parameters that intents need")[2]
    tried = "'http://127.0.0.1:" in seen["text"].partition("Try:  curl")[2]
    assert tried == (suite != "flowbench"), "its first world is empty: no request succeeds"
    brought = {
        name for name in seen["modules"] if name.startswith(("ossia.runner", "ossia_evaluation"))
    }
    printing = {f"ossia_evaluation{part}" for part in ("", ".console", ".visible", ".whole_words")}
    assert brought <= printing, "what prints needs these"
    assert "ossia_servers.http.app" in seen["modules"], "the servers were started"


def test_every_office_is_a_suite():
    assert set(TEAMS) == {
        name for name in suite_names() if find_suite(name).data == builtin_folder(SUITE)
    }
    for name in TEAMS:
        assert set(find_suite(name).players) == {GOLD, LITERAL, IDLE}


@pytest.mark.parametrize("name", WITH_TASKS)
def test_what_a_suite_holds_fits_together(name):
    suite = find_suite(name)
    assert suite is find_suite(name), "made once"
    tasks = suite.tasks("test")
    domains = suite.domains("test")
    roles = suite.team_roles(tasks, domains)
    assert {role.name for role in suite.team(tasks[0], domains).roles} <= set(roles)
    assert len(set(roles)) == len(roles)
    assert suite.limits().turns >= 7
    task = tasks[0]
    players = [made({task.id: task}) for made in suite.players.values()]
    assert [player.name for player in players] == list(suite.players)
    suite.grader(domains).check(task)
    check_wordings(suite, task, domains)
    assert issubclass(suite.grade(), Grade)
    assert checked_metrics(suite.metrics(), TAKEN_COLUMNS)
    assert suite.success


def check_wordings(suite, task, domains):
    """No prompt demands a form of the whole answer, and a paraphrase is the same team."""
    teams = [suite.prompted(each).team(task, domains) for each in ("", *suite.paraphrases)]
    found = {(role.name, demands(role.prompt)) for team in teams for role in team.roles}
    assert found == {(role.name, ()) for role in teams[0].roles}
    assert len({team.roles for team in teams}) == len(teams), "each in words of its own"


def test_only_the_assistant_tells_of_slots_intents_and_questions():
    def names(name):
        return [metric.name for metric in find_suite(name).metrics()]

    assert names("assistant") == names("assistant-compound")
    own = ["slots_correct", "clarification", "intent_correct", "frame_exact", "frame_unnamed"]
    for office in TEAMS:
        assert [name for name in names("assistant") if name not in names(office)] == own


def test_the_roles_are_those_of_the_suites_teams():
    def roles(name):
        suite = find_suite(name)
        return set(suite.team_roles(suite.tasks("test"), suite.domains("test")))

    seven = {"manager", "intent", "time", "location", "url", "request", "response"}
    assert roles("assistant") == roles("assistant-compound") == seven
    assert roles("workbench") >= {"manager", "calendar", "email", "analytics", "response"}
    assert roles("workbench-react") == {"agent"}


def test_what_is_named_by_its_place_is_loaded_when_it_is_called():
    missing = later("ossia.nowhere:made")
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        missing()
    assert later("textwrap:indent")("a", prefix="> ") == "> a"


def test_an_unknown_suite_is_told_with_those_there_are():
    with pytest.raises(UserError, match="no suite is called 'chess'; there are: assistant, "):
        find_suite("chess")


def test_the_suites_of_a_family_bring_the_same_commands():
    found, problems = suite_commands()
    assert problems == ()
    for name in suite_names():
        assert find_suite(name).commands.items() <= {k: v.made for k, v in found.items()}.items()
    assert find_suite("workbench").commands == find_suite("workbench-react").commands
    assert "score workbench-log" in found


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("compare all", "module:function"),
        ("score", "module:function"),
        ("score two words", "module:function"),
        ("score words", "module"),
    ],
)
def test_a_command_that_could_never_be_called_is_refused(command, target):
    with pytest.raises(ValueError, match="is not a command of a suite: write GROUP NAME"):
        replace(find_suite("assistant"), commands={command: target})


@pytest.mark.framework("control")
@pytest.mark.slow
@pytest.mark.parametrize(("name", "limit"), [("assistant", 90), ("assistant-compound", 30)])
def test_the_tasks_that_are_checked_are_those_that_the_offline_model_solves(name, limit, tmp_path):
    environments = ossia_home(os.environ)
    install(find_adapter("control", environments))
    (tmp_path / "envs").symlink_to(environments / "envs")
    run = compare(["control"], suite=name, limit=limit, home=tmp_path)
    solved = {row.task for row in run.episodes if row.verdict == "success"}
    checked = find_suite(name).checked(tuple(run.tasks.values()))
    assert {task.id for task in checked} == solved


def team_named_after(task, domains=()):
    role = Role(name=task.utterance, description="Solves.", prompt="Solve.")
    return Team(name="t", goal="g", manager="", final=role.name, roles=(role,))


def test_a_team_belongs_to_its_task_unless_the_suite_says_what_decides_it():
    tasks = [Task(id=name, suite="own", utterance=name) for name in ("fixer", "solver")]
    suite = Suite(name="own", tasks=list, team=team_named_after, grader=list, limits=EpisodeLimits)
    assert suite.team_roles(tasks, ()) == ("fixer", "solver")
    same = replace(suite, team_key=lambda task: task.suite)
    assert len(same.team_roles(tasks, ())) == 1


def played(task):
    id = f"control.{task.id}.1"
    return EpisodeKey(id=id, task=task.id, framework="control", model="offline", repeat=1)


def test_episodes_get_the_team_of_their_own_task(monkeypatch):
    tasks = [Task(id=name, suite="own", utterance=name) for name in ("fixer", "solver")]
    suite = Suite(name="own", tasks=list, team=team_named_after, grader=list, limits=EpisodeLimits)
    monkeypatch.setattr(episode, "find_suite", {"own": suite}.get)
    runner = episode.EpisodeRunner(
        SimpleNamespace(domains=()),
        {},
        {task.id: task for task in tasks},
        SimpleNamespace(suite="own", knowledge=None, prompts="", frameworks=()),
    )
    assert [runner._team(played(task)).final for task in tasks] == ["fixer", "solver"]


def test_only_the_team_of_a_task_that_something_is_known_of_is_told_it(monkeypatch):
    tasks = [Task(id=name, suite="own", utterance="fixer") for name in ("fix-it", "mend-it")]
    suite = Suite(name="own", tasks=list, team=team_named_after, grader=list, limits=EpisodeLimits)
    suite = replace(suite, team_key=lambda task: task.suite)
    monkeypatch.setattr(episode, "find_suite", {"own": suite}.get)
    known = Knowledge(what="a hint", texts=(("mend-it", "Use glue."),))
    runner = episode.EpisodeRunner(
        SimpleNamespace(domains=()),
        {},
        {task.id: task for task in tasks},
        SimpleNamespace(suite="own", knowledge=known, prompts="", frameworks=()),
    )
    prompts = [runner._team(played(task)).role("fixer").prompt for task in (*tasks, tasks[0])]
    assert prompts == ["Solve.", "Solve.\n\nUse glue.", "Solve."]


def test_code_that_cannot_be_imported_leaves_its_trace_in_the_log(caplog):
    with caplog.at_level("DEBUG", "ossia.suites"), pytest.raises(UserError, match="the suite 'x'"):
        load_brought("no_such_module_here:suite", "the suite 'x'", lambda made: made)
    assert "ModuleNotFoundError" in caplog.text
