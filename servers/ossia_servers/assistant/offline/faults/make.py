"""Making faults: which can happen, and one of them chosen."""

from __future__ import annotations

from random import Random

from ossia_servers.assistant.offline.faults.acts import wrong_calls, wrong_choices, wrong_replies
from ossia_servers.assistant.offline.faults.answers import wrong_answers
from ossia_servers.assistant.offline.faults.catalogue import Catalogue
from ossia_servers.assistant.offline.faults.kinds import FaultType, fault_types
from ossia_servers.assistant.offline.faults.scene import Scene


class FaultMaker:
    """Turns right outputs of roles into wrong ones; the same arguments give the same fault."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Make a maker.

        Args:
            catalogue: The domains, from which wrong intents and slots are taken.
        """
        self._catalogue = catalogue

    def options(self, fault: FaultType, right: str, scene: Scene) -> tuple[str, ...]:
        """Return every output that a fault can make of a right one.

        Args:
            fault: The type.
            right: What the role would have said, in the form that the type acts on: the answer in
                the wire form, the address that the request role calls, or the role that the manager
                calls next (`finish` at the end).
            scene: What the role knew.

        Returns:
            Outputs of the same form, each unlike the right one but for `request.duplicate_call`,
            which returns the address to be called once more; `request.no_call` returns an
            answer. Empty where the fault cannot happen: no slot can be dropped where there is none.
        """
        if fault.role == "manager":
            return wrong_choices(fault, right, scene)
        if fault.role == "request":
            return wrong_calls(fault, right, scene, self._catalogue) if right else ()
        if fault.role == "response":
            return wrong_replies(right)
        return tuple(dict.fromkeys(wrong_answers(fault, right, scene, self._catalogue)))

    def make(self, fault: FaultType, right: str, scene: Scene, draw: Random) -> str | None:
        """Return one faulty output, or None where the fault cannot happen.

        Args:
            fault: The type.
            right: As for `options`.
            scene: What the role knew.
            draw: Decides which of the options it is;
                `ossia_dataset.randomness.seeded_random` makes one that depends on its arguments
                alone.
        """
        options = self.options(fault, right, scene)
        return draw.choice(options) if options else None

    def possible(self, role: str, right: str, scene: Scene) -> tuple[FaultType, ...]:
        """Return the types of a role that can happen to this output, in a fixed order."""
        return tuple(fault for fault in fault_types(role) if self.options(fault, right, scene))
