"""The checks on the control, which passes them all, and on variations with one flaw each."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ossia.adapters import AdapterError, find_adapter
from ossia.conformance import CHECKS, check_adapter
from ossia.conformance.manners import control_calls
from ossia.conformance.places import scenes_suite, suite_tasks

from ...adapters.support.environments import FRAMEWORKS, installed
from .weak_rows import written

pytestmark = pytest.mark.framework("control")

MODULES = Path(__file__).parent / "modules"

# AgentLite and CAMEL's workforce keep no conversation: what tools gave is not told again.
NOTED = {
    # What a member says is one word to its manager, which is then asked in the same words.
    "agent-framework": ["weak-model"],
    # It ends with words of its own where no role says any.
    "agentlite": ["weak-model", "conversation"],
    # It tries a failed subtask once more, and knows no limit of turns.
    "camel": ["model-error", "turns", "weak-model", "conversation"],
    # Its manager must always choose; it shows an unusable selection as a further assistant message.
    "autogen": ["order", "strict-order"],
}


def flawed(name):
    return replace(
        installed("control"), entry=f"flawed_adapters:{name}", switches={"PYTHONPATH": str(MODULES)}
    )


SEED = "tests"
"""What is drawn must not differ from one run of the tests to the next."""


def check(info, *names, seconds=60.0, seed=SEED):
    checks = [each for each in CHECKS if not names or each.name in names]
    return check_adapter(info, checks=checks, seconds=seconds, seed=seed)


def test_the_control_passes_every_check():
    heard = []
    report = check_adapter(installed("control"), seed=SEED, heard=heard.append)
    assert [result.detail for result in report.failed] == []
    assert report.passed
    assert report.noted == ()
    assert (report.adapter, report.version) == ("control", "0.1.0")
    assert tuple(heard) == report.results
    assert [result.name for result in report.results] == [each.name for each in CHECKS]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.framework(name)) for name in FRAMEWORKS]
)
def test_every_framework_passes_every_check(name):
    report = check(installed(name))
    assert [f"{result.name}: {result.detail}" for result in report.failed] == []
    assert report.passed
    # CAMEL knows no limit of turns, and must not be said to keep one.
    assert [result.name for result in report.noted] == NOTED.get(name, [])
    (weak,) = (result.detail for result in report.results if result.name == "weak-model")
    told = [f"{case}: {outcome}".replace("`", "") for case, outcome in written(name)[:-1]]
    assert weak.partition("; answers that")[0].partition("; asked again")[0] == "; ".join(told)


def test_a_task_that_servers_repeat_is_not_given_twice():
    # Of its tasks one is "next chapter", which the server of audiobooks tells again.
    report = check(installed("control"), "suites", seed="dac95e84206f068b")
    assert [result.detail for result in report.failed] == []


def test_a_limit_without_effect_is_told_in_the_detail():
    report = check(flawed("Deaf"), "turns", "tool-rounds")
    assert all("the limit has no effect" in result.detail for result in report.failed)
    report = check(flawed("Endless"), "tool-rounds", seconds=5.0)
    assert all("at most 20 are allowed" in result.detail for result in report.failed)


@pytest.mark.parametrize(
    ("name", "checks", "failing"),
    [
        ("Silent", ("every-role", "prompts", "tool-call"), {"every-role", "prompts", "tool-call"}),
        ("Reworded", ("every-role", "prompts"), {"prompts"}),
        ("Retrying", ("every-role", "model-error"), {"model-error"}),
        ("Patient", ("every-role", "model-timeout"), {"model-timeout"}),
        ("Endless", ("every-role", "turns", "tool-rounds"), {"turns", "tool-rounds"}),
        ("Deaf", ("every-role", "turns", "tool-rounds"), {"turns", "tool-rounds"}),
        ("Fragile", ("every-role", "tool-error"), {"tool-error"}),
        ("Remembering", ("every-role", "concurrency", "memory"), {"concurrency", "memory"}),
        ("Hashing", ("prompts", "memory", "determinism"), {"determinism"}),
        ("CallingHome", ("every-role", "network"), {"network"}),
        # What it leaves behind is ended with its worker, wherever a supervisor can see to that.
        pytest.param(
            "Littering",
            ("every-role", "cancellation"),
            set() if sys.platform == "linux" else {"cancellation"},
        ),
    ],
)
def test_a_flaw_is_found(name, checks, failing):
    report = check(flawed(name), *checks, seconds=5.0)
    assert {result.name for result in report.failed} == failing, report
    assert report.passed == (not failing)


def test_a_crash_fails_its_check_and_the_others_go_on():
    report = check(flawed("Crashing"), "every-role", "model-error", "memory")
    outcome = {result.name: result.passed for result in report.results}
    assert outcome == {"every-role": True, "model-error": False, "memory": True}
    (crash,) = report.failed
    assert "ended with status 9" in crash.detail


def test_a_worker_that_cannot_start_fails_every_check():
    report = check(flawed("Missing"))
    assert [result.name for result in report.results] == [each.name for each in CHECKS]
    assert not any(result.passed for result in report.results)
    first, *others = [result.detail for result in report.results]
    assert [result.made for result in report.results] == [True] + [False] * (len(CHECKS) - 1)
    assert first.count("AttributeError") == 1
    assert set(others) == {"not made, since no worker starts"}


def test_an_adapter_object_of_another_name_is_told_in_one_line():
    report = check(flawed("Misnamed"))
    (made,) = [result for result in report.results if result.made]
    assert made.detail == (
        "the adapter object is 'other' of 'ossia-adapter-control', but [tool.ossia] says"
        " 'control' of 'ossia-adapter-control'"
    )
    report = check(flawed("Unknown"))
    (made,) = [result for result in report.results if result.made]
    assert "names the distribution 'ossia-adapter-base', which is not installed" in made.detail


def test_a_failed_scene_is_told_step_by_step():
    checks = [each for each in CHECKS if each.name == "tool-error"]
    report = check_adapter(flawed("Fragile"), checks=checks, seed="7", steps=True)
    (result,) = report.results
    assert report.seed == "7"
    task = suite_tasks(scenes_suite().name)["recommendation-004"]
    assert result.steps[0] == f"the user says {task.utterance!r}"
    assert result.steps[1].startswith("1. manager was asked ")
    assert "and answered 'intent'" in result.steps[1]
    assert any(step.startswith(f"server: GET /{task.gold.domain}") for step in result.steps)
    assert "ended with RuntimeError: a tool failed" in result.steps[-2]


def test_control_makes_as_many_calls_as_others_are_compared_with():
    (result,) = check(installed("control"), "every-role").results
    suite = scenes_suite()
    asked = control_calls(suite.team(suite_tasks(suite.name)[suite.scenes[0]], ()))
    assert list(asked.values()) == [7, 1, 2, 1, 1, 2, 1]
    counts = ", ".join(f"{role} {number}" for role, number in asked.items())
    assert result.detail.startswith(f"calls: {counts};")


def test_an_adapter_that_is_not_installed_is_refused(tmp_path):
    with pytest.raises(AdapterError, match="ossia adapter install control"):
        check(find_adapter("control", tmp_path))
