"""Servers that fail on purpose do so while they are told to, and not after."""

import time
from dataclasses import replace
from datetime import datetime

import pytest

from benchmarks.attribution.server_failures import SHORT_SECONDS, FailingServers, Harm, ServerBroken
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute
from ossia_servers.worlds.schema import Refusal


@pytest.mark.parametrize(("harm", "error"), [(Harm.BREAKS, ServerBroken), (Harm.REFUSES, Refusal)])
def test_every_server_fails_while_it_is_told_to_and_not_after(harm, error):
    failing_servers, domains = FailingServers(), load_domains()
    harmed = failing_servers.of(domains)
    assert [domain.name for domain in harmed] == [domain.name for domain in domains]
    with failing_servers.during(harm):
        for domain in harmed:
            for intent in domain.intents:
                with pytest.raises(error):
                    intent.answer(None, None)
    assert failing_servers.harm is None


def test_a_server_that_hangs_answers_when_the_time_is_up(monkeypatch):
    waited = []
    monkeypatch.setattr(time, "sleep", waited.append)
    failing_servers, domains = FailingServers(), load_domains()
    served = replace(
        domains[0], intents=tuple(replace(i, handler=_echo, asks=()) for i in domains[0].intents)
    )
    (harmed,) = failing_servers.of((served,))
    with failing_servers.during(Harm.HANGS):
        assert harmed.intents[0].handler(None, "params") == "params"
    assert harmed.intents[0].handler(None, "params") == "params"
    assert waited == [SHORT_SECONDS]


def test_servers_that_are_not_harmed_ask_back_as_ever():
    alarm = next(domain for domain in FailingServers().of(load_domains()) if domain.name == "alarm")
    store = WorldStore([alarm])
    home = store.create("w", seed="home", now=datetime(2026, 3, 13, 10), home="Austin, Texas")
    assert execute(store, home, alarm, {"intent": "alarm_set"}).record.code == "CLARIFICATION"


def _echo(world, params):
    return params
