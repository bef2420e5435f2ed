"""What a grader gives, and what was stored of it."""

import pytest
from pydantic import ValidationError

from ossia_evaluation.assistant.scorer import AssistantScore
from ossia_evaluation.grade import Fault, Grade, Verdict
from ossia_evaluation.worlds.score import SCORER_VERSION, Score

from .support import WAKE, WAKE_URL, gold_play

VERSION_2 = (
    '{"version":2,"verdict":"failure","reason":"side effect: x","clarification":true,'
    '"outcome":{"expected":[],"missing":["a row"],"unexpected":["x"],"unanswered":[]},'
    '"slots":{"correct":false,"intent_correct":true,"wrong":["time"]},"facts":0.5,'
    '"faults":[{"role":"function call","reason":"wrong"}]}'
)
"""A score as it was stored before there was any other grade, and before the reply was judged."""

VERSION_6 = (
    '{"version":6,"verdict":"success","reason":"the outcome is the gold outcome","acted":true,'
    '"reply":"unread","clarification":false,"outcome":{"expected":["a row"],"missing":[],'
    '"unexpected":[],"unanswered":[]},"slots":null,"facts":null,"faults":[]}'
)


def test_scores_of_before_are_read():
    old = AssistantScore.model_validate_json(VERSION_2)
    assert (old.version, old.verdict, old.acted, old.reply) == (2, Verdict.FAILURE, None, None)
    assert (old.slots.wrong, old.facts, old.side_effects) == (("time",), 0.5, True)
    assert old.failed_roles == {"function call", "request"}
    assert list(old.detail_lines(wanted=True)) == ["missing: a row", "unexpected: x"]
    new = Score.model_validate_json(VERSION_6)
    assert not {"slots", "clarification"} & new.model_dump().keys(), "they are the assistant's"
    with pytest.raises(ValidationError, match="slots"):
        Score.model_validate_json(VERSION_2)
    assert (new.acted, new.reply, new.metrics) == (True, "unread", {})
    assert list(new.detail_lines()) == []
    assert list(new.detail_lines(wanted=True)) == ["expected: a row"]


def test_a_score_is_read_as_it_was_stored():
    late = gold_play(WAKE, until="request").request(WAKE_URL.replace("07", "08")).response("done")
    for score in (gold_play(WAKE).score(), late.score()):
        assert AssistantScore.model_validate_json(score.model_dump_json()) == score
    assert (Score.present_version(), Grade.present_version()) == (SCORER_VERSION, 1)


def test_a_plain_grade_holds_metrics_as_they_are():
    grade = Grade(
        verdict=Verdict.FAILURE,
        reason="told",
        faults=(Fault(role="solver", reason="wrong"),),
        metrics={"passed": False, "edits": 2, "quality": 1.0},
    )
    found = Grade.model_validate_json(grade.model_dump_json())
    assert found == grade
    assert [type(value) for value in found.metrics.values()] == [bool, float, float]
    assert (found.failed_roles, list(found.detail_lines(wanted=True))) == ({"solver"}, [])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "many", None])
def test_what_is_no_number_is_no_metric(value):
    with pytest.raises(ValidationError):
        Grade(verdict=Verdict.SUCCESS, reason="told", metrics={"quality": value})
