"""Compound tasks: the outcome decides, a wider question will do, and blame stays in its round."""

from __future__ import annotations

import pytest

from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.world_tasks import Gold, GoldKind, Part, WorldTask
from ossia_evaluation.assistant.proof import AssistantProver
from ossia_evaluation.assistant.rounds import in_rounds, match_rounds
from ossia_evaluation.grade import Verdict
from ossia_evaluation.steps import read_steps
from ossia_evaluation.worlds.score import Score
from tests.evaluation.support import BY_NAME, DOMAINS, Play, named

RAIN = Part(
    domain="weather",
    intent="weather_query",
    slots={"date": "tomorrow"},
    time={"date": "2026-03-14"},
)
SOAP = Part(
    domain="lists",
    intent="lists_createoradd",
    slots={"item_name": "soap", "list_name": "packing"},
)
WAKE = Part(
    domain="alarm",
    intent="alarm_set",
    slots={"time": "half past seven", "date": "tomorrow"},
    time={"time": "07:30", "date": "2026-03-14"},
)
JOKE = Part(domain="general", intent="general_joke")
RAIN_URL = "/weather?intent=weather_query&date=2026-03-14"
SOAP_URL = "/lists?intent=lists_createoradd&item_name=soap&list_name=packing"
WAKE_URL = "/alarm?intent=alarm_set&time=07%3A30&date=2026-03-14"


def task(*parts: Part, kind: GoldKind = GoldKind.CHANGE) -> WorldTask:
    gold = Gold(domain=parts[0].domain, intent=parts[0].intent, kind=kind, parts=parts)
    return WorldTask(id="compound", suite="assistant-compound", utterance="as told", gold=gold)


def under(part: Part, *, holds: bool) -> Part:
    return part.model_copy(update={"condition": "it rains", "holds": holds})


BOTH = task(SOAP, WAKE)
DRY = task(RAIN, under(SOAP, holds=False), kind=GoldKind.NONE)
WET = task(RAIN, under(SOAP, holds=True))


def rain(play: Play, url: str = RAIN_URL) -> Play:
    play.intent("weather", "weather_query", date="tomorrow").time(date="2026-03-14")
    return play.url(url).request(url)


def soap(play: Play, url: str = SOAP_URL) -> Play:
    play.intent("lists", "lists_createoradd", item_name="soap", list_name="packing")
    return play.url(url).request(url)


def wake(play: Play, time: str = "07:30") -> Play:
    play.intent("alarm", "alarm_set", time="half past seven", date="tomorrow")
    play.time(time=time, date="2026-03-14")
    url = WAKE_URL.replace("07%3A30", time.replace(":", "%3A"))
    return play.url(url).request(url)


def end(play: Play) -> Score:
    play.intent("none", "none").response().manager("finish")
    return play.score()


def reasons(score: Score) -> list[str]:
    return [fault.reason for fault in score.faults]


def test_all_parts_in_any_order_are_a_success() -> None:
    for first, second in ((soap, wake), (wake, soap)):
        score = end(second(first(Play(BOTH))))
        assert score.verdict is Verdict.SUCCESS
        assert score.slots is not None and score.slots.correct


def test_a_part_that_is_passed_over_is_the_intent_roles_fault() -> None:
    score = end(soap(Play(BOTH)))
    assert score.verdict is Verdict.FAILURE
    assert named(score) == ["intent"]
    assert "nothing is left, expected alarm_set" in score.faults[0].reason


def test_what_hangs_on_a_condition_that_does_not_hold_must_not_be_done() -> None:
    assert end(rain(Play(DRY))).verdict is Verdict.SUCCESS
    score = end(soap(rain(Play(DRY))))
    assert score.verdict is Verdict.FAILURE and score.side_effects
    assert reasons(score) == ["predicted lists_createoradd, which was not asked for"]


def test_doing_nothing_without_having_asked_is_a_failure() -> None:
    score = end(Play(DRY))
    assert score.verdict is Verdict.FAILURE
    assert score.outcome.unanswered
    assert named(score) == ["intent"]


def test_what_hangs_on_a_condition_that_holds_must_be_done() -> None:
    assert end(soap(rain(Play(WET)))).verdict is Verdict.SUCCESS
    assert end(rain(Play(WET))).verdict is Verdict.FAILURE
    # The right thing by chance, without having looked, is not enough.
    assert end(soap(Play(WET))).verdict is Verdict.FAILURE


def test_a_wider_question_tells_a_condition_as_well() -> None:
    wide = "/weather?intent=weather_query&date=2026-03-13..2026-03-15"
    assert end(rain(Play(DRY), wide)).verdict is Verdict.SUCCESS
    other = "/weather?intent=weather_query&date=2026-03-16"
    assert end(rain(Play(DRY), other)).verdict is Verdict.FAILURE


def test_a_question_that_is_the_answer_has_to_be_told() -> None:
    asked = task(RAIN, JOKE, kind=GoldKind.ANSWER)
    wide = "/weather?intent=weather_query&date=2026-03-13..2026-03-15"
    words = rain(Play(asked)).requests[0].response
    for url, told, verdict in (
        (RAIN_URL, f"{words} Ha.", Verdict.SUCCESS),
        (wide, f"{words} Ha.", Verdict.SUCCESS),
        (RAIN_URL, "Ha.", Verdict.FAILURE),
    ):
        play = rain(Play(asked), url).intent("general", "general_joke").response(told)
        assert play.manager("finish").score().verdict is verdict


def test_an_empty_question_is_covered_by_one_with_fewer_parameters_only() -> None:
    look = Part(
        domain="lists",
        intent="lists_query",
        slots={"item_name": "soap", "list_name": "packing"},
    )
    one = task(look, under(SOAP, holds=False), kind=GoldKind.NONE)
    for url, verdict in (
        ("/lists?intent=lists_query&list_name=packing", Verdict.SUCCESS),
        ("/lists?intent=lists_query&item_name=towel&list_name=packing", Verdict.FAILURE),
    ):
        play = Play(one).intent("lists", "lists_query", list_name="packing")
        assert end(play.url(url).request(url)).verdict is verdict


def test_a_role_is_judged_within_its_round() -> None:
    score = end(soap(wake(Play(BOTH), time="09:30")))
    assert named(score) == ["time"]
    assert "09:30" in score.faults[0].reason
    wrong = SOAP_URL.replace("soap", "salt")
    assert named(end(wake(soap(Play(BOTH), url=wrong)))) == ["url"]


def test_the_slot_score_takes_each_request_once() -> None:
    later = WAKE.model_copy(
        update={"slots": {**WAKE.slots, "time": "nine am"}, "time": {**WAKE.time, "time": "09:00"}}
    )
    two = task(WAKE, later)
    play = wake(Play(two))
    play.intent("alarm", "alarm_set", time="nine am", date="tomorrow")
    play.time(time="09:00", date="2026-03-14")
    url = WAKE_URL.replace("07%3A30", "09%3A00")
    score = end(play.url(url).request(url))
    assert score.slots is not None and score.slots.correct
    assert score.verdict is Verdict.SUCCESS
    once = end(wake(Play(two)))
    assert once.slots is not None and not once.slots.correct


def test_the_manager_answers_for_the_order_of_the_rounds() -> None:
    play = soap(Play(BOTH)).say("url", {"url": WAKE_URL}).request(WAKE_URL.replace("07", "08"))
    score = end(play)
    assert "manager" in named(score)
    stopped = soap(Play(BOTH)).response("Done.").manager("finish").score()
    assert "called response, expected intent" in reasons(stopped)[0]


def test_rounds_that_a_plan_made_for_nothing_are_idle() -> None:
    play = rain(Play(DRY)).intent("none", "none")
    play.say("url", {"url": ""}).say("request", {"status": 204, "body": {}})
    play.intent("none", "none").response("").manager("finish")
    assert named(play.score(answer="")) == ["response"]


def test_rounds_begin_with_an_intent_and_belong_to_parts() -> None:
    play = wake(rain(Play(BOTH)))
    trace = play.trace()
    steps = read_steps(trace)
    assert [one[0].role for one in in_rounds(steps)] == ["intent", "intent"]
    found = match_rounds(BOTH, trace, steps, BY_NAME, lenient=True)
    assert [case.task.gold.intent for case in found.matched] == ["lists_createoradd", "alarm_set"]
    assert not found.surplus and not found.left_out and not found.concluded


@pytest.mark.parametrize("one", [BOTH, DRY, WET], ids=["both", "dry", "wet"])
def test_sound_tasks_of_several_parts_are_proven(one: WorldTask) -> None:
    proof = AssistantProver(DOMAINS).prove(one)
    assert proof.problems == ()
    assert proof.surviving == ()
    assert proof.mutants > len(proof.idle)


def test_parts_that_make_no_difference_are_found() -> None:
    idle = task(RAIN, under(RAIN, holds=False), kind=GoldKind.NONE)
    twice = task(SOAP, under(WAKE, holds=True), RAIN, RAIN)
    for wrong, message in (
        (idle, "all is done although 'it rains' does not hold"),
        (twice, "part 3 is left out"),
    ):
        assert any(message in problem for problem in AssistantProver(DOMAINS).prove(wrong).problems)


@pytest.mark.slow
def test_the_built_in_tasks_are_proven() -> None:
    prover = AssistantProver(DOMAINS)
    for one in assistant_tasks("test", "assistant-compound"):
        assert prover.prove(one).proven, one.id
