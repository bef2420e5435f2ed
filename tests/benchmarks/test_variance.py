"""Shares of variance, and where tokens go, on costs whose parts are known."""

import json
from types import SimpleNamespace

import pytest

from benchmarks.split import PARTS, split
from benchmarks.variance import shares
from ossia_servers.gateway.estimates import estimate_usage
from ossia_workflows import load_team
from tests.evaluation.compared import row


def test_a_factor_explains_what_it_multiplies():
    pytest.importorskip("statsmodels")
    idioms = {"a": "router", "a:tools": "tools", "b": "router", "b:tools": "tools"}
    rows = [
        row(
            name,
            f"alarm-{task}",
            "success",
            calls=4**task + place % 2,
            prompt_tokens=1000 * (3 if idioms[name] == "tools" else 1) + place * task,
            completion_tokens=0,
            cpu_s=0.1 * (2 if name.startswith("b") else 1) + place * task / 1000,
        )
        for place, name in enumerate(idioms)
        for task in range(1, 5)
    ]
    found = shares(rows, idioms)
    for cost, factor in (("calls", "task"), ("tokens", "idiom"), ("cpu_s", "framework")):
        assert found[cost][factor] == pytest.approx(1.0, abs=0.03)
        assert sum(found[cost].values()) <= 1.0 + 1e-9


def test_a_run_of_one_idiom_has_no_shares():
    pytest.importorskip("statsmodels")
    rows = [row(name, f"alarm-{n}", "success") for name in ("a", "b") for n in (1, 2)]
    with pytest.raises(ValueError, match="several of each idiom"):
        shares(rows, {"a": "router", "b": "router"})


def exchange(messages, answer, **more):
    request = {"messages": messages, **more}
    response = {"role": "assistant", "content": answer}
    return SimpleNamespace(
        request=request, response=response, usage=estimate_usage(request, response)
    )


def test_the_parts_of_the_tokens_are_told_apart_and_add_up():
    team = load_team("assistant", {"catalogue": "", "home": "dallas"})
    role = team.roles[1]
    said = json.dumps({"domain": "weather", "text": "a sunny day in dallas"})
    exchanges = [
        exchange([{"role": "system", "content": role.prompt}], said, tools=[{"type": "x" * 400}]),
        # Within JSON, and a leaf of it alone.
        exchange(
            [{"role": "user", "content": "Own words. " * 40 + json.dumps({"result": said})}], "done"
        ),
        exchange([{"role": "user", "content": "a sunny day in dallas"}], "done"),
        # As Python shows a text in a dict, with either quote.
        exchange([{"role": "user", "content": str({"a": f"{role.prompt}'\""})}], "done"),
    ]
    trace = SimpleNamespace(gateway=SimpleNamespace(exchanges=exchanges))
    found = split(trace, team, "what is the weather")
    whole = sum(one.usage.total_tokens for one in exchanges)
    assert sum(found.values()) == whole
    assert set(found) == set(PARTS)
    shown = str(f"{role.prompt.strip()}'\"".encode("unicode_escape"), "ascii")
    assert found["ours"] in range(2 * len(role.prompt.strip()) // 4, 2 * len(shown) // 4)
    assert found["schemas"] in range(100, 110)
    assert found["history"] in range(len(said) // 4 + 5, len(said) // 4 + 9)
    assert found["framework"] in range(110, 150)
