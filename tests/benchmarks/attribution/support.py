"""Attempts of the injection protocol, made by hand."""

from benchmarks.attribution.attempts import CLEAN, KEPT, SINGLE, Attempt, Case, WrongStep
from benchmarks.attribution.figures import figures

STEPS = (("intent#1", "alarm"), ("time#1", "07:30"), ("url#1", "/alarm"))
WRONG = (("intent#1", "alarm"), ("time#1", "19:30"), ("url#1", "/alarm"))


def case(known=(("time#1",),), told=(("time#1",),), **more):
    given = {
        "ranked": tuple(step for family in told for step in family),
        "deviations": ("time#1",),
        "decisive": None,
        "rules": (),
        "status": "attributed",
        "replays": 2,
    }
    return Case(known=known, told=told, **{**given, **more})


def attempt(key, cell=SINGLE, **more):
    given = {"framework": "langgraph", "task": "wake", "outcome": KEPT}
    return Attempt(key=key, cell=cell, **{**given, **more})


def single(key, **more):
    wrong = WrongStep(source="injected", role="time", fault="time.wrong", situation="x", text="1")
    given = {"faults": ("time.wrong",), "success": False, "steps": WRONG, "wrong": (wrong,)}
    return attempt(key, **{**given, "case": case(), **more})


def result_of(*attempts, wanted=None):
    clean = attempt("clean|wake", CLEAN, success=True, steps=STEPS)
    return figures(
        [clean, *attempts],
        seed=0,
        size="test",
        versions={"langgraph": "1"},
        digest="0",
        wanted=wanted,
    )
