"""The sequential test, and what three arms say together."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.attribution import (
    MOST_SAMPLES,
    Arm,
    ArmResult,
    Proof,
    Tendency,
    Verification,
    tendency,
)

OFTEN, RARE, OPEN, NONE = Tendency.OFTEN, Tendency.RARE, Tendency.OPEN, Tendency.UNDETERMINED


@pytest.mark.parametrize(
    ("samples", "told"),
    [
        ("", OPEN),
        ("++", OPEN),
        ("+++", OFTEN),
        ("---", RARE),
        ("+-+-", OPEN),
        ("+-+++", OPEN if math.log(4) * 3 < math.log(19) else OFTEN),
        ("-+---", RARE),
        ("+-" * 7, OPEN),
        ("+-" * 7 + "+", NONE),
        ("+-" * 6 + "+++", OFTEN),
        ("+++-----------", OFTEN),
    ],
)
def test_three_more_of_one_kind_decide(samples, told):
    assert tendency([sample == "+" for sample in samples]) is told


@given(st.lists(st.booleans(), max_size=2 * MOST_SAMPLES))
def test_the_decision_is_that_of_the_ratio_and_stays(samples):
    told = tendency(samples)
    lead = 0
    for number, success in enumerate(samples[:MOST_SAMPLES], start=1):
        lead += 1 if success else -1
        if abs(lead) == 3:
            assert told is (OFTEN if lead > 0 else RARE)
            return
        assert tendency(samples[:number]) in (OPEN, NONE)
    assert told is (NONE if len(samples) >= MOST_SAMPLES else OPEN)


@given(st.lists(st.booleans(), max_size=MOST_SAMPLES))
def test_success_and_failure_mirror_each_other(samples):
    mirror = {OFTEN: RARE, RARE: OFTEN, OPEN: OPEN, NONE: NONE}
    assert tendency([not sample for sample in samples]) is mirror[tendency(samples)]


def exact_errors(chance):
    """The exact chances of each decision, over all sequences of samples."""
    found = dict.fromkeys((OFTEN, RARE, NONE), 0.0)

    def walk(samples, weight):
        told = tendency(samples)
        if told is not OPEN:
            found[told] += weight
            return
        walk([*samples, True], weight * chance)
        walk([*samples, False], weight * (1 - chance))

    walk([], 1.0)
    return found


def test_wrong_decisions_are_as_rare_as_promised():
    rare = exact_errors(0.2)
    assert rare[OFTEN] <= 0.05
    assert rare[RARE] >= 0.95
    assert exact_errors(0.8)[RARE] <= 0.05
    assert exact_errors(0.5)[NONE] > 0.1


@pytest.mark.parametrize("wrong", [{"p0": 0.8}, {"p1": 1.0}, {"error": 0.6}, {"most": 0}])
def test_chances_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="are needed"):
        tendency([], **wrong)


@pytest.mark.parametrize(
    ("repaired", "nothing", "placebo", "proof"),
    [
        (OFTEN, RARE, RARE, Proof.CONFIRMED),
        (OFTEN, RARE, NONE, Proof.UNDETERMINED),
        (OFTEN, OFTEN, RARE, Proof.UNSPECIFIC),
        (OFTEN, RARE, OFTEN, Proof.UNSPECIFIC),
        (RARE, RARE, RARE, Proof.REFUTED),
        (RARE, OFTEN, OFTEN, Proof.REFUTED),
        (NONE, RARE, RARE, Proof.UNDETERMINED),
    ],
)
def test_three_arms_say_together(repaired, nothing, placebo, proof):
    told = zip(Arm, (repaired, nothing, placebo), strict=True)
    arms = tuple(ArmResult(arm=a, tendency=t, successes=0, samples=3) for a, t in told)
    made = Verification(episode="e", family=("time#1",), arms=arms, calls=9)
    assert made.proof is proof
    assert Verification.model_validate_json(made.model_dump_json()) == made
