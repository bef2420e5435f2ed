"""Facts come from the gold run, are told by the servers' own replies, and leave out small talk."""

import pytest

from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_evaluation.assistant.gold_facts import facts_of, unproven_facts
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.worlds.gold import GoldRunner
from tests.evaluation.support import CHAT, DOMAINS, WAKE, Play, gold_play, task

RUNNER = GoldRunner(DOMAINS)
TEST = {one.id: one for one in assistant_tasks("test")}


def with_facts(one, *facts):
    return one.model_copy(update={"gold": one.gold.model_copy(update={"facts": facts})})


def derived(one):
    return facts_of(one, RUNNER.gold(one))


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("alarm-001", ("07:30", "2026-03-14")),
        ("calendar-005", ("when?",)),
        ("email-005", ("who?",)),
        ("weather-012", ("39",)),
        ("cooking-003", ("325",)),
        ("currency-001", ("29962",)),
        ("general-001", ()),
        ("iot-009", ("blue", "living room")),
        ("iot-022", ("off",)),
        ("stock-009", ("61.43", "2.98")),
    ],
)
def test_the_few_telling_values_are_taken(name, facts):
    assert derived(TEST[name]) == facts == TEST[name].gold.facts


def test_a_question_is_not_told_what_was_asked():
    said = task("alarm", "alarm_query", "answer", {"event_name": "yoga"})
    said = said.model_copy(update={"utterance": "when does yoga ring"})
    assert "yoga" not in derived(said)


def test_every_built_in_fact_is_proven():
    for one in TEST.values():
        assert list(unproven_facts(one, RUNNER.gold(one))) == [], one.id


def test_a_fact_that_no_server_told_is_found():
    gold = RUNNER.gold(WAKE)
    assert list(unproven_facts(with_facts(WAKE, "07:30"), gold)) == []
    (found,) = unproven_facts(with_facts(WAKE, "08:30"), gold)
    assert found == "the fact '08:30' is not in the servers' answer"
    (asked,) = unproven_facts(with_facts(WAKE, "when?"), gold)
    assert "is not told by the servers' reply" in asked


def test_the_share_of_facts_stands_beside_the_verdict():
    scorer = AssistantScorer(DOMAINS)
    told = with_facts(WAKE, "07:30", "2026-03-14")
    trace = gold_play(WAKE).trace()
    mute = trace.model_copy(update={"answer": "All right."})
    half = trace.model_copy(update={"answer": "It rings at 7:30 am."})
    whole = trace.model_copy(update={"answer": "It rings tomorrow at 7:30 am."})
    scores = [scorer.score(told, one) for one in (mute, half, whole)]
    assert [score.facts for score in scores] == [0.0, 0.5, 1.0]
    assert {score.verdict for score in scores} == {"success"}


def test_there_is_no_share_where_there_is_nothing_to_tell():
    assert AssistantScorer(DOMAINS).score(CHAT, gold_play(CHAT).trace()).facts is None
    broken = Play(WAKE).call("intent", None, status="infrastructure")
    assert broken.score().facts is None
