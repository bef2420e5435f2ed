"""A model that does what a function or a file of rules says; for tests and conformance checks."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError, model_validator

from ossia_servers.gateway.estimates import message_text
from ossia_servers.gateway.models import Completion, ModelCall, ModelFailure, completion_of
from ossia_servers.gateway.records import Usage

Reply = str | Mapping[str, Any] | Completion
"""A text, an assistant message, or a full completion."""

Script = Callable[[ModelCall], Reply | Awaitable[Reply]]
"""What a scripted model runs for each call; may raise `ModelFailure`."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolUse(_Frozen):
    """A tool call that a rule answers with.

    Attributes:
        name: The tool.
        arguments: Its arguments; a string is passed on as it is, valid JSON or not.
    """

    name: str
    arguments: dict[str, Any] | str


class Rule(_Frozen):
    """When a rule applies and what the model does then.

    All given conditions must hold; the first rule of a script that applies is taken.

    Attributes:
        role: The role that asks.
        last_role: The role field of the last message: `user`, `tool`, ...
        last: Regular expression to be found in the text of the last message.
        text: Regular expression to be found in the text of all messages.
        times: How often the rule may be taken in one episode; without it, always.
        answer: Answer with this text, or with this assistant message.
        tools: Answer with these tool calls (beside `answer`, if that is a text).
        finish_reason: What the answer reports; by default `tool_calls` or `stop`.
        usage: Tokens that the answer reports; by default none, so they are estimated.
        fail: Instead of an answer: `error` as if the provider answered 500 for ever, `malformed`
            as if it answered nonsense for ever, `hang` never to answer.
    """

    role: str | None = None
    last_role: str | None = None
    last: re.Pattern[str] | None = None
    text: re.Pattern[str] | None = None
    times: PositiveInt | None = None
    answer: str | dict[str, Any] | None = None
    tools: tuple[ToolUse, ...] = ()
    finish_reason: str | None = None
    usage: Usage | None = None
    fail: Literal["error", "malformed", "hang"] | None = None

    @model_validator(mode="after")
    def _does_one_thing(self) -> Self:
        answers = self.answer is not None or bool(self.tools)
        if answers == (self.fail is not None):
            raise ValueError("a rule needs either an answer (answer, tools) or fail")
        if isinstance(self.answer, dict) and self.tools:
            raise ValueError("a rule that answers with a message puts its tool calls there")
        return self


class Rules(_Frozen):
    """A file of rules.

    Attributes:
        rules: In the order in which they are tried.
    """

    rules: tuple[Rule, ...] = Field(min_length=1)


class ScriptedModel:
    """Runs a Python function for each call."""

    def __init__(self, script: Script, *, name: str = "scripted") -> None:
        """Make the model.

        Args:
            script: Gives the reply, at once or as an awaitable.
            name: The model's name in the records.
        """
        self.name = name
        self._script = script

    async def complete(self, call: ModelCall) -> Completion:
        """Run the script.

        Args:
            call: The request.

        Returns:
            The reply as a completion.

        Raises:
            ModelFailure: If the script raises it.
        """
        reply = self._script(call)
        if inspect.isawaitable(reply):
            reply = await reply
        return _completion(reply)

    @classmethod
    def from_rules(cls, rules: Rules) -> Self:
        """Make a model of rules, whose counts for `times` live as long as it does."""
        return cls(_RuleScript(rules))

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Read a model of rules from a JSON file.

        Args:
            path: A file with `{"rules": [...]}`.

        Returns:
            The model.

        Raises:
            OSError: If the file cannot be read.
            ValueError: If it holds no valid rules; says where.
        """
        try:
            rules = Rules.model_validate_json(path.read_bytes())
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the file"
            raise ValueError(f"{path} contains no valid rules: {place}: {first['msg']}.") from error
        return cls.from_rules(rules)


class _RuleScript:
    def __init__(self, rules: Rules) -> None:
        self._rules = rules.rules
        self._taken: Counter[tuple[str, int]] = Counter()

    async def __call__(self, call: ModelCall) -> Reply:
        rule = self._choose(call)
        if rule.fail == "hang":
            await asyncio.Event().wait()
        if rule.fail == "error":
            raise ModelFailure("The script answers HTTP 500.")
        if rule.fail == "malformed":
            raise ModelFailure("The script's answer is not a chat completion.")
        message = rule.answer if isinstance(rule.answer, dict) else _message(rule, call)
        completion = _completion(message)
        return Completion(
            message=completion.message,
            finish_reason=rule.finish_reason or completion.finish_reason,
            usage=rule.usage,
        )

    def _choose(self, call: ModelCall) -> Rule:
        texts = [message_text(message) for message in call.request["messages"]]
        whole = "\n".join(texts)
        last_role = call.request["messages"][-1].get("role")
        for number, rule in enumerate(self._rules):
            if (
                rule.role in (None, call.role)
                and rule.last_role in (None, last_role)
                and (rule.last is None or rule.last.search(texts[-1]))
                and (rule.text is None or rule.text.search(whole))
                and (rule.times is None or self._taken[call.episode, number] < rule.times)
            ):
                if rule.times is not None:
                    self._taken[call.episode, number] += 1
                return rule
        raise ModelFailure(
            f"No rule of the script fits this request of role {call.role} "
            f"(last message {texts[-1][:120]!r})."
        )


def _message(rule: Rule, call: ModelCall) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": rule.answer}
    if rule.tools:
        # Numbered on from the calls in the history, so that ids within one conversation differ.
        before = sum(len(m.get("tool_calls") or ()) for m in call.request["messages"])
        message["tool_calls"] = [
            {
                "id": f"call_{call.role}_{number}",
                "type": "function",
                "function": {"name": use.name, "arguments": _arguments(use)},
            }
            for number, use in enumerate(rule.tools, start=before)
        ]
    return message


def _arguments(use: ToolUse) -> str:
    return use.arguments if isinstance(use.arguments, str) else orjson.dumps(use.arguments).decode()


def _completion(reply: Reply) -> Completion:
    if isinstance(reply, Completion):
        return reply
    message = {"content": reply} if isinstance(reply, str) else dict(reply)
    return completion_of(message)
