"""The team as a plain loop, without a framework: the control of a comparison."""

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import requests

from ossia_adapter import Answer, Episode, Reported, Role

__all__ = ["ADAPTER", "ControlAdapter", "ModelError", "RoutingError"]

FINISH = "finish"
TALK = "talk"
Message = dict[str, Any]


class RoutingError(RuntimeError):
    """The manager named no role."""


class ModelError(RuntimeError):
    """The endpoint answered with an error or with something that is no completion."""


@dataclass(slots=True)
class _Play:
    """One episode under way: the endpoint, what was said, and the counts of all responses.

    The talk holds what user and roles said, earlier turns of the conversation included.
    """

    episode: Episode
    session: requests.Session
    talk: list[Message]
    turns: list[tuple[str, str]] = field(default_factory=list)
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def complete(self, role: str, messages: list[Message], **options: Any) -> Message:
        """Ask a role's model and return the assistant's message."""
        self.calls += 1
        model: Message = {"model": self.episode.model(role), "temperature": 0}
        response = self.session.post(
            f"{self.episode.gateway_url}/chat/completions",
            json={**model, "messages": messages, **options},
            headers={"Authorization": f"Bearer {self.episode.api_key}"},
            timeout=self.episode.limits.call_seconds,
        )
        if response.status_code != 200:
            raise ModelError(f"HTTP {response.status_code}: {response.text[:1000]}")
        try:
            completion = response.json()
            message: Message = completion["choices"][0]["message"]
            usage = completion.get("usage") or {}
            self.prompt_tokens += usage.get("prompt_tokens", 0)
            self.completion_tokens += usage.get("completion_tokens", 0)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError(f"no completion: {response.text[:1000]}") from error
        return message

    def choose(self) -> Role | None:
        """Ask the manager which role works next; None when the work is finished."""
        team = self.episode.team
        if team.alone is not None:
            return None if self.turns else team.alone
        described = "\n".join(f"- {role.name}: {role.description}" for role in team.members)
        history = "\n".join(f"{said.get('name', 'user')}: {said['content']}" for said in self.talk)
        names = ", ".join(role.name for role in team.members)
        question = (
            f"The conversation so far:\n\n{history}\n\n"
            f"Which role works next? Answer with one word only: one of {names}, "
            f"or {FINISH} when the work is done."
        )
        system = f"{team.manager_role.prompt}\n\nThe roles:\n{described}"
        messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
        answer = self.complete(team.manager, messages).get("content")
        word = str(answer).strip().strip("`'\"*.").casefold()
        if word == FINISH:
            return None
        for role in team.members:
            if word == role.name.casefold():
                return role
        raise RoutingError(f"the manager named no role: {str(answer)[:200]!r}")

    def speak(self, role: Role) -> str:
        """Let a role take its turn, tool calls included, and return its words."""
        messages: list[Message] = [
            {"role": "system", "content": role.prompt},
            *self.talk,
        ]
        tools = {tool.__name__: tool for tool in self.episode.tools(role)}
        options = {"tools": [_schema(tool) for tool in tools.values()]} if tools else {}
        calls: list[Message] = []
        for _ in range(self.episode.limits.tool_rounds if tools else 0):
            said = self.complete(role.name, messages, **options)
            calls = said.get("tool_calls") or []
            if not calls:
                break
            text = said.get("content")
            messages.append({"role": "assistant", "content": text, "tool_calls": calls})
            messages += [_called(tools, call) for call in calls]
        if calls or not tools:
            last: Message = {"tool_choice": "none"} if tools else {}
            said = self.complete(role.name, messages, **options, **last)
        words: str = said.get("content") or ""
        if self.episode.team.alone is not None:
            self.talk[:] = [*messages[1:], {"role": "assistant", "content": words}]
        else:
            self.talk.append({"role": "user", "name": role.name, "content": words})
        return words


class ControlAdapter:
    """Plays the team without a framework."""

    name = "control"
    distribution = "ossia-adapter-control"
    conversation = True

    def run(self, episode: Episode) -> Answer:
        """Play one episode: the manager chooses, the role speaks, until the manager finishes.

        A role that plays alone speaks once. In a conversation all that was said goes from turn to
        turn.

        Raises RoutingError or ModelError, or a requests.RequestException when no answer comes.
        """
        with requests.Session() as session:
            session.trust_env = False
            talk = (episode.memory or {}).get(TALK, [])
            play = _Play(episode, session, [*talk, {"role": "user", "content": episode.task}])
            while len(play.turns) < episode.limits.turns and (role := play.choose()) is not None:
                play.turns.append((role.name, play.speak(role)))
        if episode.memory is not None:
            episode.memory[TALK] = play.talk
        final = [text for name, text in play.turns if name == episode.team.final]
        counts = Reported(play.calls, play.prompt_tokens, play.completion_tokens)
        return Answer(final[-1] if final else "", counts)


def _called(tools: dict[str, Callable[..., str]], call: Message) -> Message:
    """Make one tool call; whatever is wrong with it is told to the model."""
    name = call["function"]["name"]
    try:
        arguments = json.loads(call["function"]["arguments"] or "{}")
        inspect.signature(tools[name]).bind(**arguments)
    except KeyError:
        result = f"there is no tool {name}"
    except (ValueError, TypeError) as error:
        result = f"wrong arguments: {error}"
    else:
        result = tools[name](**arguments)
    return {"role": "tool", "tool_call_id": call["id"], "content": result}


def _schema(tool: Callable[..., str]) -> Message:
    """Describe a tool to the model; every parameter of the tools is a text."""
    names = list(inspect.signature(tool).parameters)
    properties = {name: {"type": "string"} for name in names}
    parameters = {"type": "object", "properties": properties, "required": names}
    described = {"name": tool.__name__, "description": inspect.getdoc(tool)}
    return {"type": "function", "function": {**described, "parameters": parameters}}


ADAPTER = ControlAdapter()
