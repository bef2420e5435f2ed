"""Reading addresses and steps out of whatever a team leaves behind."""

from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.tasks import Request
from ossia_evaluation.assistant.outputs import last_output, output_of
from ossia_evaluation.steps import read_steps
from ossia_evaluation.urls import read_url

from .support import WAKE, Play

words = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
roles = st.sampled_from(["manager", "intent", "time", "location", "url", "request", "response"])
calls = st.lists(
    st.tuples(roles, st.text(max_size=20), st.booleans(), st.sampled_from(["ok", "budget"])),
    max_size=14,
)


@given(st.dictionaries(words, words, max_size=5))
def test_the_address_of_a_request_is_read_back(params):
    params = {"intent": "alarm_set", **params}
    assert read_url(Request(domain="alarm", params=params).url) == ("alarm", params)


@given(st.text(max_size=60))
def test_any_text_can_be_read_as_an_address(text):
    domain, params = read_url(text)
    assert isinstance(domain, str)
    assert all(isinstance(value, str) for value in params.values())


def test_an_address_with_a_host_is_read_like_a_path():
    assert read_url(" http://127.0.0.1:80/alarm?intent=x&time=07%3A30 ") == (
        "alarm",
        {"intent": "x", "time": "07:30"},
    )
    assert read_url("http://[broken") == ("", {})


@given(calls)
def test_every_call_belongs_to_one_step(moves):
    play = Play(WAKE)
    for role, text, after_tool, status in moves:
        play.call(role, text, after_tool=after_tool, status=status)
    steps = read_steps(play.trace())
    found = sorted(exchange.seq for step in steps for exchange in step.exchanges)
    assert found == list(range(len(moves)))
    assert [step.index for step in steps] == list(range(len(steps)))
    assert len({step.situation for step in steps}) == len(steps)
    for step in steps:
        assert {exchange.role for exchange in step.exchanges} == {step.role}
        assert step.role != "manager" or len(step.exchanges) == 1


def test_a_role_that_calls_its_tool_has_one_step():
    play = Play(WAKE).request("/alarm?intent=alarm_query", "/alarm?intent=alarm_query")
    step = read_steps(play.trace())[-1]
    assert (step.role, len(step.exchanges)) == ("request", 3)
    assert [call["name"] for call in step.tool_calls] == ["http_request", "http_request"]
    assert output_of(step) is not None
    assert output_of(step)["status"] == 200


def test_a_role_that_is_handed_the_talk_again_begins_another_step():
    play = Play(WAKE)
    for role in ("intent", "time", "intent"):
        play.manager(role)
        handed = f"Transferred to {role}. Adopt persona immediately."
        play.call(role, None, tool=("get_date", {}), after_tool=True, given=handed)
        play.call(role, "It is so.", after_tool=True, given="2026-03-13")
    steps = read_steps(play.trace())
    told = [step.role for step in steps if step.role != "manager"]
    assert told == ["intent", "time", "intent"]
    assert [len(step.exchanges) for step in steps] == [1, 2, 1, 2, 1, 2]


def test_an_answer_that_a_role_gives_by_a_tool_is_what_it_says():
    play = Play(WAKE).call("response", None, tool=("final_answer", {"answer": "It is done."}))
    (step,) = read_steps(play.trace())
    assert step.text == "It is done."


def test_the_last_readable_answer_before_a_step_counts():
    play = Play(WAKE).intent("alarm", "alarm_query").url("/alarm?intent=alarm_query")
    play.intent("alarm", "alarm_set").say("intent", "I am lost.")
    steps = read_steps(play.trace())
    url = next(step for step in steps if step.role == "url")
    assert (last_output(steps, "intent", url) or {})["intent"] == "alarm_query"
    assert (last_output(steps, "intent") or {})["intent"] == "alarm_set"
    assert last_output(steps, "time") is None
