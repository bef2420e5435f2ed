import pytest

from ossia_servers.flowbench.players import SessionPlayer
from ossia_servers.gateway.models import ModelFailure
from ossia_workflows.flowbench import TeamKind
from tests.servers.flowbench.sessions import RIDE, WHERE, session
from tests.servers.flowbench.talks import MOST_ANSWERS, Services, Talk, play

BOTH = session(RIDE, WHERE, asides=((2, "off_topic"), (4, "refuses")))
GOLD_CALLS = 6


def tables(services):
    return [row["result"]["ride_number"] for row in services.world.rows("ride_service.order_car")]


@pytest.mark.parametrize("kind", TeamKind)
@pytest.mark.parametrize("keeps", [True, False])
def test_gold_reaches_all_goals_by_its_calls_alone(kind, keeps):
    talk, services = play(
        SessionPlayer("gold", {BOTH.id: BOTH}, kind), BOTH, kind=kind, keeps=keeps
    )
    assert len(services.calls) == GOLD_CALLS
    assert tables(services) == ["R-8820"]
    said = "\n".join(turn.answer for turn in talk.turns)
    assert all(fact in said for fact in ("18.75", "KX-311", "0417", "BT-902"))


@pytest.mark.parametrize("kind", TeamKind)
def test_idle_calls_nothing_and_says_that_it_is_done(kind):
    talk, services = play(SessionPlayer("idle", {BOTH.id: BOTH}, kind), BOTH, kind=kind)
    assert services.calls == []
    assert {turn.answer for turn in talk.turns} == {"All is done."}


def test_gold_goes_on_where_a_given_history_ends():
    player = SessionPlayer("gold", {BOTH.id: BOTH}, TeamKind.AGENT)
    whole, _ = play(player, BOTH)
    services = Services(BOTH)
    talk = Talk(player, BOTH, services, keeps=False)
    talk.turns = whole.turns[:5]
    answer = talk.say(whole.turns[5].user)
    assert answer == whole.turns[5].answer
    assert len(services.calls) == 1


def test_after_its_last_turn_gold_only_talks():
    player = SessionPlayer("gold", {BOTH.id: BOTH}, TeamKind.AGENT)
    talk, services = play(player, BOTH)
    talk.say("And one more car!")
    assert talk.turns[-1].answer == "All is done."
    assert len(services.calls) == GOLD_CALLS
    assert talk.asked < MOST_ANSWERS


def test_an_episode_of_another_run_is_refused():
    player = SessionPlayer("gold", {}, TeamKind.AGENT)
    with pytest.raises(ModelFailure, match="no session belongs"):
        play(player, BOTH)


def test_a_session_without_a_gold_run_is_refused():
    broken = BOTH.model_copy(update={"answers": ()})
    broken = broken.model_copy(update={"wishes": (RIDE.model_copy(update={"slots": {}}),)})
    talk = Talk(SessionPlayer("gold", {BOTH.id: broken}, TeamKind.AGENT), BOTH, Services(BOTH))
    with pytest.raises(ModelFailure, match="has no gold run"):
        talk.say(BOTH.utterance)


def test_a_player_of_another_name_is_refused():
    with pytest.raises(ValueError, match="no player"):
        SessionPlayer("silver", {}, TeamKind.AGENT)
