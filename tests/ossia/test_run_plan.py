"""The plan of a run: what decides it, and what makes no other run."""

import json
import shutil
from dataclasses import replace

import pytest

from ossia import run_plan, tasks
from ossia.adapters import find_adapter, sdk_project
from ossia.errors import UserError
from ossia.run_plan import Wish, plan_again, plan_run
from ossia.runner.comparable import require_one_division
from ossia.runner.config import FrameworkVersion, RunConfig
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


def test_under_stress_the_offline_model_asks_again_unless_it_is_told(tmp_path):
    assert plan(tmp_path).models == ("offline",)
    assert plan(tmp_path, stress=("empty",)).models == ("offline:policy=persistent",)
    both = ["offline", "offline:policy=literal", "offline:policy=persistent", LLAMA]
    told = plan(tmp_path, models=both, stress=("empty",)).models
    assert told == ("offline:policy=literal", "offline:policy=persistent", LLAMA)
    by_role = plan(tmp_path, models=[f"intent=offline,*={LLAMA}"], stress=("empty",)).models
    assert by_role == (f"intent=offline:policy=persistent,*={LLAMA}",)


def test_a_fault_at_a_role_that_no_team_has_is_refused(tmp_path):
    assert plan(tmp_path, stress=("empty@role=intent",)).stress.faults[0].place.roles == ("intent",)
    told = r"--stress empty@role=itent: there is no role 'itent'; did you mean intent\?"
    with pytest.raises(UserError, match=told):
        plan(tmp_path, stress=("empty@role=itent",))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("slow@tool=http_requets", "'http_requets'; did you mean http_request?"),
        ("service-slow@tool=xyz", "'xyz'; there are: get_date, http_request"),
    ],
)
def test_a_fault_at_a_tool_that_no_team_has_is_refused(tmp_path, fault, told):
    stress = plan(tmp_path, stress=("service-slow@tool=get_date",)).stress
    assert stress.faults[0].place.tool == "get_date"
    with pytest.raises(UserError) as refused:
        plan(tmp_path, stress=(fault,))
    assert str(refused.value) == f"--stress {fault}: there is no tool {told}"


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


def test_a_default_variant_is_the_run_that_it_was_without_a_name(tmp_path):
    plain, named = plan(tmp_path, ["control"]), plan(tmp_path, ["control:router"])
    assert plain == named
    (framework,) = plain.frameworks
    assert (framework.name, framework.variant, framework.idiom) == ("control", "router", "router")
    before = framework.model_copy(update={"variant": "", "idiom": "", "title": ""})
    assert plain.model_copy(update={"frameworks": (before,)}).run_id == plain.run_id


def test_a_run_of_before_variants_is_read_and_named_as_then(tmp_path):
    config = plan(tmp_path, ["control"])
    stored = json.loads(config.model_dump_json())
    for name in ("variant", "idiom", "title"):
        del stored["frameworks"][0][name]
    read = RunConfig.read(json.dumps(stored))
    assert read.run_id == config.run_id
    assert (read.frameworks[0].adapter, read.frameworks[0].title) == ("control", "")


def test_variants_are_frameworks_of_their_own_that_are_found_again(tmp_path):
    folder = str(shutil.copytree(sdk_project().parent / "control", tmp_path / "own"))
    for wanted in ("control", folder):
        config = plan(tmp_path, [f"{wanted}:tools", wanted, f"{wanted}:all"])
        assert [each.name for each in config.frameworks] == [
            "control",
            "control:handoffs",
            "control:hardened",
            "control:tools",
        ]
        assert config.run_id == plan(tmp_path, [f"{wanted}:all"]).run_id
        found = [find_adapter(each.adapter, tmp_path) for each in config.frameworks]
        assert [(info.key, info.digest) for info in found] == [
            (each.name, each.digest) for each in config.frameworks
        ]
        assert str(found[0].project) == folder or wanted == "control"
    with pytest.raises(UserError, match="two frameworks are called 'control'"):
        plan(tmp_path, ["control", f"{folder}:tools"])


def test_a_run_knows_its_default_variant_by_its_whole_name(tmp_path):
    config = plan(tmp_path, ["control:all"])
    asked = ("control:router", "control:tools", "control", "control:gold", ":")
    assert config.known_names(asked) == ("control", *asked[1:])


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


def in_forms(tasks, forms):
    """Each task once for each form, as a suite may give its knowledge."""
    if unknown := [form for form in forms if form not in ("code", "text")]:
        raise ValueError(f"there is no form '{unknown[0]}'")
    return [task.model_copy(update={"id": f"{task.id}.{form}"}) for task in tasks for form in forms]


@pytest.fixture
def knowing(monkeypatch):
    suite = replace(find_suite("assistant"), knowledge=in_forms)
    monkeypatch.setattr(run_plan, "find_suite", lambda name: suite)
    monkeypatch.setattr(tasks, "find_suite", lambda name: suite)


def test_with_knowledge_each_chosen_task_is_played_once_in_each_form(tmp_path, knowing):
    plain = plan(tmp_path, choice=Choice(limit=2, seed=3))
    told = plan(tmp_path, choice=Choice(limit=2, seed=3), knowledge=("text", "code", "text"))
    wanted = [f"{name}.{form}" for name in plain.task_ids for form in ("code", "text")]
    assert list(told.task_ids) == wanted
    assert (told.forms, told.seed, told.set_hash) == (("code", "text"), 3, plain.set_hash)
    assert told.dataset_hash != plain.dataset_hash
    assert list(plan_again(told, tmp_path).tasks) == wanted
    other = plan(tmp_path, choice=Choice(limit=2, seed=3), knowledge=("code", "text"))
    assert other.run_id == told.run_id != plain.run_id


def test_knowledge_that_a_suite_does_not_have_is_refused(tmp_path, knowing):
    with pytest.raises(UserError, match=r"^--knowledge: there is no form 'song'$"):
        plan(tmp_path, knowledge=("song",))


def test_knowledge_is_refused_where_the_suite_has_none(tmp_path):
    with pytest.raises(UserError, match=r"^--knowledge: the suite 'assistant' has none$"):
        plan(tmp_path, knowledge=("text",))


@pytest.fixture
def talkative(monkeypatch):
    suite = replace(find_suite("assistant"), llm_user=lambda task, domains, ask: None)
    monkeypatch.setattr(run_plan, "find_suite", lambda name: suite)


def test_the_model_of_a_simulated_user_is_part_of_a_run(tmp_path, talkative):
    plain = plan(tmp_path, user="scripted")
    assert (plain.user, plain.asked) == ("", ("offline",))
    assert plain.run_id == plan(tmp_path).run_id
    told = plan(
        tmp_path,
        user=LLAMA,
        base_urls=(f"{LLAMA}=http://127.0.0.1:1/v1",),
        parameters=(f"{LLAMA}:temperature=0",),
    )
    assert (told.user, told.asked) == (LLAMA, ("offline", LLAMA))
    assert [each.model for each in told.parameters] == [LLAMA]
    assert len({each.run_id for each in (plain, told, plan(tmp_path, user=MISTRAL))}) == 3
    assert RunConfig.read(told.model_dump_json()) == told


def test_a_script_of_a_simulated_user_makes_another_run_when_it_changes(tmp_path, talkative):
    script = tmp_path / "script.toml"
    found = set()
    for text in ("one", "two"):
        script.write_text(text)
        found.add(plan(tmp_path, user=f"scripted:{script}").run_id)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("user", "told"),
    [
        ("offline", "--user offline: the offline model plays only teams, not users"),
        ("intent=a,*=b", "--user: The model 'intent=a,*=b' names an unknown role: 'intent'"),
        ("", "--user names no model"),
    ],
)
def test_what_can_speak_for_nobody_is_refused(tmp_path, talkative, user, told):
    with pytest.raises(UserError) as refused:
        plan(tmp_path, user=user)
    assert str(refused.value).startswith(told)


def test_a_user_is_refused_where_the_suite_has_none(tmp_path):
    with pytest.raises(UserError, match=r"^--user ollama/llama3 has no effect: the suite 'assis"):
        plan(tmp_path, user=LLAMA)


def test_the_wording_of_prompts_names_another_run_and_has_to_be_there(tmp_path):
    plain, standard = plan(tmp_path), plan(tmp_path, prompts="standard")
    assert standard == plain
    worded = [plan(tmp_path, prompts=name) for name in ("terse", "chatty")]
    assert [each.prompts for each in worded] == ["terse", "chatty"]
    assert len({each.run_id for each in (plain, *worded)}) == 3
    stored = json.loads(plain.model_dump_json())
    del stored["prompts"]
    assert RunConfig.read(json.dumps(stored)).run_id == plain.run_id, "as runs of before are named"
    for name in ("", "rude", "terse,chatty"):
        with pytest.raises(UserError, match=f"no '{name}'; it has: standard, terse, chatty"):
            plan(tmp_path, prompts=name)


def test_divisions_are_never_mixed():
    documented = FrameworkVersion(name="camel", source="x")
    tuned = FrameworkVersion(name="camel:tuned", source="x", division="tuned")
    require_one_division([documented, documented])
    require_one_division([tuned])
    with pytest.raises(
        UserError, match=r"camel \(documented\) and camel:tuned \(tuned\) belong to two"
    ):
        require_one_division([documented, tuned])
