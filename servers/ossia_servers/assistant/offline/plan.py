"""What a manager decides: which role works next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia_dataset.normalise import PLACE_SLOTS, TIME_SLOTS
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline import compound
from ossia_servers.assistant.offline.hook import ResponseHook
from ossia_servers.assistant.offline.understanding.frames import CHAT_DOMAIN
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.names import role_of
from ossia_servers.wire.policy import Policy, retries_of
from ossia_servers.wire.results import Results
from ossia_servers.wire.ways import named_member, ways

_MORE_TURNS = 6


def needed_roles(domain: str, slots: Collection[str]) -> list[str]:
    """Return the roles that an intent needs, in the order of the work.

    The model knows the order as any model does, from the manager's prompt; the team's definition
    is not imported, so that the model stands on language alone. A test holds the two together.

    Args:
        domain: The intent's domain.
        slots: The names of its slots.

    Returns:
        The roles, `intent` first and `response` last.
    """
    if domain == CHAT_DOMAIN:
        return ["intent", "response"]
    roles = ["intent"]
    if any(slot in TIME_SLOTS for slot in slots):
        roles.append("time")
    if any(slot in PLACE_SLOTS for slot in slots):
        roles.append("location")
    return [*roles, "url", "request", "response"]


def domain_of(intent: Mapping[str, Any], domains: Mapping[str, str]) -> str:
    """Return the domain that an intent role's object names, or that its intent belongs to."""
    domain = intent.get("domain")
    if isinstance(domain, str) and domain:
        return domain
    return domains.get(str(intent.get("intent")), "")


def results_by_role(results: Results) -> dict[str, Any]:
    """Return what each role owes that owes a form; None where it has not given it."""
    return {
        "intent": results.intent,
        "time": results.time_slots,
        "location": results.place_slots,
        "url": results.url,
        "request": results.answer,
    }


def _given(conversation: Conversation) -> set[str]:
    """Return the roles whose results are known."""
    found = results_by_role(conversation.results)
    return {role for role, result in found.items() if result is not None}


def _asked(conversation: Conversation) -> Counter[str]:
    """Return how often each role was asked in the round under way, as far as the request tells.

    A framework may keep an answer that is empty to itself; then the manager's own call tells.
    """
    team = conversation.team
    tools = {way.tool for way in ways(conversation.tools, team).values()}
    calls = [call for message in conversation.messages for call in message.calls]
    called = [
        role_of(tool, team) or named_member(given, team) for tool, given in calls if tool in tools
    ]
    heard: list[str | None] = [speech.role for speech in conversation.speeches]
    if conversation.rounds is not None:
        called, heard = _of_round(called), _of_round(heard)
    return Counter(filter(None, called)) | Counter(filter(None, heard))


def _of_round(roles: Sequence[str | None]) -> list[str | None]:
    """Return the roles since the intent role was last asked after another one."""
    starts = [
        place
        for place, role in enumerate(roles)
        if role == "intent" and (place == 0 or roles[place - 1] != "intent")
    ]
    return list(roles[starts[-1] :]) if starts else []


@dataclass(frozen=True, slots=True)
class Manager:
    """Decides which roles work.

    Attributes:
        domains: Intent to domain.
        hook: What may replace the decisions, or None.
        policy: What is done about a member's answer that is no use; None for nothing.
    """

    domains: Mapping[str, str]
    hook: ResponseHook | None = None
    policy: Policy | None = None

    def next_role(
        self, conversation: Conversation, offered: Collection[str] | None = None
    ) -> str | None:
        """Decide which role works next.

        Args:
            conversation: What was said so far.
            offered: The roles to choose from, or None for all.

        Returns:
            The role, or None if the work is finished.
        """
        whole, conversation = conversation, compound.under_way(conversation)
        done = self._done(whole, conversation)
        right = _due(conversation, self.domains, offered, done)
        if self.hook is None or right is None or "response" in done:
            return right
        known = done if whole.rounds is None else done | whole.spoke
        heard = [speech.role for speech in whole.speeches if speech.role in known]
        order = [*(role for role in MEMBERS if role in known and role not in heard), *heard]
        return self.hook.choose(conversation, right, conversation.results.intent, order, offered)

    def _done(self, whole: Conversation, conversation: Conversation) -> set[str]:
        """Return the roles that have done their work in the round, or that are given up."""
        given = _given(conversation)
        if self.policy is None:
            return given | conversation.spoke
        if any(s.role == "response" and s.text.strip() for s in conversation.speeches):
            given.add("response")
        retries = retries_of(self.policy)
        return given | {role for role, times in _asked(whole).items() if times > retries}

    def planned_roles(
        self, conversation: Conversation, intent: Mapping[str, Any], roles: Sequence[str]
    ) -> list[str]:
        """Return the roles that a manager calls who decides on all of them at once.

        Args:
            conversation: What it is told.
            intent: The intent as the manager understands it.
            roles: The roles that the work needs, in order; in every round anew where it has
                several.
        """
        hook = self.hook
        if hook is None:
            return list(roles)
        done: list[str] = []
        while len(done) < 2 * len(roles) + _MORE_TURNS:
            places = range(len(roles))
            right = next(
                (roles[p] for p in places if roles[: p + 1].count(roles[p]) > done.count(roles[p])),
                None,
            )
            # A plan holds at least one role: the work cannot end before it has begun.
            offered = None if done else MEMBERS
            told = intent if done else None
            role = right and hook.choose(conversation, right, told, done, offered)
            if not role:
                break
            done.append(role)
        return done


def _due(
    conversation: Conversation,
    domains: Mapping[str, str],
    offered: Collection[str] | None,
    done: Collection[str],
) -> str | None:
    if "response" in done:
        return None
    if "intent" not in done:
        return "intent" if offered is None or "intent" in offered else _first(offered)
    intent = conversation.results.intent
    if intent is None:
        # The intent role spoke, but not as agreed. Each role works once, so the others go on.
        roles = needed_roles("", ())
    else:
        slots = intent["slots"] if isinstance(intent.get("slots"), Mapping) else {}
        roles = needed_roles(domain_of(intent, domains), slots)
    if conversation.rounds is not None:
        domain = None if intent is None else domain_of(intent, domains)
        if compound.ends(domain):
            roles = ["response"]
        elif "request" in done:
            roles, done = ["intent"], set()
    for role in roles:
        if role not in done and (offered is None or role in offered):
            return role
    return _first(offered) if offered is not None else None


def _first(offered: Collection[str]) -> str | None:
    return next(iter(offered), None)
