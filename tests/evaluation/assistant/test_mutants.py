"""A gold run with one value replaced fails, whatever kind of value it is."""

import pytest

from ossia_servers.worlds.schema import Kind
from tests.evaluation.support import BY_NAME, SCORER, Play, task

GOLD = {
    Kind.TIME: (
        "/alarm?intent=alarm_set&time=07%3A30&date=2026-03-14",
        "/alarm?intent=alarm_set&time=07%3A31&date=2026-03-14",
    ),
    Kind.DATE: (
        "/alarm?intent=alarm_set&time=07%3A30&date=2026-03-14",
        "/alarm?intent=alarm_set&time=07%3A30&date=2026-03-15",
    ),
    Kind.NUMBER: (
        "/currency?intent=qa_currency&currency=usd&currency2=eur&amount=10",
        "/currency?intent=qa_currency&currency=usd&currency2=eur&amount=100",
    ),
    Kind.PLACE: (
        "/weather?intent=weather_query&place_name=Dallas%2C+Texas",
        "/weather?intent=weather_query&place_name=Austin%2C+Texas",
    ),
    Kind.PERSON: (
        "/email?intent=email_sendemail&to_person=sarah&content=see+you+soon",
        "/email?intent=email_sendemail&to_person=sam&content=see+you+soon",
    ),
    Kind.TEXT: (
        "/email?intent=email_sendemail&to_person=sarah&content=i+will+be+there+at+3",
        "/email?intent=email_sendemail&to_person=sarah&content=i+will+be+there+at+4",
    ),
    Kind.NAME: (
        "/lists?intent=lists_createoradd&item_name=soap&list_name=packing",
        "/lists?intent=lists_createoradd&item_name=soap&list_name=shopping",
    ),
}


def test_no_kind_of_the_assistants_servers_is_left_out():
    # The office's texts are kept verbatim; its mutated gold runs are tested with its own prover.
    assert {field.kind for domain in BY_NAME.values() for field in domain.fields} == GOLD.keys()


@pytest.mark.parametrize("kind", GOLD)
def test_a_mutated_gold_run_fails(kind):
    gold, mutant = GOLD[kind]
    domain = BY_NAME[gold[1:].partition("?")[0]]
    intent = gold.partition("intent=")[2].partition("&")[0]
    declared = domain.intent(intent)
    assert declared is not None
    wanted = task(domain.name, intent, "change" if declared.writes else "answer", requests=[gold])
    for url, verdict in ((gold, "success"), (mutant, "failure")):
        play = Play(wanted)
        assert play.http(url)["status"] == 200
        assert SCORER.score(wanted, play.trace(play.requests[0].response)).verdict == verdict
    differing = {f.name for f in domain.fields if f.kind is kind and f"{f.name}=" in gold}
    assert differing
