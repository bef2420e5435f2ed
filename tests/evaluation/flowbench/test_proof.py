"""The proof of sessions."""

import pytest

from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.flowbench.sessions import SUITE, SessionTask
from ossia_evaluation.flowbench.gold import GoldRuns
from ossia_evaluation.flowbench.proof import check_scenarios, check_sessions, prove_session
from ossia_servers.flowbench.services import gold_service, role_domains, scenarios
from ossia_servers.flowbench.walk import walk

GOLDS = GoldRuns(scenarios(), lambda task: walk(task, scenarios(), gold_service(task)))


@pytest.fixture(scope="module")
def sessions():
    return load_set("test", builtin_folder(SUITE), SessionTask)


def test_scenarios_are_free_of_findings_and_their_forms_equal():
    assert [*check_scenarios(scenarios())] == [
        ("51 scenarios without a finding, 4 forms equal", True)
    ]


def test_some_sessions_are_proven(sessions):
    some = sessions[::40]
    (line,) = check_sessions("some", some, GOLDS, role_domains(some))
    assert line.sound
    assert line.text.startswith(f"some: {len(some)} of {len(some)} sessions proven")


def test_a_session_whose_answers_lead_nowhere_is_not_proven(sessions):
    lost = sessions[0].model_copy(update={"answers": sessions[0].answers[1:] or ()})
    found = prove_session(lost, GOLDS, role_domains([lost]))
    assert not found.proven


def test_a_session_with_a_move_too_many_is_not_proven(sessions):
    session = next(each for each in sessions if each.wishes[0].moves)
    wish = session.wishes[0]
    more = wish.model_copy(update={"moves": (*wish.moves, wish.moves[-1])})
    lost = session.model_copy(update={"id": "lost", "wishes": (more, *session.wishes[1:])})
    assert not prove_session(lost, GOLDS, role_domains([lost])).proven
