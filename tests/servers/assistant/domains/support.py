"""What the tests of the domain servers share: worlds, requests and the gold runs of tasks."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from hypothesis import strategies as st

import ossia_dataset
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.normalise import RECURRENCES
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW, read_tasks
from ossia_dataset.world_tasks import GoldKind
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import Executed, execute
from ossia_servers.worlds.schema import Kind, Row
from ossia_servers.worlds.world import World
from ossia_workflows.assistant import PLACE_SLOTS, TIME_SLOTS

Pair = tuple[WorldStore, World]


def world(
    now: datetime = DEFAULT_NOW, home: str = DEFAULT_HOME, domains: Sequence[str] | None = None
) -> Pair:
    """Create a world of all domains (or of those named) in memory."""
    chosen = [item for item in load_domains() if domains is None or item.name in domains]
    store = WorldStore(chosen)
    return store, store.create("w", seed="home", now=now, home=home)


def declared(domain: str) -> Domain:
    """Return a domain by name."""
    return next(item for item in load_domains() if item.name == domain)


def ask(pair: Pair, domain: str, **params: str) -> Executed:
    """Send one request to a world; `intent` is one of the parameters."""
    return execute(*pair, declared(domain), params)


def ok(pair: Pair, domain: str, **params: str) -> Executed:
    """Send one request that must succeed."""
    done = ask(pair, domain, **params)
    assert done.record.code == "SUCCESS", done.body
    return done


def rows(pair: Pair, domain: str, **params: str) -> list[Row]:
    """Send one request that must succeed and return the rows of its result."""
    result = ok(pair, domain, **params).record.result
    assert isinstance(result, list)
    return result


def asked_back(pair: Pair, domain: str, **params: str) -> tuple[str, ...]:
    """Send one request that must be answered by a question; return what the question asks for."""
    before = dict(pair[1].overlay)
    done = ask(pair, domain, **params)
    assert done.record.code == "CLARIFICATION", done.body
    assert pair[1].overlay == before
    return tuple(done.body["data"]["clarification"]["missing"])


def refused(pair: Pair, domain: str, **params: str) -> str:
    """Send one request that must be refused and change nothing; return the code."""
    before = dict(pair[1].overlay)
    done = ask(pair, domain, **params)
    assert 400 <= done.status < 500, done.body
    assert pair[1].overlay == before
    return done.record.code


def tasks_of(domain: str) -> tuple[AssistantTask, ...]:
    """Return the test tasks of a domain."""
    folder = Path(ossia_dataset.__file__).parent / "data" / "tasks" / "assistant" / "test"
    return read_tasks(folder / f"{domain}.jsonl", AssistantTask)


def check_frame(task: AssistantTask) -> None:
    """Check that the slots are words of the utterance and that none lacks its normal form."""
    gold = task.gold
    spoken = task.utterance.casefold()
    for name, value in gold.slots.items():
        assert value.casefold() in spoken, f"{task.id}: {name}={value!r} is not in the utterance"
    for exact, kind in ((gold.time, TIME_SLOTS), (gold.place, PLACE_SLOTS)):
        said = (gold.slots.keys() & kind) - set(gold.dropped)
        # "tonight" in the slot of the time names the day as well.
        implied = {"date", "time"} if said & TIME_SLOTS else set()
        assert said <= exact.keys() <= said | implied, f"{task.id}: {said} has {exact}"


def check_gold(task: AssistantTask) -> None:
    """Run a task's gold requests on a fresh world and check what they leave behind."""
    check_frame(task)
    pair = world(task.now, task.home)
    for request in task.setup:
        ok(pair, request.domain, **request.params)
    pair[0].rebase(pair[1])
    want = "CLARIFICATION" if task.gold.kind is GoldKind.CLARIFICATION else "SUCCESS"
    for request in task.gold.gold_requests():
        done = ask(pair, request.domain, **request.params)
        assert done.record.code == want, f"{task.id}: {done.body}"
        if task.gold.kind is GoldKind.ANSWER:
            assert done.record.result is not None, f"{task.id}: the answer rests on nothing"
    changes = pair[1].diff().changes
    assert bool(changes) is (task.gold.kind is GoldKind.CHANGE), f"{task.id}: {changes}"


_WORDS = st.sampled_from(
    "all last next new my list tom mom and with item two stop 'quoted' \" % & ü 名 - . 0 10 éclair"
    " reply forward unread work aunt ruth @ dot at utc plus every day off likes post".split(" ")
)
_TEXTS = st.lists(_WORDS, min_size=1, max_size=4).map(" ".join) | st.text(
    st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12
)
_DAYS = st.dates().map(str)
_DATES = (
    _DAYS
    | st.sampled_from(sorted(RECURRENCES))
    | st.builds(lambda first, last: f"{min(first, last)}..{max(first, last)}", _DAYS, _DAYS)
    | _DAYS.map("{}..".format)
    | _DAYS.map("..{}".format)
)
_CLOCKS = st.times().map(lambda moment: moment.strftime("%H:%M"))
_TIMES = (
    _CLOCKS
    | st.builds("{}..{}".format, _CLOCKS, _CLOCKS)
    | _CLOCKS.map("{}..".format)
    | _CLOCKS.map("..{}".format)
)
_PLACES = (
    st.sampled_from(["here", "tokyo", "Boston, Massachusetts", "atlantis", "a and b"]) | _TEXTS
)
_VALUES = {
    Kind.DATE: _DATES,
    Kind.TIME: _TIMES,
    Kind.PLACE: _PLACES,
    Kind.NUMBER: st.sampled_from(["7", "fifty percent", "-3", "0.5", "1e9", "a dozen"]),
}


def requests_of(name: str) -> st.SearchStrategy[list[dict[str, str]]]:
    """Short sessions of requests to a domain, with any well-formed values."""
    domain = declared(name)
    one = st.fixed_dictionaries(
        {"intent": st.sampled_from([intent.name for intent in domain.intents])},
        optional={field.name: _VALUES.get(field.kind, _TEXTS) for field in domain.fields},
    )
    return st.lists(one, min_size=1, max_size=4)


def check_session(domain: str, session: list[dict[str, str]]) -> None:
    """Serve any requests: each is answered or refused, in JSON, and only writes change state."""
    pair = world()
    for request in session:
        done = ask(pair, domain, **request)
        assert done.status == 200 or 400 <= done.status < 500
        assert done.record.response.strip()
        json.dumps(done.body)
        intent = declared(domain).intent(request["intent"])
        assert intent is not None
        assert intent.writes or not done.record.changes
