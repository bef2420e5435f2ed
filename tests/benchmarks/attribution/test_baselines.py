from random import Random

from benchmarks.attribution.baselines import METHODS, Evidence, guesses, suspects
from benchmarks.attribution.metrics import Guess

CLEAN = (("intent#1", "alarm"), ("time#1", "07:30"), ("url#1", "/alarm"), ("response#1", "done"))
FAILED = (("intent#1", "alarm"), ("time#1", "19:30"), ("url#1", "/alarm"), ("response#1", "hm"))


def evidence(**changes):
    given = {
        "failed": FAILED,
        "clean": CLEAN,
        "passing": [CLEAN],
        "failing": [],
        "deviations": ["time#1"],
        "decisive": "time#1",
        "rules": ["function call", "time"],
        "told": Guess(("time#1",), frozenset({frozenset({"time#1"})})),
    }
    return Evidence(**{**given, **changes})


def test_each_method_says_what_it_is_named_for():
    said = guesses(evidence(), Random(0))
    assert tuple(said) == METHODS
    steps = {name: guess.steps for name, guess in said.items()}
    assert steps["intervention"] == steps["earliest decisive"] == ("time#1",)
    assert steps["first deviation"] == steps["first gold-diff"] == ("time#1",)
    assert steps["prior"] == steps["first"] == ("intent#1",)
    assert steps["last"] == ("response#1",)
    assert said["rules"].named == ("request", "time")
    assert steps["random"][0] in dict(FAILED)
    assert said["random"] == guesses(evidence(), Random(0))["random"]


def test_without_a_sole_cause_nothing_is_decisive():
    said = guesses(evidence(decisive=None, deviations=[]), Random(0))
    assert said["earliest decisive"] == said["first deviation"] == Guess()


def test_a_step_that_no_clean_run_has_differs():
    failed = (("intent#1", "alarm"), ("url#2", "/alarm"))
    said = guesses(evidence(failed=failed), Random(0))
    assert said["first gold-diff"].steps == ("url#2",)


def test_what_successful_runs_say_too_is_less_suspicious():
    ranked = suspects(FAILED, [CLEAN], [])
    assert ranked[:2] == ["time#1", "response#1"]
    harmless = (*CLEAN[:1], ("time#1", "19:30"), *CLEAN[2:])
    assert suspects(FAILED, [CLEAN, harmless], [])[0] == "response#1"


def test_what_other_failed_runs_say_too_is_more_suspicious():
    other = (("intent#1", "alarm"), ("time#1", "20:30"), ("url#1", "/alarm"), ("response#1", "hm"))
    assert suspects(FAILED, [CLEAN], [])[0] == "time#1"
    assert suspects(FAILED, [CLEAN], [other])[0] == "response#1"


def test_nothing_is_said_of_an_episode_without_steps():
    said = guesses(evidence(failed=()), Random(0))
    assert said["random"] == said["first"] == said["spectrum"] == Guess()
