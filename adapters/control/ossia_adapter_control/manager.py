"""The manager's turn: which role works next."""

from dataclasses import dataclass

from ossia_adapter import Episode, Role
from ossia_adapter_control.chat import Chat

__all__ = ["FINISH", "RoutingError", "Turn", "choose"]

FINISH = "finish"


class RoutingError(RuntimeError):
    """The manager named no role."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one role said.

    Attributes:
        role: The role's name.
        text: Its words.
    """

    role: str
    text: str


def choose(chat: Chat, episode: Episode, turns: list[Turn]) -> Role | None:
    """Ask the manager which role works next.

    Args:
        chat: The endpoint.
        episode: The episode.
        turns: What was said so far.

    Returns:
        The role, or ``None`` when the work is finished.

    Raises:
        RoutingError: The manager answered with anything else.
        ModelError: The endpoint answered with an error or no completion.
        requests.RequestException: There was no answer, or not in time.
    """
    team = episode.team
    described = "\n".join(f"- {role.name}: {role.description}" for role in team.members)
    history = "\n".join([f"user: {episode.task}", *(f"{turn.role}: {turn.text}" for turn in turns)])
    names = ", ".join(role.name for role in team.members)
    question = (
        f"The conversation so far:\n\n{history}\n\n"
        f"Which role works next? Answer with one word only: one of {names}, "
        f"or {FINISH} when the work is done."
    )
    messages = [
        {"role": "system", "content": f"{team.manager_role.prompt}\n\nThe roles:\n{described}"},
        {"role": "user", "content": question},
    ]
    said = chat.complete(team.manager, messages).get("content")
    word = str(said).strip().strip("`'\"*.").casefold()
    if word == FINISH:
        return None
    for role in team.members:
        if word == role.name.casefold():
            return role
    raise RoutingError(f"the manager named no role: {str(said)[:200]!r}")
