"""The loop: the manager chooses, the chosen role speaks, until the manager says finish."""

import requests

from ossia_adapter import Answer, Episode
from ossia_adapter_control.chat import Chat
from ossia_adapter_control.manager import Turn, choose
from ossia_adapter_control.member import speak

__all__ = ["ADAPTER", "ControlAdapter"]


class ControlAdapter:
    """Plays the team without a framework."""

    name = "control"
    distribution = "ossia-adapter-control"

    def run(self, episode: Episode) -> Answer:
        """Play one episode.

        Args:
            episode: What to play.

        Returns:
            The final role's last words and the counts of all responses.

        Raises:
            RoutingError: The manager named no role.
            ModelError: The endpoint answered with an error or no completion.
            requests.RequestException: There was no answer, or not in time.
        """
        turns: list[Turn] = []
        with requests.Session() as session:
            session.trust_env = False
            chat = Chat(episode, session)
            while len(turns) < episode.limits.turns:
                role = choose(chat, episode, turns)
                if role is None:
                    break
                turns.append(Turn(role.name, speak(chat, episode, role, turns)))
        final = [turn.text for turn in turns if turn.role == episode.team.final]
        return Answer(final[-1] if final else "", chat.reported)


ADAPTER = ControlAdapter()
