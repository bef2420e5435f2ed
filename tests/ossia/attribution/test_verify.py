"""Parts of a verification: the calls that are allowed, the samples left, and the store."""

import hashlib
import json
import sqlite3

import pytest

from ossia.attribution.store import AttributionStore, verified_digest
from ossia.attribution.verify_live import Allowance, Sample
from ossia.attribution.verify_plan import begun_of, free_models, samples_left, spent_by
from ossia.storage.sqlite import ATTRIBUTION_FILE
from ossia_dataset.tasks import dump_task
from ossia_evaluation.assistant.contracts import AssistantContracts
from ossia_evaluation.attribution import Again, Arm, Spent, Verification
from ossia_servers.gateway import ModelFailure
from tests.evaluation.attribution.support import attribution, cause
from tests.evaluation.attribution.test_verification import FIRST
from tests.evaluation.support import DOMAINS, WAKE, WAKE_URL, gold_play


def test_calls_set_aside_for_one_sample_are_not_taken_by_another():
    allowance = Allowance(10)
    assert allowance.begin("a", 6)
    assert not allowance.begin("b", 5), "6 of 10 are set aside"
    assert allowance.begin("b", 4)
    for _ in range(6):
        allowance.take("a")
    with pytest.raises(ModelFailure):
        allowance.take("a")
    assert allowance.refused
    for _ in range(4):
        allowance.take("b")
    assert allowance.made == 10


def test_what_a_sample_has_not_used_is_given_back():
    allowance = Allowance(10)
    assert allowance.begin("a", 6)
    allowance.take("a")
    allowance.end("a")
    assert allowance.begin("b", 9)
    assert not allowance.begin("c", 1)
    allowance.end("b")
    assert allowance.begin("c", 1)
    for _ in range(9):
        allowance.take("c")
    assert (allowance.made, allowance.refused) == (10, False)


@pytest.mark.parametrize(
    ("repaired", "held", "anew", "left"),
    [
        (0, 0, 0, (15, 45)),
        (1, 0, 0, (14, 44)),
        (2, 2, 1, (10, 40)),
        (5, 5, 5, (0, 0)),
        (5, 5, 3, (2, 2)),
    ],
)
def test_the_samples_that_a_repair_takes_still(repaired, held, anew, left):
    again = (Again(success=False, fault=True),) * anew
    item = Verification(
        episode="e",
        family=("time#1",),
        repaired=(True,) * repaired,
        held=(False,) * held,
        anew=again,
    )
    assert samples_left(item) == left


def test_samples_beside_other_causes_are_made_again():
    found = attribution("e", causes=[cause("time#1"), cause("url#1")], families=(("time#1",),))
    fresh = begun_of(None, found, ("time#1",))
    assert (fresh.episode, fresh.family, fresh.beside) == ("e", ("time#1",), ("url#1",))
    sampled = fresh.model_copy(update={"repaired": (True,), "spent": Spent(calls=9)})
    assert begun_of(sampled, found, ("time#1",)) == sampled
    alone = sampled.model_copy(update={"beside": ()})
    again = begun_of(alone, found, ("time#1",))
    assert (again.repaired, again.beside, again.spent.calls) == ((), ("url#1",), 9)


def test_models_in_this_process_cost_nothing():
    mixed = "intent=openai/gpt-4o,*=offline:noise=0.1,seed=3"
    assert free_models(mixed) == {"offline:noise=0.1,seed=3"}
    trace = gold_play(WAKE).trace()
    models = {exchange.model for exchange in trace.gateway.exchanges}
    assert spent_by(trace, models, None) == Spent()
    priced = spent_by(trace, (), "openai/gpt-4o")
    assert priced.calls == trace.gateway.calls > 0
    assert priced.tokens == trace.gateway.total_tokens


@pytest.fixture
def folder(tmp_path):
    """A folder with a store of the first format."""
    digest = verified_digest(WAKE, gold_play(WAKE).trace(), ("time#1",))
    with AttributionStore(tmp_path):
        pass
    put(tmp_path, "control.wake.1", digest, json.dumps(FIRST))
    return tmp_path, digest


def put(folder, *row):
    with sqlite3.connect(folder / ATTRIBUTION_FILE) as database:
        database.execute("INSERT OR REPLACE INTO verifications VALUES (?, ?, ?)", row)


def test_a_stored_verification_of_the_first_version_is_found(folder):
    path, digest = folder
    text = f"4\n{dump_task(WAKE)}\n{gold_play(WAKE).trace().model_dump_json()}"
    assert digest == f"{hashlib.sha256(text.encode()).hexdigest()[:24]}:time#1", "as it was stored"
    with AttributionStore(path) as kept:
        found = kept.find_verification("control.wake.1", digest)
    assert found.earlier.calls == 90


def test_verifications_outlive_a_new_version_of_the_attributions(folder):
    path, digest = folder
    with sqlite3.connect(path / ATTRIBUTION_FILE) as database:
        database.execute("INSERT INTO attributions VALUES ('e', 'd', 'old')")
        database.execute("PRAGMA user_version = 1")
    with AttributionStore(path) as kept:
        assert kept.find_verification("control.wake.1", digest) is not None
        assert list(kept.all()) == []


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version": 1}', '{"version": 9}'])
def test_a_damaged_verification_costs_itself_alone(folder, text):
    path, digest = folder
    put(path, "control.wake.1", digest, text)
    with AttributionStore(path) as kept:
        assert kept.find_verification("control.wake.1", digest) is None


LATE_TIME, LATE_URL = "08:30", WAKE_URL.replace("07", "08")


def sampled(arm, family, beside=()):
    """What a sample answers in an episode with a wrong time and a wrong address, by moment."""
    play = gold_play(WAKE, until="intent").time(time=LATE_TIME, date="2026-03-14")
    trace = play.url(LATE_URL).request(LATE_URL).response("done").trace()
    episode = AssistantContracts(DOMAINS).episode(WAKE, trace)
    sample = Sample(episode, frozenset(family), frozenset(beside), arm)
    found = {}
    for exchange in trace.gateway.exchanges:
        message = sample.answer(exchange.role, exchange.request)
        if message is not None:
            found[exchange.role] = message["content"]
    said = {step.role: step.messages[-1]["content"] for step in episode.recording.steps}
    return found, said, sample


def test_a_repair_is_the_only_difference_between_the_arms_of_a_pair():
    repaired, said, sample = sampled(Arm.REPAIRED, {"time#1"}, {"url#1"})
    assert repaired.keys() == {"time", "url"}
    assert "07:30" in repaired["time"]
    assert sample.touched
    held, said, _ = sampled(Arm.HELD, {"time#1"}, {"url#1"})
    assert held == {"time": said["time"], "url": said["url"]}
    assert held["url"] == repaired["url"], "its input is the same here"
    anew, _, sample = sampled(Arm.ANEW, {"time#1"}, {"url#1"})
    assert anew == {}
    assert sample.touched


@pytest.mark.parametrize("arm", list(Arm))
def test_a_repair_set_that_never_comes_is_not_touched(arm):
    found, _, sample = sampled(arm, {"location#1"})
    assert (found, sample.touched) == ({}, False)
