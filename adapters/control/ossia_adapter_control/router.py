"""The team as a plain loop: one call of the manager names who works next."""

from dataclasses import replace

from ossia_adapter import Answer, Episode, Role
from ossia_adapter_control.common import Play, RoutingError, opened

__all__ = ["ADAPTER", "ControlAdapter", "choose"]

FINISH = "finish"


class ControlAdapter:
    """Plays the team without a framework."""

    name = "control"
    distribution = "ossia-adapter-control"
    conversation = True
    play_type: type[Play] = Play

    def next_role(self, play: Play) -> Role | None:
        """Return the role that works next; None when the work is finished."""
        return choose(play)

    def run(self, episode: Episode) -> Answer:
        """Play one episode: the manager chooses, the role speaks, until the manager finishes.

        A role that plays alone speaks once. In a conversation all that was said goes from turn to
        turn.

        Raises RoutingError or ModelError, or an OSError when no answer comes.
        """
        with opened(episode, self.play_type) as play:
            if episode.team.alone is not None:
                return play.answer(play.work_alone(episode.team.alone))
            while (
                len(play.turns) < episode.limits.turns
                and (role := self.next_role(play)) is not None
            ):
                play.turns.append((role.name, _speak(play, role)))
            return play.answer(play.final)


def choose(play: Play) -> Role | None:
    """Ask the manager which role works next; None when the work is finished.

    Raises RoutingError when it names no role.
    """
    team = play.episode.team
    described = "\n".join(f"- {role.name}: {role.description}" for role in team.members)
    history = "\n".join(f"{said.get('name', 'user')}: {said['content']}" for said in play.talk)
    names = ", ".join(role.name for role in team.members)
    question = (
        f"The conversation so far:\n\n{history}\n\n"
        f"Which role works next? Answer with one word only: one of {names}, "
        f"or {FINISH} when the work is done."
    )
    manager = team.manager_role
    told = replace(manager, prompt=f"{manager.prompt}\n\nThe roles:\n{described}")
    answer = play.complete(told, [{"role": "user", "content": question}]).get("content")
    word = str(answer).strip().strip("`'\"*.").casefold()
    if word == FINISH:
        return None
    for role in team.members:
        if word == role.name.casefold():
            return role
    raise RoutingError(f"the manager named no role: {str(answer)[:200]!r}")


def _speak(play: Play, role: Role) -> str:
    """Let a role take its turn, tool calls included, and tell its words to the others."""
    tools, rounds = play.episode.tools(role), play.episode.limits.tool_rounds
    words = play.work(role, [*play.talk], tools, rounds)
    play.talk.append({"role": "user", "name": role.name, "content": words})
    return words


ADAPTER = ControlAdapter()
