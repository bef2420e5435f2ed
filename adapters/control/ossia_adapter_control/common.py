"""What the control's variants share: an endpoint, an agent's loop of tool calls, and the talk."""

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ossia_adapter import Answer, Episode, Reported, Role
from ossia_adapter.client import send

__all__ = ["Message", "ModelError", "Play", "RoutingError", "Tool", "called", "opened"]

TALK = "talk"
Message = dict[str, Any]
Tool = Callable[..., str]


class RoutingError(RuntimeError):
    """The manager named no role."""


class ModelError(RuntimeError):
    """The endpoint answered with an error or with something that is no completion."""


@dataclass(slots=True)
class Play:
    """One episode under way: the endpoint, what was said, and the counts of all responses.

    The talk holds what user and roles said, earlier turns of the conversation included; the turns
    are those of members, with the words of each.
    """

    episode: Episode
    talk: list[Message]
    turns: list[tuple[str, str]] = field(default_factory=list)
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def complete(
        self, role: Role, talk: Sequence[Message], tools: Sequence[Tool] = (), **options: Any
    ) -> Message:
        """Ask a role's model and return the assistant's message."""
        self.calls += 1
        system: Message = {"role": "system", "content": role.prompt}
        offered = {"tools": [_schema(tool) for tool in tools], **options} if tools else {}
        model: Message = {"model": self.episode.model(role.name), "temperature": 0}
        request = {**model, "messages": [system, *talk], **offered}
        answer = send(
            "POST",
            f"{self.episode.gateway_url}/chat/completions",
            seconds=self.episode.limits.call_seconds,
            headers={
                "Authorization": f"Bearer {self.episode.api_key}",
                "Content-Type": "application/json",
            },
            body=json.dumps(request).encode(),
        )
        shown = answer.body[:1000].decode("utf-8", "replace")
        if answer.status != 200:
            raise ModelError(f"HTTP {answer.status}: {shown}")
        try:
            completion = json.loads(answer.body)
            message: Message = completion["choices"][0]["message"]
            usage = completion.get("usage") or {}
            self.prompt_tokens += usage.get("prompt_tokens", 0)
            self.completion_tokens += usage.get("completion_tokens", 0)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError(f"no completion: {shown}") from error
        return message

    def work(self, role: Role, talk: list[Message], tools: Sequence[Tool], rounds: int) -> str:
        """Let a role call its tools, then speak; the talk goes on by its calls and its words.

        After so many rounds of calls it must answer without tools.
        """
        for _ in range(rounds if tools else 0):
            said = self.complete(role, talk, tools)
            calls = said.get("tool_calls") or []
            if not calls:
                break
            talk.append({"role": "assistant", "content": said.get("content"), "tool_calls": calls})
            talk += [called(tools, call) for call in calls]
        else:
            said = self.complete(role, talk, tools, tool_choice="none")
        words: str = said.get("content") or ""
        talk.append({"role": "assistant", "content": words})
        return words

    def work_alone(self, role: Role) -> str:
        """Let a role that has no team work, and return its words."""
        return self.work(role, self.talk, self.episode.tools(role), self.episode.limits.tool_rounds)

    @property
    def final(self) -> str:
        """The final role's last words; empty where it never spoke."""
        found = [words for name, words in self.turns if name == self.episode.team.final]
        return found[-1] if found else ""

    def answer(self, text: str) -> Answer:
        """Return the answer with the counts of all responses."""
        return Answer(text, Reported(self.calls, self.prompt_tokens, self.completion_tokens))


@contextmanager
def opened(episode: Episode, kind: type[Play] = Play) -> Iterator[Play]:
    """Open an episode, whose talk is kept for the next turn of a conversation."""
    talk = [*(episode.memory or {}).get(TALK, []), {"role": "user", "content": episode.task}]
    play = kind(episode, talk)
    yield play
    if episode.memory is not None:
        episode.memory[TALK] = play.talk


def called(tools: Sequence[Tool], call: Message) -> Message:
    """Make one tool call; whatever is wrong with it is told to the model."""
    name = call["function"]["name"]
    try:
        tool = {tool.__name__: tool for tool in tools}[name]
        arguments = json.loads(call["function"]["arguments"] or "{}")
        inspect.signature(tool).bind(**arguments)
    except KeyError:
        result = f"there is no tool {name}"
    except (ValueError, TypeError) as error:
        result = f"wrong arguments: {error}"
    else:
        result = tool(**arguments)
    return {"role": "tool", "tool_call_id": call["id"], "content": result}


def _schema(tool: Tool) -> Message:
    """Describe a tool to the model; every parameter of the tools is a text."""
    names = list(inspect.signature(tool).parameters)
    properties = {name: {"type": "string"} for name in names}
    parameters = {"type": "object", "properties": properties, "required": names}
    described = {"name": tool.__name__, "description": inspect.getdoc(tool)}
    return {"type": "function", "function": {**described, "parameters": parameters}}
