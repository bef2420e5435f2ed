"""The SelectorGroupChat with what AutoGen has against failures."""

from typing import Any, ClassVar

from ossia_adapter import Episode, Role
from ossia_adapter_autogen.selector import SelectorAdapter

__all__ = ["ADAPTER", "HardenedAdapter"]


class HardenedAdapter(SelectorAdapter):
    """Plays the group chat with clients that try again, and a selector that may repeat itself."""

    # The member that has just said nothing of use may be asked again.
    selecting: ClassVar = {"allow_repeated_speaker": True, "max_selector_attempts": 5}

    def settings(self, episode: Episode, role: Role) -> dict[str, Any]:
        """Return what a client is made with that asks the model of a role."""
        return {**super().settings(episode, role), "max_retries": 4}


ADAPTER = HardenedAdapter()
