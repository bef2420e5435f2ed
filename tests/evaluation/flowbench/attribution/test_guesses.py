"""What somebody is known to know although no call has found it out."""

import pytest

from ossia.suites import find_suite
from ossia_evaluation.flowbench.attribution.course import Course
from ossia_evaluation.flowbench.attribution.guesses import note_guesses
from ossia_evaluation.flowbench.attribution.owed import Owing, State
from ossia_evaluation.flowbench.gold import shipped_golds
from ossia_evaluation.flowbench.trajectory import gold_call
from ossia_servers.flowbench.script import gold_turns
from ossia_servers.trace import UserTurn
from ossia_workflows.flowbench import role_scenarios


@pytest.mark.parametrize(
    ("name", "finds", "needs", "known_by"),
    [
        ("mail-response-06", "next_mail", "send_reply", "a call"),
        ("attendance-anomaly-detection-02", "find_anomaly", "enter_leave", "words"),
    ],
)
@pytest.mark.parametrize("knows", [True, False])
def test_who_shows_to_know_what_no_call_found_out_owes_the_call_that_needs_it(
    name, finds, needs, known_by, knows
):
    session = next(each for each in find_suite("flowbench").tasks("test") if each.id == name)
    golds = shipped_golds()
    owing, state, course = Owing(session, golds), State(), Course(session, golds)
    tells, said, owed = golds.tells(session), list[UserTurn](), set[str]()
    for turn in gold_turns(session, role_scenarios(session.role), owing.visits):
        due = course.stage.due
        made = [gold_call(each) for each in turn.calls if knows and each.tool not in (finds, needs)]
        words = turn.answer if knows else "There is nothing."
        note_guesses(
            owing, state, due, made, lambda fact, value, words=words: tells(words, fact, value)
        )
        owed |= {call.name for _, call in owing.of(course.stage, state).calls}
        for call in made:
            owing.take(call, state)
        said.append(UserTurn(user=turn.user, answer=turn.answer))
        course.hear(said)
    assert (needs in owed) is knows, known_by
