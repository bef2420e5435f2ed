"""Whatever the words, house and media servers answer or refuse, and repeat themselves exactly."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import Executed, execute
from ossia_servers.worlds.schema import Kind

from .support import world

NAMES = ("audiobook", "game", "iot", "music", "podcasts", "radio")
SPOKEN = (
    "the next previous last first song episode chapter station kitchen upstairs light lights lamp"
    " red dark brighter down fifty percent half two 97 97.1 fm point off on mute all my this it"
    " one again repeat shuffle not stop play after queue favorite most played newest nineties jazz"
    " playlist by from queen adele dune radio podcast audiobook game cups of strong usual cancel"
).split()
PHRASES = st.lists(st.sampled_from(SPOKEN), min_size=1, max_size=5).map(" ".join)
DATES = st.sampled_from(["2026-03-13", "2026-03-14", "2026-03-01", "every day", "2026-03-14.."])
TIMES = st.sampled_from(["10:00", "09:00", "18:30", "..11:00", "18:00..22:00", "22:00..06:00"])
KINDS = {Kind.DATE: DATES, Kind.TIME: TIMES}


@st.composite
def requests(draw: st.DrawFn, domain: Domain) -> dict[str, str]:
    names = draw(st.lists(st.sampled_from([item.name for item in domain.fields]), unique=True))
    words = st.one_of(PHRASES, st.text(min_size=1, max_size=30))
    params = {
        item.name: draw(KINDS.get(item.kind, words)) for item in domain.fields if item.name in names
    }
    return {"intent": draw(st.sampled_from([item.name for item in domain.intents])), **params}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_any_text_is_answered_or_refused(name: str, data: st.DataObject) -> None:
    domain = next(item for item in load_domains() if item.name == name)
    asked = data.draw(st.lists(requests(domain), min_size=1, max_size=3))
    first = [run.body for run in _run(domain, asked)]
    assert [run.body for run in _run(domain, asked)] == first
    for body in first:
        assert body["msg"]
        if body["data"] is not None:
            assert body["data"]["response"]


def _run(domain: Domain, asked: list[dict[str, str]]) -> list[Executed]:
    pair = world(domains=NAMES)
    return [execute(*pair, domain, params) for params in asked]
