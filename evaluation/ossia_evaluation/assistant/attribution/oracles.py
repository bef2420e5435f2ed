"""Contract oracles: what a correct agent says, given the input that it actually got.

Every role sees the user's sentence. Where no intent can be read, a correct role reads the sentence
itself, so its oracle is then built on the gold frame. Where even that does not tell what to do, the
oracle is silent (None), and nothing that the role does is a deviation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ossia_dataset.world_tasks import CHAT_DOMAIN, WorldTask
from ossia_evaluation.assistant.attribution.edits import address, repeated_names, slashes_after
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.assistant.contract import (
    Frame,
    differing_parameters,
    differing_slots,
    expected_parameters,
    expected_places,
    expected_times,
)
from ossia_evaluation.attribution.received import ROUTE
from ossia_evaluation.reply.stems import tokens
from ossia_evaluation.urls import read_url
from ossia_servers.wire import planning
from ossia_servers.wire.calls import DATE_TOOL, HTTP_TOOL, Call
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.duties import Planner
from ossia_servers.wire.envelope import present, tools_offered
from ossia_servers.wire.results import read_results
from ossia_servers.wire.routing import present_choice
from ossia_servers.worlds.domain import Domain
from ossia_workflows.assistant import FINISH, TIME_SLOTS, allowed_next, stages

_NOTHING_GIVEN: Mapping[str, str] = {
    "time": '{"time_slots": {}}',
    "location": '{"place_slots": {}}',
    "url": "There is no intent to build an address from.",
    "request": "There is no address to ask.",
}
"""What is said where the contract is silent and nothing was recorded."""

_CHAT_REPLY = "Thank you for telling me; I am glad to talk with you."
_NOTHING_TO_TELL = "I am sorry, I have no answer for you."
"""Owns up to knowing nothing: it must not pass for the answer that nothing was found."""

_ORDER = ("intent", "time", "location", "url", "request", "response", FINISH)


class Oracle:
    """The contracts of one task's roles. Knows the gold labels, so no agent may reach it."""

    def __init__(self, task: WorldTask, domains: Mapping[str, Domain]) -> None:
        """Make the oracle of a task.

        Args:
            task: the task with its gold frame; one with a single frame.
            domains: declarations of the domain servers, for the match rules.
        """
        self.task = task
        self.gold = Frame.of(task.gold)
        self._domains = domains
        self._planner = _GoldPlanner(self.gold)

    def message(self, received: Heard, prefer: str | None = None) -> dict[str, Any]:
        """Return the right answer in the envelope that the request asks for.

        Args:
            received: what the role was given.
            prefer: where the manager may choose between roles, the one to take.
        """
        conversation = received.conversation
        if received.role == "manager":
            if received.turn.duty != ROUTE:
                planned = planning.manage(conversation, self._planner)
                return present(conversation, planned or "")
            return present_choice(conversation, self.choice(received, prefer))
        content = self.content(received)
        if content is None:
            content = _NOTHING_GIVEN.get(received.role, _NOTHING_TO_TELL)
        return present(conversation, content)

    def content(self, received: Heard) -> str | Sequence[Call] | None:
        """Return what a member role should say, or the tools it should call first."""
        role, frame = received.role, received.frame
        offered = tools_offered(received.conversation)
        if role == "intent":
            gold, untold = self.gold, self.untold_slots(received)
            slots = {name: value for name, value in gold.slots.items() if name not in untold}
            return _dump({"domain": gold.domain, "intent": gold.intent, "slots": slots})
        if role == "time":
            if DATE_TOOL in offered and not received.tool_answers:
                return (Call(DATE_TOOL),)
            return _dump({"time_slots": self.times(received)})
        if role == "location":
            return _dump({"place_slots": self.places(received)})
        if role == "url":
            url = self.url(received)
            return None if url is None else _dump({"url": url})
        if role == "request":
            return _request(received, can_call=HTTP_TOOL in offered)
        answer = received.conversation.results.answer
        if answer is not None:
            return _told(answer)
        if frame is not None and frame.domain == CHAT_DOMAIN:
            return _CHAT_REPLY
        return _NOTHING_TO_TELL

    def frame(self, received: Heard) -> Frame:
        """Return the frame that a role works by: what it received, else what the sentence says."""
        return received.frame or self.gold

    def untold_slots(self, received: Heard) -> frozenset[str]:
        """Return the slots that the intent role cannot know.

        The user said their words, and the manager did not hand them over.
        """
        said = received.conversation.utterance
        if said == self.task.utterance:
            return frozenset()
        told = frozenset(tokens(said)) | frozenset(tokens(received.conversation.prompt))
        lost = frozenset(tokens(self.task.utterance)) - told
        return frozenset(n for n, words in self.gold.slots.items() if lost & {*tokens(words)})

    def times(self, received: Heard) -> dict[str, str]:
        """Return the normal forms of the time slots that were received."""
        return expected_times(self.frame(received).slots, self.task)

    def places(self, received: Heard) -> dict[str, str]:
        """Return the exact places of the place slots that were received."""
        return expected_places(self.frame(received).slots, self.task)

    def normal_form(self, name: str, words: str) -> str | None:
        """Return the time or place that words in a slot mean; None for any other slot."""
        slots = {name: words}
        exact = {**expected_times(slots, self.task), **expected_places(slots, self.task)}
        return exact.get(name)

    def url(self, received: Heard) -> str | None:
        """Return the address that follows from what was received."""
        frame = self.frame(received)
        if not frame.intent or frame.domain == CHAT_DOMAIN:
            return None
        gold, times, places = self.task.gold, received.times, received.places
        if self._is_gold(frame) and (times or {}) == gold.time and (places or {}) == gold.place:
            requests = gold.gold_requests()
            if requests:
                return requests[0].url
        if times is None:
            # Nobody gave normal forms: the words go on as they are.
            times = {name: value for name, value in frame.slots.items() if name in TIME_SLOTS}
        params = expected_parameters(frame, times, places or {})
        return address(frame.domain, {"intent": frame.intent, **params})

    def gold_url(self) -> str | None:
        """Return the address of the gold request; None for chit-chat."""
        requests = self.task.gold.gold_requests()
        return requests[0].url if requests else None

    def allowed(self, received: Heard) -> frozenset[str]:
        """Return the roles that the manager may choose.

        Where the intent role's answer cannot be read, the sentence says what follows, and whether
        time and location are asked is open. A role whose result another has told may be passed
        over.
        """
        done, frame = received.turn.done, received.frame
        told = [role for role, _ in received.conversation.results.lines() if role not in done]
        return self._allowed(done, frame) | (
            self._allowed((*done, *told), frame) if done and told else frozenset()
        )

    def _allowed(self, done: Sequence[str], frame: Frame | None) -> frozenset[str]:
        if "intent" not in done:
            return allowed_next(None, {}, done)
        if frame is not None:
            return allowed_next(frame.domain, frame.slots, done)
        either = allowed_next(self.gold.domain, {}, done) | allowed_next("", {}, done)
        return either | ({"time", "location"} - set(done) if "url" in either else set())

    def choice(self, received: Heard, prefer: str | None = None) -> str:
        """Return the role that the manager should choose, or `finish`."""
        allowed = self.allowed(received)
        if prefer is not None and prefer in allowed:
            return prefer
        if received.frame is None:
            allowed = allowed & _ALWAYS or allowed
        return min(allowed, key=_ORDER.index)

    def differing_intent(self, frame: Frame, *, to_the_letter: bool) -> tuple[str, ...]:
        """Return what is wrong with a frame: `domain`, `intent`, and the names of slots.

        Args:
            frame: the frame that was said.
            to_the_letter: compare the words themselves, not what they mean.
        """
        wrong = [
            name
            for name, said, meant in (
                ("domain", frame.domain, self.gold.domain),
                ("intent", frame.intent, self.gold.intent),
            )
            if said != meant
        ]
        slots, gold = frame.slots, self.gold.slots
        if to_the_letter:
            wrong += [n for n in {**gold, **slots} if gold.get(n) != slots.get(n)]
        else:
            domain = self._domains.get(self.gold.domain)
            wrong += differing_slots(domain, self.task, slots, lenient=False)
        return tuple(wrong)

    def differing_values(
        self,
        domain: str,
        right: Mapping[str, str],
        said: Mapping[str, str],
        *,
        to_the_letter: bool,
    ) -> tuple[str, ...]:
        """Return the names of slots or parameters whose values are not the same.

        Args:
            domain: whose match rules hold.
            right: the right values.
            said: the values that were said.
            to_the_letter: compare the words themselves, without match rules.
        """
        if to_the_letter:
            return tuple(n for n in {**right, **said} if right.get(n) != said.get(n))
        return differing_parameters(self._domains.get(domain), right, said, lenient=False)

    def is_gold_url(self, url: str) -> bool:
        """Say whether an address asks exactly what the gold request asks."""
        gold = self.gold_url()
        if gold is None:
            return False
        (domain, params), (right, wanted) = read_url(url), read_url(gold)
        if slashes_after(url) != slashes_after(gold) or repeated_names(url):
            return False
        return (domain, params.get("intent")) == (right, wanted.get("intent")) and not (
            differing_parameters(self._domains.get(right), wanted, params, lenient=False)
        )

    def _is_gold(self, frame: Frame) -> bool:
        return not self.differing_intent(frame, to_the_letter=False)


_ALWAYS = frozenset({"intent", "url", "request", "response", FINISH})
"""What every task needs, but for chit-chat."""


class _GoldPlanner(Planner):
    """What a manager that plans ahead should decide: it works by the gold frame."""

    def __init__(self, gold: Frame) -> None:
        self._roles = stages(gold.domain, gold.slots)

    def roles(self, conversation: Conversation) -> Sequence[str]:
        return self._roles

    def accepts(self, role: str | None, result: str) -> bool:
        owed = _OWED.get(role or "")
        if owed is None:
            return bool(result.strip())
        return getattr(read_results([result]), owed) is not None


_OWED: Mapping[str, str] = {
    "intent": "intent",
    "time": "time_slots",
    "location": "place_slots",
    "url": "url",
}
"""The field of the results that a role's answer has to tell."""


def _told(answer: Mapping[str, Any]) -> str:
    """Return what a server's answer says: its response, else its message."""
    body = answer.get("body")
    if isinstance(body, Mapping):
        data = body.get("data")
        said = (data.get("response") if isinstance(data, Mapping) else None, body.get("msg"))
    else:
        said = (body, None)
    words = (" ".join(text.split()) for text in said if isinstance(text, str))
    return next((text for text in words if text), _NOTHING_TO_TELL)


def _request(received: Heard, *, can_call: bool) -> str | Sequence[Call] | None:
    if received.tool_answers:
        return received.tool_answers[-1].strip()
    if received.url is None:
        return None
    if can_call:
        return (Call(HTTP_TOOL, {"method": "GET", "url": received.url}),)
    return None


def _dump(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
