"""What is stored of a verification, and what it says in words."""

import json

import pytest
from pydantic import ValidationError

from ossia_evaluation.attribution import (
    Again,
    Arm,
    Conclusion,
    Spent,
    Verification,
    causes_beside,
    family_to_verify,
    spent_text,
    verification_lines,
    verification_totals,
)

from .support import attribution, cause

FIRST = {
    "version": 1,
    "episode": "control.wake.1",
    "family": ["time#1"],
    "arms": [
        {"arm": "repaired", "tendency": "often", "successes": 3, "samples": 3, "invalid": 0},
        {"arm": "nothing repaired", "tendency": "rarely", "successes": 6, "samples": 15},
        {"arm": "placebo", "tendency": "rarely", "successes": 0, "samples": 3, "invalid": 1},
    ],
    "calls": 90,
    "cut": False,
}


def made(repaired="", held="", **fields):
    signs = {
        name: tuple(sign == "+" for sign in text)
        for name, text in (("repaired", repaired), ("held", held))
    }
    return Verification(episode="e", family=("time#1", "url#1"), **signs, **fields)


def test_what_is_stored_is_read_again():
    item = made("++", "-", anew=(Again(success=True, fault=False),), spent=Spent(calls=3))
    assert Verification.model_validate_json(item.model_dump_json()) == item
    assert item.pairs == ((True, False),), "the second has no partner yet"


def test_the_first_version_is_read_and_its_arms_are_called_what_they_were():
    item = Verification.model_validate_json(json.dumps(FIRST))
    assert item.conclusion is Conclusion.UNDECIDED
    assert not item.is_contrasted, "it is sampled again"
    assert not any(item.successes.values()), "sums are no pairs"
    (line,) = verification_lines(item)
    assert "repaired 3 of 3, asked anew 6 of 15, fault in other words 0 of 3 succeeded" in line
    assert "rarely" not in line
    assert verification_totals([item]).endswith("; by an earlier version: 90 model calls")
    assert Verification.model_validate_json(item.model_dump_json()) == item


@pytest.mark.parametrize(
    "damage",
    [
        {"version": 3},
        {"arms": None},
        {"arms": [{"arm": "repaired"}]},
        {"arms": [{**FIRST["arms"][0], "arm": "else"}]},
        {"calls": "many"},
        {"more": 1},
    ],
)
def test_what_is_neither_version_is_refused(damage):
    with pytest.raises(ValidationError):
        Verification.model_validate_json(json.dumps({**FIRST, **damage}))


@pytest.mark.parametrize(
    ("item", "start"),
    [
        (made("+++++", "-----"), "repairing time#1 + url#1 raises success: 5 of 5 [0.57, 1.00]"),
        (made("-----", "-----"), "repairing time#1 + url#1 raises success by less than 50 perc"),
        (made("+++++", "+++++"), "repairing time#1 + url#1 raises success by less than 50 perc"),
        (made("+", "-"), "whether repairing time#1 + url#1 raises success is undecided after 1 p"),
        (
            made(),
            "whether repairing time#1 + url#1 raises success is undecided after 0 pairs: 0 of",
        ),
    ],
)
def test_the_words_claim_what_was_shown(item, start):
    assert verification_lines(item)[0].startswith(start)


def test_causes_beside_the_repair_set_are_told():
    causes = [cause("time#1"), cause("url#1"), cause("url#2", step=-1)]
    found = attribution("e", causes=causes, families=(("time#1",), ("url#1",), ("url#2",)))
    assert causes_beside(found, ("time#1",)) == ("url#1",)
    line = verification_lines(made("+", "-", beside=("url#2", "url#3")))[0]
    assert line.endswith("with the fault held (url#2, url#3 as recorded in both)")


def test_what_was_lost_or_untouched_is_told():
    lines = verification_lines(made("+", "-", lost=2, untouched=1))
    assert lines[0].endswith("(1 sample in which the repaired steps never came)")
    assert lines[1] == "2 samples lost to the endpoint or for want of time"
    assert lines[-1].startswith("spent: 0 model calls")


def test_recurrence_is_a_figure_of_its_own():
    again = (Again(success=True, fault=False), Again(success=False, fault=True))
    item = made("+++++", "-----", anew=again)
    assert item.conclusion is Conclusion.HELPS
    assert item.successes[Arm.ANEW] == (True, False)
    assert (item.is_contrasted, item.is_finished) == (True, False)
    assert verification_lines(item)[1] == (
        "asked anew: the fault recurred in 1 of 2 [0.09, 0.91], 1 of 2 [0.09, 0.91] failed"
    )


def test_a_fault_that_no_contract_names_has_no_recurrence():
    item = made("+", "-", anew=(Again(success=False, fault=None),))
    assert item.recurrences == ()
    assert verification_lines(item)[1] == "asked anew: 1 of 1 [0.21, 1.00] failed"


def test_an_unknown_price_stays_unknown():
    known, unknown = Spent(calls=1, tokens=5, price_usd=0.25), Spent(calls=1, price_usd=None)
    assert known.times(3) == Spent(calls=3, tokens=15, price_usd=0.75)
    assert known.plus(unknown).price_usd is None
    assert unknown.times(2).price_usd is None
    assert spent_text(known.plus(known)) == "2 model calls, 10 tokens, price 0.5000 USD"
    assert spent_text(Spent(tokens=4, estimated=True, price_usd=None)) == (
        "0 model calls, ~4 tokens, price unknown"
    )


def test_only_recorded_steps_can_be_held():
    unseen = cause("url#2").model_copy(update={"step": -1})
    families = (("url#2", "time#1"), ("time#1", "request#1"))
    found = attribution(
        "e", causes=[unseen, cause("time#1"), cause("request#1")], families=families
    )
    assert family_to_verify(found) == ("time#1", "request#1")
    only = attribution("e", causes=[unseen], families=(("url#2",),))
    assert family_to_verify(only) is None
    assert family_to_verify(attribution("e", causes=[], families=())) is None
