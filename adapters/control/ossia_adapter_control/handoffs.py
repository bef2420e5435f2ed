"""The team as agents that hand one conversation over: to a member, and back to the manager."""

from ossia_adapter import Answer, Episode, Role
from ossia_adapter_control.common import Message, Play, RoutingError, Tool, called, opened

__all__ = ["ADAPTER", "HandoffsAdapter"]


class HandoffsAdapter:
    """Plays the team as agents that share one history."""

    name = "control"
    distribution = "ossia-adapter-control"
    conversation = True

    def run(self, episode: Episode) -> Answer:
        """Play one episode: the manager hands over, a member works and hands back.

        The manager ends the work by words without a handoff. In a conversation the history goes
        from turn to turn.

        Raises RoutingError or ModelError, or an OSError when no answer comes.
        """
        team = episode.team
        with opened(episode) as play:
            if team.alone is not None:
                return play.answer(play.work_alone(team.alone))
            while len(play.turns) < episode.limits.turns and (role := _hand_over(play)) is not None:
                play.turns.append((role.name, _work(play, role)))
            return play.answer(play.final)


def _hand_over(play: Play) -> Role | None:
    """Let the manager speak; None when it handed over to nobody."""
    team = play.episode.team
    tools = [_handoff(role) for role in team.members]
    said = play.complete(team.manager_role, play.talk, tools)
    # Only one can have the conversation: further handoffs of the same answer are not made.
    calls = (said.get("tool_calls") or [])[:1]
    _note(play, team.manager_role, said, calls)
    if not calls:
        return None
    name = _name(calls[0])
    for role, tool in zip(team.members, tools, strict=True):
        if name == tool.__name__:
            _acknowledge(play, calls[0], role)
            return role
    raise RoutingError(f"the manager named no role: {name[:200]!r}")


def _work(play: Play, role: Role) -> str:
    """Let a member take its turn, until it hands back or has no call to make."""
    manager = play.episode.team.manager_role
    back = _handoff(manager)
    tools = play.episode.tools(role)
    words = ""
    for rounds in reversed(range(play.episode.limits.tool_rounds + 1)):
        choice = {} if rounds else {"tool_choice": "none"}
        said = play.complete(role, play.talk, [*tools, back], **choice)
        words = said.get("content") or words
        calls = said.get("tool_calls") or []
        if not calls or not rounds:
            # It has not handed back: said by another, its words are what the manager answers.
            play.talk.append({"role": "user", "name": role.name, "content": words})
            break
        _note(play, role, said, calls)
        for call in calls:
            if _name(call) == back.__name__:
                _acknowledge(play, call, manager)
            else:
                play.talk.append(called(tools, call))
        if back.__name__ in map(_name, calls):
            break
    return words


def _note(play: Play, role: Role, said: Message, calls: list[Message]) -> None:
    """Put an answer into the history that all share."""
    noted = {"role": "assistant", "name": role.name, "content": said.get("content")}
    play.talk.append({**noted, "tool_calls": calls} if calls else noted)


def _acknowledge(play: Play, call: Message, to: Role) -> None:
    """Answer a handoff, whatever arguments it was given."""
    content = f"Transferred to {to.name}."
    play.talk.append({"role": "tool", "tool_call_id": call["id"], "content": content})


def _name(call: Message) -> str:
    return str(call["function"]["name"])


def _handoff(role: Role) -> Tool:
    """Return the tool by which the conversation is handed over to a role."""

    def transfer() -> str:
        return ""

    transfer.__name__, transfer.__doc__ = f"transfer_to_{role.name}", role.description
    return transfer


ADAPTER = HandoffsAdapter()
