"""Equal questions have equal keys, different ones do not, and a tape plays back what it heard."""

import asyncio
import copy

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.gateway import (
    Exchange,
    ModelFailure,
    ReplayModel,
    ScriptedModel,
    Tape,
    Timing,
    ToolUse,
    Usage,
    canonical_request,
    request_key,
)
from ossia_servers.gateway.scripted import Rule, Rules

NAMES = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=6)
SCALARS = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=8)
SCHEMAS = st.dictionaries(NAMES, SCALARS | st.dictionaries(NAMES, SCALARS, max_size=3), max_size=4)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
IDS = st.lists(st.uuids().map(str), min_size=1, max_size=3, unique=True)


@st.composite
def requests(draw):
    messages = [{"role": "system", "content": draw(TEXTS)}]
    for _ in range(draw(st.integers(0, 3))):
        messages.append({"role": "user", "content": draw(TEXTS)})
        ids = draw(IDS)
        calls = [
            {"id": i, "type": "function", "function": {"name": draw(NAMES), "arguments": "{}"}}
            for i in ids
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": i, "content": draw(TEXTS)} for i in ids]
    tools = [
        {"type": "function", "function": {"name": name, "parameters": draw(SCHEMAS)}}
        for name in draw(st.lists(NAMES, max_size=4, unique=True))
    ]
    return {
        "model": f"ossia-{draw(NAMES)}",
        "messages": messages,
        "tools": tools,
        "temperature": draw(st.sampled_from([0, 0.1, 1])),
    }


def key(request):
    return request_key(canonical_request(request))


def shuffled(value, random):
    if isinstance(value, dict):
        items = list(value.items())
        random.shuffle(items)
        return {name: shuffled(inner, random) for name, inner in items}
    if isinstance(value, list):
        return [shuffled(inner, random) for inner in value]
    return value


def renamed_ids(request, prefix):
    names = {}

    def rename(name):
        return names.setdefault(name, f"{prefix}-{len(names)}")

    changed = copy.deepcopy(request)
    for message in changed["messages"]:
        for call in message.get("tool_calls") or ():
            call["id"] = rename(call["id"])
        if "tool_call_id" in message:
            message["tool_call_id"] = rename(message["tool_call_id"])
    return changed


@given(requests(), st.randoms(use_true_random=False), TEXTS)
def test_a_key_does_not_depend_on_order_ids_or_delivery(request, random, prefix):
    changed = shuffled(renamed_ids(request, prefix), random)
    random.shuffle(changed["tools"])
    changed.update(stream=True, stream_options={"include_usage": True}, seed=random.random())
    changed.update(user="someone", metadata={"trace": prefix}, stop=None)
    changed["temperature"] = float(changed["temperature"])
    for message in changed["messages"]:
        if isinstance(message["content"], str) and random.random() < 0.5:
            message["content"] = [{"type": "text", "text": message["content"]}]
        message.setdefault("name", None)
    assert key(changed) == key(request)


@given(requests())
def test_the_canonical_form_is_its_own_canonical_form(request):
    canonical = canonical_request(request)
    assert canonical_request(orjson.loads(canonical)) == canonical


@given(requests(), st.data())
def test_different_content_has_a_different_key(request, data):
    changed = copy.deepcopy(request)
    kind = data.draw(st.sampled_from(["text", "role", "model", "tool", "parameter", "more"]))
    if kind == "text":
        number = data.draw(st.integers(0, len(changed["messages"]) - 1))
        message = changed["messages"][number]
        message["content"] = (message["content"] or "") + "!"
    elif kind == "role":
        changed["messages"][0]["role"] = "user"
    elif kind == "model":
        changed["model"] += "x"
    elif kind == "tool":
        changed["tools"].append({"type": "function", "function": {"name": "one more tool"}})
    elif kind == "parameter":
        changed["max_tokens"] = 12
    else:
        changed["messages"].append({"role": "user", "content": ""})
    assert key(changed) != key(request)


@given(requests())
def test_answers_given_to_other_tool_calls_have_a_different_key(request):
    tools = [m for m in request["messages"] if m["role"] == "tool"]
    if len(tools) < 2:
        return
    changed = copy.deepcopy(request)
    first, second = [m for m in changed["messages"] if m["role"] == "tool"][:2]
    first["tool_call_id"], second["tool_call_id"] = second["tool_call_id"], first["tool_call_id"]
    assert key(changed) != key(request)


def test_several_text_parts_are_not_one_text():
    def with_content(content):
        return {"model": "ossia-x", "messages": [{"role": "user", "content": content}]}

    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert key(with_content(parts)) != key(with_content("ab"))
    marked = [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]
    assert key(with_content(marked)) != key(with_content("a"))


def test_what_is_not_json_has_no_key():
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        canonical_request({"model": object()})


def test_numbers_of_any_size_have_a_key():
    for number in (1e300, -1e300, 2.0**60, 123456789012345678901234567890.0):
        request = {"model": "m", "messages": [], "temperature": number}
        canonical = canonical_request(request)
        assert canonical_request(orjson.loads(canonical)) == canonical


def exchange(text="question", answer="answer", status="ok", **changes):
    values = {
        "seq": 0,
        "role": "intent",
        "model": "openai/gpt-4o",
        "request": {"model": "ossia-intent", "messages": [{"role": "user", "content": text}]},
        "forced": {},
        "response": {"role": "assistant", "content": answer} if answer is not None else None,
        "finish_reason": "stop",
        "usage": Usage(prompt_tokens=3, completion_tokens=2, source="provider"),
        "price_usd": None,
        "status": status,
        "error": None,
        "attempts": 1,
        "streamed": False,
        "timing": Timing(started_s=0, latency_s=0),
    }
    return Exchange(**{**values, **changes})


def test_only_good_answers_are_recorded_and_the_first_stays(tmp_path):
    tape = Tape()
    done = tape.record(
        [
            exchange("one"),
            exchange("two", status="infrastructure", answer=None),
            exchange("two", status="bad_request", answer=None),
            exchange("one", answer="another answer"),
            exchange("one"),
        ]
    )
    assert (done.added, done.known, done.conflicts, done.skipped) == (1, 1, 1, 2)
    assert (len(tape), tape.conflicts) == (1, 1)
    (entry,) = tape.entries
    assert entry.message["content"] == "answer"
    assert entry.model == "openai/gpt-4o"


def test_answers_that_differ_in_ids_only_are_no_conflict():
    def message(name):
        call = {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    tape = Tape()
    done = tape.record([exchange(response=message("a")), exchange(response=message("b"))])
    assert (done.added, done.known, done.conflicts) == (1, 1, 0)


def test_a_tape_survives_its_file_and_equal_tapes_give_equal_files(tmp_path):
    exchanges = [exchange(f"question {n} \u2028 é", answer=f"answer {n}") for n in range(5)]
    one, two = Tape(), Tape()
    one.record(exchanges)
    two.record(reversed(exchanges))
    one.write(tmp_path / "one.jsonl")
    two.write(tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    read = Tape.read(tmp_path / "one.jsonl")
    assert read.entries == one.entries
    assert read.find(exchanges[3].request).message["content"] == "answer 3"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.jsonl", "two.jsonl"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "not a tape of version 1"),
        ('{"ossia_tape": 2}\n', "not a tape of version 1"),
        ("nonsense\n", "not a tape"),
        ('{"ossia_tape":1}\n\n{"key": "x"}\n', "line 3: not a tape entry"),
        (
            '{"ossia_tape":1}\n{"key":"x","request":{"model":"m"},"model":"m","message":{},'
            '"finish_reason":"stop","usage":null}\n',
            "line 2: the key does not belong",
        ),
    ],
)
def test_a_damaged_tape_says_where(tmp_path, text, part):
    file = tmp_path / "tape.jsonl"
    file.write_text(text)
    with pytest.raises(ValueError, match=part):
        Tape.read(file)


def test_a_recorded_episode_replays_with_other_ids_and_misses_are_loud(running, tmp_path):
    rules = Rules(
        rules=(
            Rule(last_role="tool", answer="the date is known"),
            Rule(last="again", answer="again!"),
            Rule(tools=(ToolUse(name="get_date", arguments={}),)),
        )
    )

    async def converse(lab, identity):
        first = await lab.ask("what day is it?", role="time", seed=len(identity))
        message = first.json()["choices"][0]["message"]
        (call,) = message["tool_calls"]
        call["id"] = identity
        history = [
            {"role": "user", "content": "what day is it?"},
            message,
            {"role": "tool", "tool_call_id": identity, "content": "{}"},
        ]
        second = await lab.post({"model": "ossia-time", "messages": history})
        return second.json()["choices"][0]["message"]["content"]

    async def main():
        file = tmp_path / "tape.jsonl"
        async with running(ScriptedModel.from_rules(rules)) as lab:
            assert await converse(lab, "id-1") == "the date is known"
            record = lab.gateway.close("key-1")
            tape = Tape()
            tape.record(record.exchanges)
            tape.write(file)
        async with running(ReplayModel(Tape.read(file))) as lab:
            assert await converse(lab, "other-id-2") == "the date is known"
            missed = await lab.ask("again", role="time")
            assert missed.status_code == 502
            error = missed.json()["error"]
            assert error["type"] == "ossia_tape_miss"
            assert "'again'" in error["message"]
            replayed = lab.gateway.close("key-1")
            assert [e.status for e in replayed.exchanges] == ["ok", "ok", "infrastructure"]
            assert replayed.exchanges[0].model == "replay"
            assert replayed.exchanges[0].usage == record.exchanges[0].usage
            assert replayed.exchanges[0].price_usd is None

    asyncio.run(main())


def test_a_miss_is_a_model_failure():
    from ossia_servers.gateway import ModelCall, TapeMiss

    call = ModelCall("intent", "e", exchange().request)
    with pytest.raises(TapeMiss, match="role intent") as caught:
        asyncio.run(ReplayModel(Tape()).complete(call))
    assert isinstance(caught.value, ModelFailure)
