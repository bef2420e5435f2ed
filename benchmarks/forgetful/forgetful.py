"""The control as a framework that keeps nothing of a conversation."""

from ossia_adapter_control import ADAPTER as CONTROL  # type: ignore[import-not-found]

from ossia_adapter import Answer, Episode

__all__ = ["ADAPTER", "ForgetfulAdapter"]


class ForgetfulAdapter:
    """Plays each turn as if it were the first."""

    name = "control"
    distribution = "ossia-adapter-control"
    conversation = True

    def run(self, episode: Episode) -> Answer:
        """Play one turn, after all that was said before has been dropped."""
        if episode.memory is not None:
            episode.memory.clear()
        answer: Answer = CONTROL.run(episode)
        return answer


ADAPTER = ForgetfulAdapter()
