"""A failed episode, laid out for the rules: who worked, and what each role could know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.contract import Frame, differing_parameters
from ossia_evaluation.assistant.outputs import last_output, output_of
from ossia_evaluation.steps import Step, last_step
from ossia_evaluation.urls import read_url
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.records import ServerRequest
from ossia_workflows import text_slots
from ossia_workflows.assistant import allowed_next, allowed_next_in_round

ROLES = frozenset({"intent", "time", "location", "url", "request", "response"})
"""The members of the team: all roles but the manager."""


@dataclass(frozen=True)
class Address:
    """What the url role told the request role to ask."""

    text: str
    domain: str
    params: Mapping[str, str]

    @classmethod
    def of(cls, output: Mapping[str, Any] | None) -> Address | None:
        """Read the url role's answer; None where there is none."""
        if output is None:
            return None
        text = str(output["url"]).strip()
        return cls(text, *read_url(text))

    @property
    def intent(self) -> str:
        """The intent that is asked for, or the empty string."""
        return self.params.get("intent", "")

    @property
    def is_path(self) -> bool:
        """Whether the request role's tool can take it for a path of the servers."""
        return self.text.startswith("/") and not self.text.startswith("//")


@dataclass(frozen=True)
class Case:
    """A failed episode and how strictly it is judged."""

    task: WorldTask
    trace: Trace
    steps: Sequence[Step]
    domains: Mapping[str, Domain]
    lenient: bool
    """Whether the published judge's leniencies hold."""
    episode: Sequence[Step] = ()
    """All steps of the episode, where `steps` are those of one round."""

    @property
    def has_rounds(self) -> bool:
        """Whether the task has several parts, and the team works in rounds."""
        return bool(self.task.gold.parts)

    def worked(self, role: str) -> Step | None:
        """The role's last step that its model answered, or None."""
        return last_step(self.steps, role)

    def frame(self, before: Step | None = None) -> Frame | None:
        """The intent role's answer, as it was known before a step."""
        output = last_output(self.steps, "intent", before)
        if output is None:
            return None
        return Frame(
            str(output.get("domain", "")),
            str(output.get("intent", "")),
            text_slots(output.get("slots")),
        )

    def values(self, role: str, key: str, before: Step | None = None) -> dict[str, str] | None:
        """Slots of the time or the location role, or None where it gave none that can be read."""
        output = last_output(self.steps, role, before)
        return None if output is None else text_slots(output.get(key))

    def address(self, before: Step | None = None) -> Address | None:
        """The url role's answer, as it was known before a step."""
        return Address.of(last_output(self.steps, "url", before))

    def addresses(self) -> list[Address]:
        """Every address that the url role gave."""
        return _addresses(self.steps)

    def addresses_of_episode(self) -> list[Address]:
        """Every address that the url role gave in the whole episode."""
        return _addresses(self.episode or self.steps)

    def is_gold(self, address: Address, gold: Request | None = None) -> bool:
        """Whether an address asks exactly what a gold request asks: any, or the one given."""
        wanted = self.task.gold.gold_requests() if gold is None else (gold,)
        return any(
            (address.domain, address.intent) == (request.domain, request.params["intent"])
            and not differing_parameters(
                self.domains.get(request.domain), request.params, address.params, lenient=False
            )
            for request in wanted
        )

    @property
    def address_is_right(self) -> bool:
        """Whether the last address is a gold one, and every gold request had its address."""
        told = self.addresses()
        return (
            bool(told)
            and self.is_gold(told[-1])
            and all(
                any(self.is_gold(address, gold) for address in told)
                for gold in self.task.gold.gold_requests()
            )
        )

    def asks(self, request: ServerRequest, address: Address) -> bool:
        """Whether a request is the one that an address tells to make."""
        return (request.domain, request.intent) == (
            address.domain,
            address.intent,
        ) and not differing_parameters(
            self.domains.get(request.domain), address.params, request.params, lenient=False
        )

    def allowed(
        self, done: Sequence[str], before: Step | None, refused: Sequence[str] = ()
    ) -> frozenset[str] | None:
        """The roles that may follow; None where no order can be told without a frame.

        Roles whose calls were refused may be asked again or be left out.
        """
        if refused:
            left_out = self.allowed([*done, *refused], before)
            again = self.allowed(done, before)
            return None if left_out is None or again is None else left_out | again
        order = allowed_next_in_round if self.has_rounds else allowed_next
        if "intent" not in done:
            return order(None, {}, done)
        frame = self.frame(before)
        return None if frame is None else order(frame.domain, frame.slots, done)


def _addresses(steps: Sequence[Step]) -> list[Address]:
    found = (Address.of(output_of(step)) for step in steps if step.role == "url")
    return [address for address in found if address is not None]
