"""The teams of the office: one agent alone, or a manager with one specialist for each toolkit."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Final, Protocol

from ossia_workflows.team import Role, Team, prompt_template

DIRECTORY: Final = "company_directory"
"""The toolkit that every specialist may ask, and that has no specialist of its own."""

MANAGER: Final = "manager"
AGENT: Final = "agent"
RESPONSE: Final = "response"

_TOOLS: Final = ("get_date", "http_request")


class TeamKind(StrEnum):
    """How the office's work is shared out."""

    SPECIALISTS = "specialists"
    """A manager, one specialist for each toolkit, and a role that answers the user."""
    REACT = "react"
    """One agent with tools does all the work and answers the user; nobody leads it."""


def members_of(kind: TeamKind) -> tuple[str, ...]:
    """Return the names of all members that a team may have.

    Args:
        kind: how the work is shared out.
    """
    return (AGENT,) if kind is TeamKind.REACT else (*_DESCRIPTIONS, RESPONSE)


def office_team(kind: TeamKind, catalogues: Mapping[str, str], paraphrase: str = "") -> Team:
    """Return a team.

    Args:
        kind: how the work is shared out.
        catalogues: by toolkit, its tools as a prompt tells them; the directory among them. The
            team knows no other toolkits.
        paraphrase: one of `ossia_workflows.PARAPHRASES`; empty for the prompts themselves.

    Raises:
        ValueError: there is no toolkit beside the directory.
    """
    kits = [name for name in catalogues if name != DIRECTORY]
    if not kits:
        raise ValueError("a team of the office needs a toolkit")
    prompt = partial(_prompt, paraphrase)
    if kind is TeamKind.REACT:
        return _react(catalogues, prompt)
    return _specialists(kits, catalogues, prompt)


class _Prompt(Protocol):
    """Gives the prompt of a name with its placeholders filled in."""

    def __call__(self, name: str, **values: str) -> str: ...


def _prompt(paraphrase: str, name: str, **values: str) -> str:
    return prompt_template("workbench", name, paraphrase).substitute(values)


def _react(catalogues: Mapping[str, str], prompt: _Prompt) -> Team:
    return Team(
        name="workbench_react",
        goal="Carry out what the user wants in the office's tools, then answer the user.",
        manager="",
        final=AGENT,
        roles=(
            Role(
                name=AGENT,
                description="Carries out the user's whole wish with the office's tools.",
                prompt=prompt("agent", catalogue="\n\n".join(catalogues.values())),
                tools=_TOOLS,
            ),
        ),
    )


def _specialists(kits: list[str], catalogues: Mapping[str, str], prompt: _Prompt) -> Team:
    directory = catalogues.get(DIRECTORY, "")
    described = {kit: _DESCRIPTIONS.get(kit, f"Works with the tools of {kit}.") for kit in kits}
    listed = "\n".join(f"- `{kit}`: {text}" for kit, text in described.items())
    members = tuple(
        Role(
            name=kit,
            description=described[kit],
            prompt=prompt(
                "specialist",
                toolkit=kit,
                catalogue="\n\n".join(filter(None, (catalogues[kit], directory))),
            ),
            tools=_TOOLS,
        )
        for kit in kits
    )
    return Team(
        name="workbench",
        goal="Carry out what the user wants in the office's tools, then answer the user.",
        manager=MANAGER,
        final=RESPONSE,
        roles=(
            Role(
                name=MANAGER,
                description="Decides which specialist works next, and when the work is done.",
                prompt=prompt("manager", specialists=listed),
            ),
            *members,
            Role(
                name=RESPONSE,
                description="Tells the user in a few sentences what was done or found out. Always"
                " last.",
                prompt=prompt("response"),
            ),
        ),
    )


_DESCRIPTIONS: Final[Mapping[str, str]] = {
    "calendar": "Finds, creates, changes and deletes meetings.",
    "email": "Finds, sends, answers, forwards and deletes letters.",
    "analytics": "Counts visits of the website and plots them.",
    "project_management": "Finds, creates, changes and deletes tasks on the boards.",
    "customer_relationship_manager": "Finds, adds, changes and deletes customers.",
}
