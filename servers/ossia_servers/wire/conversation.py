"""What a request to the model says: who is asked, what was said, what is already known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ossia_servers.wire.ledgers import without_team
from ossia_servers.wire.messages import Message, mapping, read_messages, read_tools
from ossia_servers.wire.reading import find_step, find_utterances
from ossia_servers.wire.results import Results, read_results
from ossia_servers.wire.speeches import Speech, read_speeches

_PREFIX = "ossia-"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request, read.

    Attributes:
        role: The role that is asked, from the model's name.
        messages: The messages.
        utterance: The user's sentence; empty if there is none.
        results: What the roles have found out so far.
        speeches: What the roles said, where it can be told who spoke.
        tools: The tools on offer, by name, with their parameters' schema.
        schema: The JSON schema that the answer must follow, or None.
        json_wanted: Whether the answer must be JSON.
        texts: What was said since the task was given.
        rounds: What every round has come to, where the reader parts them; else None.
        team: The roles that a manager can choose from.
        step: The step of a workflow that alone is to be done; empty if the whole task is.
    """

    role: str
    messages: tuple[Message, ...]
    utterance: str
    results: Results
    speeches: tuple[Speech, ...]
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    json_wanted: bool = False
    texts: tuple[str, ...] = ()
    rounds: tuple[Results, ...] | None = None
    team: tuple[str, ...] = ()
    step: str = ""

    @property
    def prompt(self) -> str:
        """The text of the last message that is neither of a tool nor of the model."""
        for message in reversed(self.messages):
            if message.role in ("user", "system", "developer"):
                return message.text
        return ""

    @property
    def said(self) -> str:
        """The texts of all messages, one after another."""
        return "\n".join(message.text for message in self.messages)

    @property
    def spoke(self) -> frozenset[str]:
        """The roles that were heard."""
        return frozenset(speech.role for speech in self.speeches)


def _main_texts(messages: Sequence[Message]) -> list[str]:
    """Return the texts that tell of the task: a system message only if no other does."""
    others = [message.text for message in messages if message.role != "system"]
    if any(find_utterances(text) for text in others):
        return others
    return [message.text for message in messages]


def _utterance(texts: Sequence[str], messages: Sequence[Message]) -> str:
    mentions = [mention for text in texts for mention in find_utterances(text)]
    if mentions:
        return mentions[-1].utterance
    for message in messages:
        if message.role == "user" and 0 < len(message.text) <= 400:
            return message.text
    return ""


def _from_the_task_on(text: str, utterance: str) -> str:
    """Cut off what stands before the task: role descriptions and the examples in them."""
    for mention in find_utterances(text):
        if mention.utterance == utterance:
            return text[mention.end :]
    return text


def read_conversation(request: Mapping[str, Any], team: Sequence[str]) -> Conversation:
    """Read the body of a chat completion request.

    Args:
        request: The body as received; whatever is missing or malformed is passed over.
        team: The roles that a manager can choose from.

    Returns:
        What it says.
    """
    model = request.get("model")
    name = model if isinstance(model, str) else ""
    messages, tools = read_messages(request), read_tools(request)
    texts = _main_texts(messages)
    utterance = _utterance(texts, messages)
    task_texts = [without_team(_from_the_task_on(text, utterance)) for text in texts]
    form = mapping(request.get("response_format"))
    schema = mapping(form.get("json_schema")).get("schema")
    role = name.rpartition("/")[2].removeprefix(_PREFIX)
    return Conversation(
        role=role,
        messages=messages,
        utterance=utterance,
        results=read_results(task_texts),
        speeches=tuple(read_speeches(role, messages, task_texts, tools, team)),
        tools=tools,
        schema=schema if isinstance(schema, Mapping) else None,
        json_wanted=form.get("type") in ("json_schema", "json_object"),
        texts=tuple(task_texts),
        team=tuple(team),
        step=next(filter(None, map(find_step, reversed(task_texts))), ""),
    )
