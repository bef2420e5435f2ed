"""What intents declare to need is what their handlers need: found out by leaving things out."""

from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from ossia_dataset.assistant.auto_slurp.asking import asks_back
from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import WorldTask
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.execute import Executed, execute
from ossia_servers.worlds.needs import needs_data, needs_of, needs_text
from ossia_servers.worlds.schema import Ask, Asked, Field, Kind

from .support import declared, tasks_of, world

INTENTS = [
    pytest.param(domain, intent, id=intent.name)
    for domain in load_domains()
    for intent in domain.intents
]
NEEDING = [given for given in INTENTS if given.values[1].asks or given.values[1].required]


@cache
def gold_of(domain: str, intent: str) -> tuple[tuple[WorldTask, Request], ...]:
    """The tasks whose gold run has a request for an intent, with this request."""
    return tuple(
        (task, request)
        for task in tasks_of(domain)
        for request in task.gold.gold_requests()
        if request.params["intent"] == intent
    )


def without(request: Request, *names: str) -> dict[str, str]:
    return {name: text for name, text in request.params.items() if name not in names}


def answered(task: WorldTask, domain: Domain, given: Mapping[str, str]) -> Executed:
    """Send one request to a fresh world in which the task begins."""
    pair = world(task.now, task.home)
    for request in task.setup:
        execute(*pair, declared(request.domain), request.params)
    pair[0].rebase(pair[1])
    return execute(*pair, domain, given)


def missing(done: Executed) -> frozenset[str]:
    """What an answer asks for; empty where it asks nothing."""
    data = done.body["data"] or {}
    return frozenset(data.get("clarification", {}).get("missing", ()))


def named(ask: Ask) -> frozenset[str]:
    return frozenset(ask.missing or ask.any_of)


def tried(domain: Domain, intent: Intent) -> Iterator[tuple[WorldTask, dict[str, str]]]:
    """Gold requests, as they are and with one parameter left out each."""
    for task, request in gold_of(domain.name, intent.name):
        yield task, dict(request.params)
        for name in sorted(request.params.keys() - {"intent"}):
            yield task, without(request, name)


@pytest.mark.parametrize(("domain", "intent"), NEEDING)
def test_what_is_declared_is_needed(domain: Domain, intent: Intent) -> None:
    golds = gold_of(domain.name, intent.name)
    assert golds
    questions = [ask for ask in intent.asks if ask.when is not Asked.MAYBE]
    seen = set()
    for task, request in golds:
        for group in intent.required:
            done = answered(task, domain, without(request, *group))
            assert done.record.code == "MISSING_PARAMETER"
            assert all(f"'{name}'" in done.record.response for name in group)
        for ask in questions:
            done = answered(task, domain, without(request, *ask.any_of, *ask.unless))
            if ask.when is Asked.LATER and done.record.code in ("NOT_FOUND", "CONFLICT"):
                # What the request is about does not exist, or the world forbids it.
                continue
            earlier = questions[: questions.index(ask) + 1]
            assert any(named(each) <= missing(done) for each in earlier), done.body
            seen |= {each for each in earlier if named(each) <= missing(done)}
    assert seen == set(questions)


def example(domain: Domain, intent: Intent, field: Field) -> str:
    """A value of a parameter as gold requests have it, those of the intent before others."""
    if field.kind is Kind.TIME:
        # A range leaves open at what time something rings.
        return "18:30"
    others = [gold_of(domain.name, other.name) for other in domain.intents]
    for _, request in (
        pair for golds in [gold_of(domain.name, intent.name), *others] for pair in golds
    ):
        if field.name in request.params:
            return request.params[field.name]
    return field.example or "one"


@pytest.mark.parametrize(("domain", "intent"), NEEDING)
def test_a_parameter_alone_is_enough_or_is_not_as_declared(domain: Domain, intent: Intent) -> None:
    for ask in [ask for ask in intent.asks if ask.when is not Asked.MAYBE][:1]:
        for field in domain.fields:
            given = {"intent": intent.name, field.name: example(domain, intent, field)}
            done = execute(*world(), domain, given)
            asked = named(ask) <= missing(done)
            if field.name in ask.any_of:
                assert not asked, (given, done.body)
            elif field.name not in ask.unless:
                refused = ask.when is Asked.LATER and done.record.code == "NOT_FOUND"
                assert asked or refused, (given, done.body)


@pytest.mark.slow
@pytest.mark.parametrize(("domain", "intent"), INTENTS)
def test_nothing_else_is_asked_for(domain: Domain, intent: Intent) -> None:
    for task, given in tried(domain, intent):
        asked = missing(answered(task, domain, given))
        assert not asked or any(named(ask) <= asked for ask in intent.asks), (given, asked)


@pytest.mark.slow
@pytest.mark.parametrize(("domain", "intent"), INTENTS)
def test_what_is_not_declared_may_be_left_out(domain: Domain, intent: Intent) -> None:
    of_use = {name for group in intent.required for name in group}
    of_use |= {name for ask in intent.asks for name in (*ask.any_of, *ask.unless)}
    for task, request in gold_of(domain.name, intent.name):
        asked = missing(answered(task, domain, request.params))
        for name in request.params.keys() - {"intent"} - of_use:
            done = answered(task, domain, without(request, name))
            assert asked or not missing(done), (name, done.body)
            assert done.record.code != "MISSING_PARAMETER"


@pytest.mark.parametrize(("domain", "intent"), INTENTS)
def test_an_intent_that_declares_nothing_does_without(domain: Domain, intent: Intent) -> None:
    done = execute(*world(), domain, {"intent": intent.name})
    sure = [ask for ask in intent.asks if ask.when is not Asked.MAYBE]
    expected = "CLARIFICATION" if sure else "SUCCESS"
    assert done.record.code == ("MISSING_PARAMETER" if intent.required else expected)


@pytest.mark.parametrize(("domain", "intent"), INTENTS)
def test_where_the_importer_sees_a_question_one_is_declared(domain: Domain, intent: Intent) -> None:
    if asks_back(Request(domain=domain.name, params={"intent": intent.name})):
        assert any(ask.when is not Asked.MAYBE for ask in intent.asks)


def test_a_parameter_that_no_domain_has_cannot_be_needed() -> None:
    def handle(world: object, params: object) -> None:
        raise AssertionError

    ask = Ask("Where?", ("spot",))
    for needs in ({"required": (("spot",),)}, {"asks": (ask,)}):
        with pytest.raises(ValueError, match="park needs 'spot', which parking lacks"):
            Domain("parking", "", (), (Intent("park", "", handle, True, **needs),))


def test_needs_are_told_in_words() -> None:
    intents = {intent.name: intent for domain in load_domains() for intent in domain.intents}
    told = {name: needs_of(intent) for name, intent in intents.items()}
    assert told["calendar_query"] == ""
    assert told["music_settings"] == "needs 'player_setting', 'descriptor' or 'query'"
    assert told["calendar_set"] == (
        "asks back unless 'date', 'time', 'from_time' or 'to_time' comes or the words of"
        " 'descriptor' say enough"
    )
    assert told["transport_taxi"] == "may ask for 'time', 'to_place_name' or 'date'"
    text = needs_text(load_domains())
    assert f"/social social_post: {told['social_post']}\n" in text
    assert "calendar_query" not in text


def test_needs_are_told_as_data() -> None:
    intents = {intent.name: intent for domain in load_domains() for intent in domain.intents}
    assert needs_data(intents["calendar_query"]) == {"required": [], "asks": []}
    assert needs_data(intents["social_post"])["asks"] == [
        {"question": "What shall I post?", "any_of": ["content"], "unless": [], "always": True}
    ]
    assert needs_data(intents["qa_factoid"])["required"] == [
        ["content", "definition_word", "query"]
    ]
