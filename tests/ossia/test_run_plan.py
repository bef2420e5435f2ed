"""The plan of a run: what decides it, and what makes no other run."""

import shutil
from dataclasses import replace

import pytest

from ossia import run_plan
from ossia.adapters import sdk_project
from ossia.errors import UserError
from ossia.run_plan import Wish, plan_run
from ossia.suites import find_suite
from ossia.tasks import Choice
from ossia_servers.gateway import Budget

LLAMA, MISTRAL = "ollama/llama3", "ollama/mistral"


def plan(home, frameworks=("control",), models=("offline",), choice=None, **other):
    wish = Wish(
        frameworks=tuple(frameworks),
        suite="assistant",
        tasks="test",
        models=tuple(models),
        repeats=1,
        budget=Budget(calls=60, tokens=400_000, seconds=180.0),
        choice=choice or Choice(limit=4),
        **other,
    )
    return plan_run(wish, home).config


def test_neither_order_nor_repetition_makes_another_run(tmp_path):
    first = plan(
        tmp_path,
        ["control", "camel"],
        [LLAMA, MISTRAL, "offline"],
        Choice(domains=("alarm", "music")),
        parameters=("seed=1", f"{LLAMA}:top_p=1"),
        base_urls=(f"{LLAMA}=http://127.0.0.1:1/v1", f"{MISTRAL}=http://127.0.0.1:2/v1"),
    )
    other = plan(
        tmp_path,
        ["camel", "control", "camel"],
        ["offline", MISTRAL, LLAMA, MISTRAL],
        Choice(domains=("music", "alarm", "music")),
        parameters=(f"{LLAMA}:top_p=1", "seed=1", "seed=1"),
        base_urls=(
            f"{MISTRAL}=http://127.0.0.1:2/v1",
            *2 * (f"{LLAMA}=http://127.0.0.1:1/v1",),
        ),
    )
    assert first == other and first.run_id == other.run_id
    assert [each.name for each in first.frameworks] == ["camel", "control"]


def test_a_numbered_model_is_the_one_that_was_named_there(tmp_path):
    (given,) = plan(tmp_path, models=[MISTRAL, LLAMA], parameters=("m1:seed=1",)).parameters
    assert given.model == MISTRAL


@pytest.mark.parametrize("choice", [Choice(), Choice(limit=100_000), Choice(ids=("alarm-001",))])
def test_a_seed_that_chooses_nothing_makes_no_other_run(tmp_path, choice):
    seeded = Choice(choice.domains, choice.ids, choice.limit, seed=7)
    assert plan(tmp_path, choice=seeded) == plan(tmp_path, choice=choice)
    assert plan(tmp_path, choice=Choice(limit=4, seed=7)).seed == 7


def test_two_frameworks_of_one_name_are_told_with_their_folders(tmp_path):
    own = sdk_project().parent / "control"
    folders = [shutil.copytree(own, tmp_path / name) for name in ("one", "two")]
    with pytest.raises(UserError, match=f"called 'control': {folders[0]} and {folders[1]}$"):
        plan(tmp_path, [str(folder) for folder in folders])


def test_roles_that_are_in_no_team_of_the_suite_are_refused(tmp_path, monkeypatch):
    suite = find_suite("assistant")
    for roles, refused in ((("nobody", "none"), True), (("nobody", "intent"), False)):
        changed = replace(suite, roles=roles)
        monkeypatch.setattr(run_plan, "find_suite", lambda name, found=changed: found)
        if not refused:
            assert plan(tmp_path).suite == "assistant"
            continue
        with pytest.raises(UserError, match=r"`roles` \(nobody, none\) name nobody in its teams"):
            plan(tmp_path)
