"""The shipped team loads whole, and a flawed team is refused."""

import pytest
from pydantic import ValidationError

from ossia_workflows import PARAPHRASES, Role, Team, load_team
from ossia_workflows.assistant import ROLE_KEYS

VALUES = {"catalogue": "alarm: alarm_set | time", "home": "Dallas, Texas"}
NAMES = ("manager", "intent", "time", "location", "url", "request", "response")


def test_the_assistant_team_has_its_roles_and_tools() -> None:
    team = load_team("assistant", VALUES)
    assert tuple(role.name for role in team.roles) == NAMES
    assert (team.manager, team.final) == ("manager", "response")
    assert {role.name: role.tools for role in team.roles if role.tools} == {
        "time": ("get_date",),
        "request": ("http_request",),
    }
    assert set(ROLE_KEYS) == set(NAMES) - {"manager", "response"}
    assert all(role.prompt.strip() and role.description.strip() for role in team.roles)


def test_the_members_are_all_but_the_manager() -> None:
    team = load_team("assistant", VALUES)
    assert tuple(role.name for role in team.members) == NAMES[1:]
    assert team.role("url").name == "url"
    with pytest.raises(KeyError, match="has no role 'cook'"):
        team.role("cook")


def test_what_a_team_knows_stands_in_its_leaders_prompt_alone() -> None:
    team = load_team("assistant", VALUES)
    told = team.knowing("First this, then that.")
    assert told.role("manager").prompt == f"{team.role('manager').prompt}\n\nFirst this, then that."
    assert told.members == team.members
    alone = Role(name="agent", description="Does it.", prompt="Do it.")
    team = Team(name="alone", goal="It is done.", manager="", final="agent", roles=(alone,))
    assert team.knowing("So.").role("agent").prompt == "Do it.\n\nSo."


def test_placeholders_are_filled_and_none_is_left() -> None:
    prompts = {role.name: role.prompt for role in load_team("assistant", VALUES).roles}
    assert VALUES["catalogue"] in prompts["intent"]
    assert VALUES["home"] in prompts["location"]
    for prompt in prompts.values():
        assert "$catalogue" not in prompt
        assert "$home" not in prompt


@pytest.mark.parametrize("missing", sorted(VALUES))
def test_a_placeholder_without_a_value_is_an_error(missing: str) -> None:
    values = {name: value for name, value in VALUES.items() if name != missing}
    with pytest.raises(ValueError, match=f"needs a value for '{missing}'"):
        load_team("assistant", values)


def test_values_may_hold_anything() -> None:
    odd = "costs $5, $home and ${catalogue}"
    team = load_team("assistant", {**VALUES, "catalogue": odd})
    assert odd in team.role("intent").prompt


@pytest.mark.parametrize("name", ["nobody", "", "..", "../assistant", "assistant/prompts"])
def test_an_unknown_team_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="no team is called"):
        load_team(name, VALUES)


@pytest.mark.parametrize("name", ["assistant", "assistant-compound"])
@pytest.mark.parametrize("paraphrase", PARAPHRASES)
def test_a_paraphrase_says_the_same_to_each_role_in_other_words(name: str, paraphrase: str) -> None:
    own, other = load_team(name, VALUES), load_team(name, VALUES, paraphrase)
    for before, after in zip(own.roles, other.roles, strict=True):
        assert before.model_copy(update={"prompt": after.prompt}) == after
        assert before.prompt not in after.prompt
        assert "$" not in after.prompt
        # The first line of the result's form is the same, whatever stands around it.
        forms = [line for line in before.prompt.splitlines() if line.startswith("{")]
        assert all(form in after.prompt for form in forms)
    assert VALUES["catalogue"] in other.role("intent").prompt
    assert f"home: {VALUES['home']}" in other.role("location").prompt


def role(name: str) -> Role:
    return Role(name=name, description="works", prompt="work")


def test_a_team_needs_its_manager_its_final_role_and_different_names() -> None:
    both = (role("boss"), role("worker"))
    team = Team(name="t", goal="g", manager="boss", final="worker", roles=both)
    assert team.members == both[1:]
    for wrong in (
        {"manager": "nobody"},
        {"final": "nobody"},
        {"roles": (*both, role("worker"))},
        {"roles": ()},
        {"manager": ""},
    ):
        with pytest.raises(ValidationError):
            Team.model_validate({**team.model_dump(), **wrong})


def test_a_team_of_one_role_has_no_manager() -> None:
    alone = Team(name="t", goal="g", manager="", final="worker", roles=(role("worker"),))
    assert alone.members == alone.roles


def test_the_team_for_several_wishes_has_the_same_roles_and_builds_on_the_prompts() -> None:
    single, several = (load_team(name, VALUES) for name in ("assistant", "assistant-compound"))
    assert [(r.name, r.tools) for r in several.roles] == [(r.name, r.tools) for r in single.roles]
    for role in several.roles:
        assert "sentence may hold several wishes" in role.prompt
        assert "$" not in role.prompt
    for name in ("time", "location", "url", "request"):
        assert several.role(name).prompt.startswith(single.role(name).prompt)
