"""The noisy model: how often it errs, that it always errs alike, and that nothing else changes."""

import json
from itertools import groupby

import pytest

from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline import OfflineModel, compound
from ossia_servers.assistant.offline.faults import Catalogue, FaultMaker
from ossia_servers.assistant.offline.noise import Noise
from ossia_servers.assistant.offline.opening import open_offline
from ossia_servers.gateway import open_model
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.results import read_results
from ossia_workflows import load_team
from ossia_workflows.assistant import role_output

from .scenes import ORDER, STEPS, captured, request, tool

FAULTS = FaultMaker(Catalogue.of(load_domains()))
MODEL = OfflineModel.load()
HTTP = tool("http_request", "method", "url")


def noisy(probability, seed=0):
    return MODEL.with_hook(Noise(FAULTS, probability, seed))


def sentence(number):
    return f"wake me up at {number % 12 + 1} on friday in dallas with label {number}"


def member(role, number, *, extra=()):
    """A request to a member of the team, with everything that came before it."""
    turns = STEPS[: ORDER.index(role)] if role in ORDER else ()
    return request(role, *turns, *extra, utterance=sentence(number), tools=[HTTP])


def test_without_noise_nothing_errs():
    quiet = noisy(0.0)
    for role in ("manager", *ORDER):
        assert quiet.complete(member(role, 1)) == MODEL.complete(member(role, 1))


@pytest.mark.slow
@pytest.mark.parametrize("role", ["intent", "time", "location", "url", "request", "response"])
def test_a_role_errs_about_as_often_as_told(role):
    model, count = noisy(0.2, seed=5), 300
    wrong = sum(
        model.complete(member(role, number)) != MODEL.complete(member(role, number))
        for number in range(count)
    )
    # A binomial of 300 draws with 0.2 lies between 30 and 95 but for one case in 10,000.
    assert 30 <= wrong <= 95


def test_errors_follow_from_seed_sentence_role_and_turn_alone():
    for role in ("manager", *ORDER):
        for number in range(20):
            body = member(role, number)
            assert noisy(0.5, 3).complete(body) == noisy(0.5, 3).complete(body)
    three = [noisy(0.5, 3).complete(member("intent", n)) for n in range(40)]
    four = [noisy(0.5, 4).complete(member("intent", n)) for n in range(40)]
    assert three != four


@pytest.mark.parametrize("role", ["intent", "time", "location", "url"])
def test_every_envelope_carries_the_same_error(role):
    """The same situation phrased as messages, and as one text of another framework."""
    model = noisy(1.0, 7)
    for number in range(10):
        as_messages = member(role, number)
        turns = STEPS[: ORDER.index(role)]
        lines = "\n".join(f"{name}: {json.dumps(value)}" for name, value in turns)
        text = f"The user says: {json.dumps(sentence(number))}\n{lines}"
        as_text = {
            "model": f"ossia-{role}",
            "messages": [{"role": "user", "content": text}],
            "tools": [HTTP],
        }
        said = [model.complete(body)["content"] for body in (as_messages, as_text)]
        assert said[0] == said[1] != MODEL.complete(as_messages)["content"]


def test_a_workers_envelope_stays_whole():
    for name, body in captured("camel"):
        content = noisy(1.0, 2).complete(body).get("content")
        right = MODEL.complete(body).get("content")
        if right and right.startswith('{"content"'):
            assert set(json.loads(content)) == {"content", "failed"}, name


def test_a_request_may_be_claimed_altered_or_doubled():
    seen = set()
    for number in range(60):
        body = member("request", number)
        right = MODEL.complete(body)["tool_calls"][0]["function"]["arguments"]
        first = noisy(1.0, 1).complete(body)
        if first["content"] is not None:
            assert role_output("request", first["content"])["status"] == 200
            seen.add("claimed")
            continue
        asked = first["tool_calls"][0]["function"]["arguments"]
        answered = _after_calls(body, 1)
        second = noisy(1.0, 1).complete(answered)
        if asked != right:
            seen.add("altered")
            assert second["content"] is not None
        else:
            seen.add("doubled")
            assert second["tool_calls"][0]["function"]["arguments"] == right
            assert noisy(1.0, 1).complete(_after_calls(body, 2))["content"] is not None
    assert seen == {"claimed", "altered", "doubled"}


def _after_calls(body, count):
    answer = json.dumps({"status": 200, "body": {"code": "SUCCESS"}})
    turns = []
    for number in range(count):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "http_request"}}
        turns.append({"role": "assistant", "content": None, "tool_calls": [call]})
        turns.append({"role": "tool", "tool_call_id": f"c{number}", "content": answer})
    return {**body, "messages": [*body["messages"], *turns]}


def test_a_manager_errs_and_never_leaves_the_names_on_offer():
    chosen = set()
    for number in range(40):
        spoken = STEPS[: number % 5 + 1]
        body = request("manager", *spoken, utterance=sentence(number))
        names = ", ".join(ORDER)
        body["messages"].append(
            {"role": "system", "content": f"select the next role from [{names}] to play."}
        )
        choice = noisy(1.0, number).complete(body)["content"]
        assert choice in ORDER
        assert choice != MODEL.complete(body)["content"]
        chosen.add(choice)
    assert len(chosen) > 2


def test_a_plan_made_at_once_errs_too_but_is_never_empty():
    bodies = [body for name, body in captured("camel") if "decompose" in name]
    assert bodies
    for body in bodies:
        plans = {noisy(0.4, seed).complete(body)["content"] for seed in range(30)}
        assert len(plans) > 5
        assert all("<task>" in plan for plan in plans)


def test_a_repeated_turn_draws_anew():
    """A role that is asked again does not have to make the same error again."""
    model = noisy(0.5, 1)
    fates = set()
    for number in range(40):
        first = model.complete(member("url", number))["content"]
        again = model.complete(member("url", number, extra=[("url", {"url": "/alarm?x=1"})]))
        right = MODEL.complete(member("url", number))["content"]
        fates.add((first == right, again["content"] == right))
    assert fates == {(True, True), (True, False), (False, True), (False, False)}


def test_the_gateway_opens_a_noisy_model_by_name():
    model = open_model("offline:noise=1.0,seed=3", offline=open_offline)
    assert model.name == "offline:noise=1.0,seed=3"
    assert read_results([MODEL.complete(request("intent"))["content"]]).intent is not None


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_noise_that_is_no_probability_is_refused(probability):
    with pytest.raises(ValueError, match="not a probability"):
        Noise(FAULTS, probability, 0)


@pytest.mark.parametrize("seed", range(6))
def test_a_manager_does_not_err_alike_in_every_round(seed):
    """Otherwise one error, such as calling the same role again, would never end."""
    team = load_team("assistant-compound", {"catalogue": "", "home": "Boston"})
    said = "set an alarm for seven and then play some jazz and then tell me a joke"
    model, spoken = noisy(0.3, seed), []
    for _ in range(24):
        body = request("manager", *spoken, utterance=said, system=team.role("manager").prompt)
        assert compound.applies(read_conversation(body, MEMBERS))
        choice = model.complete(body)["content"]
        if choice not in ORDER:
            break
        spoken.append((choice, dict(STEPS).get(choice, "It is done.")))
    again = [len(list(group)) for _, group in groupby(role for role, _ in spoken)]
    assert max(again, default=1) < 5
