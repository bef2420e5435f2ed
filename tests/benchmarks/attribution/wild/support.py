"""Attempts of the protocol of wild faults, made by hand."""

from benchmarks.attribution.wild.figures import wild_figures
from benchmarks.attribution.wild.records import SINGLE, Changed, WildAttempt, WildCase

TIME = Changed(
    situation="time#1", call=0, role="time", kind="words.word_deleted", seed=1, before="a", after=""
)


def case(**more):
    return WildCase(
        **{
            "known": (("time#1",),),
            "told": (("time#1",),),
            "status": "attributed",
            "reason": "",
            "replays": 2,
            "model_calls": 0,
        }
        | more
    )


def attempt(key, *, task="wake", cell=SINGLE, found=None, changes=(TIME,), outcome="kept"):
    if outcome == "kept" and found is None:
        found = case()
    return WildAttempt(
        key=key,
        framework="control",
        task=task,
        cell=cell,
        outcome=outcome,
        changes=changes,
        case=found,
    )


def result_of(*attempts):
    return wild_figures(attempts, seed=0, size="test", versions={"control": "1"}, digest="0")
