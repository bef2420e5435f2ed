"""The team in nonsense: the same structure, with names, prompts and a task that mean nothing.

What a request then says of the real work, nobody gave. The model behind the gateway sees the real
words, so it answers as well as ever; what it says of roles is put into nonsense again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ossia.conformance.draw import Draw
from ossia_servers.gateway import Completion, Model, ModelCall
from ossia_workflows import Team

__all__ = ["Mask", "MaskedModel"]

_PROMPT_WORDS = 24
_DESCRIPTION_WORDS = 7
_UTTERANCE_WORDS = 6


class Mask:
    """Puts a team and a task into nonsense and back.

    Attributes:
        team: The team in nonsense.
        utterance: The user's sentence in nonsense.
    """

    def __init__(self, team: Team, utterance: str, draw: Draw) -> None:
        """Make a mask.

        Args:
            team: The real team.
            utterance: The real sentence.
            draw: What the names and words are drawn from.
        """
        random, roles = draw.of("order of the mask"), list(team.roles)
        random.shuffle(roles)
        name, *words = draw.words("mask", 1 + len(roles) + _UTTERANCE_WORDS + _PROMPT_WORDS)
        self._real = utterance
        self._names = {role.name: words.pop() for role in roles}
        self.utterance = " ".join(words.pop() for _ in range(_UTTERANCE_WORDS))
        masked = []
        self._prompts: dict[str, str] = {}
        for role in roles:
            prompt = " ".join(random.sample(words, _PROMPT_WORDS))
            self._prompts[prompt] = role.prompt
            described = " ".join(random.sample(words, _DESCRIPTION_WORDS))
            update = {"name": self._names[role.name], "prompt": prompt, "description": described}
            masked.append(role.model_copy(update=update))
        names = {"manager": self._names[team.manager], "final": self._names[team.final]}
        goal = " ".join(random.sample(words, _DESCRIPTION_WORDS))
        self.team = team.model_copy(
            update={"name": name, "goal": goal, "roles": tuple(masked), **names}
        )
        self._back = {masked: real for real, masked in self._names.items()}
        real_names = "|".join(map(re.escape, self._names))
        # Not inside other words, and not in the keys of JSON objects, which are the contract's.
        self._real_name = re.compile(rf"(?<![A-Za-z])({real_names})(?![A-Za-z])(?!\w*\\*\"\s*:)")
        self._masked_name = re.compile("|".join(self._back), re.IGNORECASE)

    def name(self, real: str) -> str:
        """Return a role's name in nonsense."""
        return self._names[real]

    def real_name(self, name: str) -> str:
        """Return the real name of a role; another text as it is."""
        return self._back.get(name, name)

    def unmask(self, value: Any) -> Any:
        """Return a value with every text in it in real words."""
        if isinstance(value, str):
            for masked, real in self._prompts.items():
                value = value.replace(masked, real)
            value = value.replace(self.utterance, self._real)
            return self._masked_name.sub(self._real_of, value)
        if isinstance(value, Mapping):
            return {self.unmask(key): self.unmask(each) for key, each in value.items()}
        return [self.unmask(each) for each in value] if isinstance(value, list) else value

    def mask(self, value: Any) -> Any:
        """Return a value with the real names and sentence in its texts put into nonsense."""
        if isinstance(value, str):
            value = value.replace(self._real, self.utterance)
            return self._real_name.sub(lambda found: self._names[found[1]], value)
        if isinstance(value, Mapping):
            return {key: self.mask(each) for key, each in value.items()}
        return [self.mask(each) for each in value] if isinstance(value, list) else value

    def _real_of(self, found: re.Match[str]) -> str:
        word = found[0]
        real = self._back[word.lower()]
        if word.isupper():
            return real.upper()
        return real.capitalize() if word[0].isupper() else real


class MaskedModel:
    """Lets a model answer requests of a masked team.

    Attributes:
        name: The model's name in records.
    """

    def __init__(self, base: Model, mask: Mask) -> None:
        """Make the model.

        Args:
            base: What answers; it sees the real words.
            mask: The mask of the team that asks.
        """
        self.name = base.name
        self._base = base
        self._mask = mask

    async def complete(self, call: ModelCall) -> Completion:
        """Answer a call.

        Args:
            call: The request and who makes it.

        Returns:
            The answer in nonsense as far as it names roles: all of a manager's, and the tools
            that a member calls, by one of which it may hand back.

        Raises:
            ModelFailure: As the base model raises it.
        """
        mask = self._mask
        role = mask.real_name(call.role)
        inner = replace(call, role=role, request=mask.unmask(dict(call.request)))
        completion = await self._base.complete(inner)
        message = completion.message
        if call.role == mask.team.manager:
            return replace(completion, message=mask.mask(message))
        return replace(completion, message=_with_calls(message, _offered(call), mask))


def _offered(call: ModelCall) -> set[str]:
    """Return the names of the tools of a request, as the masked team offers them."""
    tools = call.request.get("tools") or []
    return {tool["function"]["name"] for tool in tools if tool.get("type") == "function"}


def _with_calls(message: dict[str, Any], offered: set[str], mask: Mask) -> dict[str, Any]:
    """Return a message that calls the members' tools, such as `transfer_to_NAME`, as offered."""
    if not message.get("tool_calls"):
        return message

    def masked(name: str) -> str:
        # The domain servers' tools keep their names, even where one holds a role's.
        return name if name in offered else str(mask.mask(name))

    calls = [
        {**each, "function": {**each["function"], "name": masked(each["function"]["name"])}}
        for each in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}
