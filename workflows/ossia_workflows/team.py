"""The team: its roles, their prompts and tools, and the order in which they may work."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from string import Template
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, model_validator

PARAPHRASES: Final = ("terse", "chatty")
"""The folders of prompts that say the same as others would: in few words, and in many."""

_TEAM_NAME = re.compile(r"[a-z]+(-[a-z]+)*")


class Role(BaseModel):
    """One member of a team."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """A lower-case identifier; the gateway knows the role by the model name `ossia-<name>`."""
    description: str
    """One sentence for whoever routes work to this role."""
    prompt: str
    """The system prompt, complete, the same bytes for every framework."""
    tools: tuple[str, ...] = ()
    """Names of the SDK's tools that the role may call."""


class Team(BaseModel):
    """The roles that a framework has to build, and which of them routes and which one answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    goal: str
    manager: str
    """Name of the role that decides who works next; empty for a team of one role, which nobody
    leads."""
    final: str
    """Name of the role whose output is the answer to the user."""
    roles: tuple[Role, ...]

    @model_validator(mode="after")
    def _names_exist(self) -> Team:
        names = [role.name for role in self.roles]
        if len(set(names)) != len(names):
            raise ValueError("two roles of a team have the same name")
        if not self.manager and len(names) != 1:
            raise ValueError("a team of several roles has no manager")
        for needed in filter(None, (self.manager, self.final)):
            if needed not in names:
                raise ValueError(f"the team has no role '{needed}'")
        return self

    def role(self, name: str) -> Role:
        """Return the role called `name`.

        Raises:
            KeyError: the team has no such role.
        """
        for role in self.roles:
            if role.name == name:
                return role
        raise KeyError(f"the team '{self.name}' has no role '{name}'")

    def knowing(self, text: str) -> Team:
        """Return the team with a text at the end of the manager's prompt, or of the only role's."""
        leader = self.manager or self.final
        roles = tuple(
            role.model_copy(update={"prompt": f"{role.prompt}\n\n{text}"})
            if role.name == leader
            else role
            for role in self.roles
        )
        return self.model_copy(update={"roles": roles})

    @property
    def members(self) -> tuple[Role, ...]:
        """The roles that do the work: all but the manager, in their order."""
        return tuple(role for role in self.roles if role.name != self.manager)


def load_team(name: str, values: Mapping[str, str], paraphrase: str = "") -> Team:
    """Load a team that ships with Ossia.

    Args:
        name: folder of the team, such as `assistant`.
        values: what the prompts' `$placeholders` stand for, such as `catalogue` and `home`.
        paraphrase: one of `PARAPHRASES`; empty for the prompts themselves.

    Returns:
        The team with its prompts filled in.

    Raises:
        ValueError: there is no such team, or a placeholder has no value.
    """
    data = dict(_declared(name))
    teams = (name, data.pop("base", None))
    roles = [
        {**role, "prompt": _prompt(teams, role["name"], values, paraphrase)}
        for role in data["roles"]
    ]
    return Team.model_validate({**data, "roles": roles})


@cache
def _declared(name: str) -> Mapping[str, Any]:
    """The team's file, which stays read: each task of a run asks for its team."""
    source = _teams() / name / "team.toml"
    if _TEAM_NAME.fullmatch(name) is None or not source.is_file():
        raise ValueError(f"no team is called '{name}'")
    return tomllib.loads(source.read_text("utf-8"))


def _teams() -> Traversable:
    return resources.files(__package__)


@cache
def prompt_template(team: str, role: str, paraphrase: str = "") -> Template:
    """Return a role's prompt with its placeholders.

    Args:
        team: folder of the team, or of teams that share their prompts.
        role: name of the prompt.
        paraphrase: one of `PARAPHRASES`, where the folder has it; empty for the prompt itself.
    """
    folder = _teams() / team / "prompts"
    if paraphrase:
        folder /= paraphrase
    return Template((folder / f"{role}.md").read_text("utf-8").strip())


def _prompt(
    teams: tuple[str, str | None], role: str, values: Mapping[str, str], paraphrase: str
) -> str:
    """Return a role's prompt; `$base` in it is the prompt of the same role in the base team."""
    team, base = teams
    known = dict(values)
    if base is not None:
        known["base"] = _prompt((base, None), role, values, paraphrase)
    try:
        return prompt_template(team, role, paraphrase).substitute(known)
    except KeyError as missing:
        raise ValueError(f"the prompt of role '{role}' needs a value for {missing}") from None
