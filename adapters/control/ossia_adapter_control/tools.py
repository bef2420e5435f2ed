"""The team as an agent with tools: the manager has one for each member."""

from ossia_adapter import Answer, Episode, Role
from ossia_adapter_control.common import Play, Tool, opened

__all__ = ["ADAPTER", "ToolsAdapter"]


class ToolsAdapter:
    """Plays the team as one agent whose tools are agents."""

    name = "control"
    distribution = "ossia-adapter-control"
    conversation = True

    def run(self, episode: Episode) -> Answer:
        """Play one episode: the manager calls members with the work, and writes the answer.

        In a conversation the manager's own messages go from turn to turn.

        Raises ModelError, or an OSError when no answer comes.
        """
        team = episode.team
        with opened(episode) as play:
            if team.alone is not None:
                return play.answer(play.work_alone(team.alone))
            members = [_as_tool(play, role) for role in team.members]
            words = play.work(team.manager_role, play.talk, members, episode.limits.turns)
            return play.answer(words)


def _as_tool(play: Play, role: Role) -> Tool:
    """Return a member as a function of its task, which is all that it sees."""
    tools, rounds = play.episode.tools(role), play.episode.limits.tool_rounds

    def ask(task: str) -> str:
        return play.work(role, [{"role": "user", "content": task}], tools, rounds)

    ask.__name__, ask.__doc__ = role.name, role.description
    return ask


ADAPTER = ToolsAdapter()
