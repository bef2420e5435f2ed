"""What the errors of another distribution's suite cost: one sentence each, and no other suite."""

import asyncio
from dataclasses import replace

import pytest

from ossia.errors import UserError
from ossia.suite import Suite
from ossia.suites.guard import guarded
from ossia_dataset.tasks import Task, TaskError
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric
from ossia_servers.gateway import EndpointClosed, ModelFailure, completion_of
from ossia_workflows import Role, Team

TASK = Task(id="a", suite="own", utterance="hello")


class Grader:
    def __init__(self, made=None):
        self._made = made

    def check(self, task):
        assert task.id != "b", "b is\nbad\x1b[31m"

    def score(self, task, trace):
        return self._made()


def failing(*given):
    raise ZeroDivisionError("division\nby zero")


def leaving(*given):
    raise SystemExit("bye")


def suite_of(**others):
    usual = {
        "name": "own",
        "tasks": lambda source: [TASK],
        "team": failing,
        "grader": lambda domains: Grader(failing),
        "limits": failing,
    }
    return Suite(**{**usual, **others})


@pytest.mark.parametrize("wrong", [failing, leaving])
@pytest.mark.parametrize("field", ["tasks", "team", "limits", "grader", "metrics", "catalogue"])
def test_a_function_that_raises_is_told_with_suite_field_and_place(field, wrong):
    suite = guarded(suite_of(**{field: wrong}))
    given = {"team": (TASK, ()), "limits": (), "metrics": ()}.get(field, ("test",))
    with pytest.raises(UserError) as told:
        getattr(suite, field)(*given)
    said = str(told.value)
    assert said.startswith(f"the suite 'own' fails in its `{field}`: ")
    assert "(test_guard.py:" in said and "\n" not in said


def test_a_team_that_does_not_fit_is_told():
    def team(task, domains):
        role = Role(name="solver", description="Solves.", prompt="Solve.")
        return Team(name="t", goal="g", manager="", final="nobody", roles=(role,))

    with pytest.raises(
        UserError, match=r"fails in its `team`: .*has no role 'nobody' \(test_guard"
    ):
        guarded(suite_of(team=team)).team(TASK, ())


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (failing, "ZeroDivisionError: division by zero"),
        (leaving, "SystemExit: bye"),
        (lambda: None, "it returns NoneType, not Grade"),
        (lambda: Grade(verdict="success", reason="", metrics={"x": float("nan")}), "ValidationErr"),
        (lambda: Grade(verdict="success", reason="", metrics={"x": 10**400}), "Error"),
    ],
)
def test_a_grader_that_fails_makes_its_episode_invalid(made, told):
    grade = guarded(suite_of(grader=lambda domains: Grader(made))).grader(()).score(TASK, None)
    assert grade.verdict is Verdict.INVALID
    assert grade.reason.startswith("the grader of the suite 'own' failed: ")
    assert told in grade.reason and "\n" not in grade.reason
    assert Grade.model_validate_json(grade.model_dump_json()) == grade


def test_a_grader_that_works_is_left_alone():
    right = Grade(verdict="success", reason="right")
    grader = guarded(suite_of(grader=lambda domains: Grader(lambda: right))).grader(())
    assert grader.score(TASK, None) is right
    grader.check(TASK)
    with pytest.raises(TaskError, match="the suite 'own' refuses it: AssertionError: b is bad"):
        grader.check(TASK.model_copy(update={"id": "b"}))


@pytest.mark.parametrize("field", ["team", "limits", "metrics", "grade"])
def test_what_has_to_be_a_function_is_one(field):
    with pytest.raises(UserError, match=f"the suite 'own' is not usable: its `{field}` is no"):
        guarded(replace(suite_of(), **{field: "text"}))
    with pytest.raises(UserError, match=r"its `data` is not a pathlib\.Path"):
        guarded(suite_of(data="folder"))


def test_groups_that_no_table_can_hold_are_told_before_anything_runs():
    class Odd(Task):
        @property
        def groups(self):
            return {"size": 3}

    odd = Odd(id="a", suite="own", utterance="hello")
    with pytest.raises(TaskError, match="task a: its groups are not strings: 'size', 3"):
        guarded(suite_of(tasks=lambda source: [odd])).tasks("test")


def test_a_metric_that_raises_is_told_by_its_name():
    metric = Metric(name="speed", title="speed", read=failing)
    (guard,) = guarded(suite_of(metrics=lambda: [metric])).metrics()
    grade = Grade(verdict="success", reason="")
    with pytest.raises(UserError, match="fails in its `metric speed`: ZeroDivisionError"):
        guard.value(TASK, None, grade)


class Player:
    name = "sly"

    def __init__(self, made):
        self._made = made

    async def complete(self, call):
        return self._made()


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (failing, "ZeroDivisionError: division by zero (test_guard.py:"),
        (leaving, "SystemExit: bye (test_guard.py:"),
        (lambda: None, "it returns NoneType, not Completion"),
        (lambda: completion_of({"content": object()}), "TypeError: Type is not JSON serializable"),
    ],
)
def test_a_player_that_fails_is_told_in_a_sentence_and_traced_for_debugging(made, told, caplog):
    guard = guarded(suite_of(players={"sly": lambda tasks: Player(made)})).players["sly"]({})
    with caplog.at_level("DEBUG", "ossia.suites"), pytest.raises(ModelFailure) as failure:
        asyncio.run(guard.complete(None))
    said = str(failure.value)
    assert said.startswith("the player 'sly' of the suite 'own' failed: ") and told in said
    assert "\n" not in said
    assert [record.levelname for record in caplog.records if record.exc_info] in ([], ["DEBUG"])


def test_a_player_that_works_or_knows_why_it_fails_is_left_alone():
    right = completion_of({"content": "done"})
    players = {"right": lambda tasks: Player(lambda: right), "closed": lambda tasks: Player(close)}
    found = guarded(suite_of(players=players)).players
    assert asyncio.run(found["right"]({}).complete(None)) is right
    with pytest.raises(EndpointClosed, match=r"^no more$"):
        asyncio.run(found["closed"]({}).complete(None))


def close():
    raise EndpointClosed("no more")
