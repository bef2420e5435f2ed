"""Fault plans: what they say, how they are read, and which calls they hit."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from ossia_servers.stress.builtin import AGENTCHAOS, PLANS
from ossia_servers.stress.kinds import GROUPS, KINDS
from ossia_servers.stress.plan import MOST_FAULTS, Aim, read_fault
from ossia_servers.stress.reading import read_plan

DOCS = Path(__file__).parents[3] / "docs/stress.md"


@pytest.mark.parametrize(
    "key",
    [
        "empty",
        "server-error:burst",
        "slow:sometimes=0.3@manager",
        "lost-answer@tool=http_request@first",
        "empty:always@role=intent@role=url@last",
    ],
)
def test_a_fault_is_read_from_its_key(key):
    assert read_fault(key).key == key


def test_the_order_of_roles_makes_no_other_fault():
    assert read_fault("empty@last@role=url@role=intent") == read_fault(
        "empty@role=intent@role=url@last"
    )


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["emty"], "'emty': there is no fault 'emty': empty?"),
        (["xyz"], "'xyz': there is no fault 'xyz'; docs/stress.md lists them"),
        (["empty:twice"], "'empty:twice': there is no dose 'twice'; known are once, burst, "),
        (["empty:sometimes"], "only the dose `sometimes` has a probability, which it needs"),
        (["empty:sometimes=2"], "p: Input should be less than 1"),
        (["empty:sometimes=nan"], "p: Input should be "),
        (["empty@nowhere"], "there is no place 'nowhere'; known are manager, member, role=NAME,"),
        (["empty@first@last"], "'empty@first@last' names two places of the same kind"),
        (["empty@role=a b"], "place: 'a b' is not the name of a role or a tool"),
        (["quick@manager"], "strikes a service, not a role"),
        (["seed=3"], "names no fault"),
        (["empty", "seed=x"], "the seed is not a whole number: 'x'"),
        (["empty", "seed=1", "seed=2"], "two seeds are named"),
        (["gone.toml"], "gone.toml cannot be read: No such file or directory"),
        (["gone.toml", "empty"], "a plan in a file cannot be combined"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(texts, told):
    with pytest.raises(ValueError, match=re.escape(told)) as caught:
        read_plan(texts)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, ValidationError)


def test_plans_and_faults_are_laid_together_each_fault_once():
    plan = read_plan(["quick", "empty", "cut:burst", "seed=7"])
    assert (plan.name, plan.seed) == ("quick,empty,cut:burst", 7)
    assert [fault.key for fault in plan.faults] == [*PLANS["quick"], "cut:burst"]
    always = read_plan(["quick:always@first"])
    assert {fault.key for fault in always.faults} == {f"{k}:always@first" for k in PLANS["quick"]}


def test_a_plan_is_read_from_a_file(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(
        'version = 1\nname = "mine"\nseed = 4\nslow_seconds = 0.1\nfaults = ["empty@last",'
        ' {kind = "slow", dose = "sometimes", p = 0.5, place = {who = "member"}}]\n'
    )
    plan = read_plan([str(path)])
    assert [fault.key for fault in plan.faults] == ["empty@last", "slow:sometimes=0.5@member"]
    assert (plan.name, plan.seed, plan.slow_seconds, plan.call_seconds) == ("mine", 4, 0.1, None)
    for damaged in (
        'version = 2\nname = "x"\nfaults = ["empty"]',
        'name = "x"\nfaults = []',
        'name = "x"\nfaults = ["empty"]\ncolour = "red"',
        'name = "x"\nfaults = ["empty", "empty"]',
        "name =",
        'name = "x"\nfaults = ["em\\npt\\u001b[2J"]',
        f"name = {'[' * 5000}{']' * 5000}",
    ):
        path.write_text(damaged)
        with pytest.raises(ValueError, match=r"plan\.toml") as caught:
            read_plan([str(path)])
        assert str(caught.value).isprintable()


def test_a_plan_of_very_many_faults_is_refused_before_they_are_compared(tmp_path):
    path = tmp_path / "plan.toml"
    faults = [f"empty:sometimes=0.{n:06}" for n in range(1, MOST_FAULTS + 1)]
    path.write_text(f'name = "x"\nfaults = {faults}\n')
    assert len(read_plan([str(path)]).faults) == MOST_FAULTS
    path.write_text(f'name = "x"\nfaults = {[*faults, "slow"]}\n')
    with pytest.raises(ValueError, match=f"at most {MOST_FAULTS} items"):
        read_plan([str(path)])


def test_doses_and_moments_say_which_calls_are_hit():
    def hit(key, calls=10):
        aim = Aim(read_fault(key), 0, "task", calls)
        return [number for number in range(12) if aim.hits(number)]

    assert hit("empty@first") == [0]
    assert hit("empty@second") == [1]
    assert hit("empty@middle") == [5]
    assert hit("empty@last") == [9]
    assert hit("empty:burst@third") == [2, 3, 4]
    assert hit("empty:always") == [*range(12)]
    assert hit("empty:always@last") == [9, 10, 11]
    (drawn,) = hit("empty")
    assert 0 <= drawn < 10
    assert 0 < len(hit("empty:sometimes=0.3")) < 12
    assert hit("empty:sometimes=0.3") == hit("empty:sometimes=0.3")


def test_the_drawn_call_spreads_over_tasks_and_seeds():
    def drawn(task, seed):
        return Aim(read_fault("empty"), seed, task, 8).start

    assert {drawn(f"task-{n}", 0) for n in range(80)} == {*range(8)}
    assert {drawn("task-1", seed) for seed in range(80)} == {*range(8)}


TYPES = ("error", "timeout", "empty", "truncate", "corrupt", "schema")
PUBLISHED = {
    *(
        f"{target}_{kind}_{strategy}"
        for target in ("llm", "tool")
        for kind in TYPES
        for strategy in ("single", "persistent", "intermittent", "burst")
    ),
    *(
        f"compound_{name}"
        for name in (
            *("api_degradation", "content_filter", "max_tokens", "proxy_html"),
            *("stale_cache", "stale_data", "wrong_entity", "slow_response"),
        )
    ),
    *(
        f"llm_{kind}_pos_{place}"
        for kind in ("error", "timeout", "schema")
        for place in ("early", "mid", "late")
    ),
}


def test_every_published_configuration_of_agentchaos_is_one_of_ours():
    assert len(PUBLISHED) == 65
    assert {*AGENTCHAOS} == PUBLISHED
    keys = {fault.key for fault in read_plan(["agentchaos"]).faults}
    assert {*AGENTCHAOS.values()} == keys


def test_the_documentation_tells_every_kind_and_every_published_configuration():
    text = DOCS.read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|$", text, re.MULTILINE))
    assert rows == dict(AGENTCHAOS)
    kinds = dict(re.findall(r"^\| `([a-z0-9-]+)` \| ([^|]+) \|$", text, re.MULTILINE))
    assert kinds == {name: kind.what for name, kind in KINDS.items()}
    assert all(f"**{group}**" in text for group in GROUPS)


def test_the_full_plan_holds_every_kind():
    assert {fault.kind for fault in read_plan(["full"]).faults} == {*KINDS}
    assert len(PLANS["quick"]) >= 12
