"""What a request to the model says: who is asked, what was said, what is already known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ossia_servers.wire.reading import find_objects, find_utterances

MEMBERS = ("intent", "time", "location", "url", "request", "response")
"""The roles that a manager can choose from, in the order of the work."""

_PREFIX = "ossia-"
_HOME = re.compile(r"home is ([^.\n]{2,80})\.")
_CATALOGUE_LINE = re.compile(r"^(\w+): ([a-z][\w, ]*) \| (.*)$", re.MULTILINE)
_SPEAKER = re.compile(rf"^({'|'.join(MEMBERS)}):[ \t]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request.

    Attributes:
        role: `system`, `user`, `assistant` or `tool`.
        name: Who speaks, where the framework says it, or the tool that answers; else empty.
        text: The words, tool calls left out.
        arguments: What the tool was called with that answers; else empty.
    """

    role: str
    name: str
    text: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Results:
    """What the roles have found out so far; None where they have not.

    Attributes:
        intent: The intent role's object.
        time_slots: Slots of a time kind in normal form.
        place_slots: Slots of a place kind in normal form.
        url: The address to ask.
        answer: The server's answer, with `status` and `body`.
        today: What `get_date` answered.
    """

    intent: Mapping[str, Any] | None = None
    time_slots: Mapping[str, Any] | None = None
    place_slots: Mapping[str, Any] | None = None
    url: str | None = None
    answer: Mapping[str, Any] | None = None
    today: Mapping[str, Any] | None = None

    def lines(self) -> list[tuple[str, str]]:
        """Return role and JSON text of each result, to be passed on."""
        parts: list[tuple[str, Any]] = [
            ("intent", self.intent),
            ("time", {"time_slots": self.time_slots} if self.time_slots is not None else None),
            (
                "location",
                {"place_slots": self.place_slots} if self.place_slots is not None else None,
            ),
            ("url", {"url": self.url} if self.url is not None else None),
            ("request", self.answer),
        ]
        return [
            (role, json.dumps(value, ensure_ascii=False))
            for role, value in parts
            if value is not None
        ]


@dataclass(frozen=True, slots=True)
class Speech:
    """What a role was heard to say.

    Attributes:
        role: The role.
        text: Its words.
    """

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """The catalogue in a prompt: what an intent role's answer may be made of.

    Attributes:
        intents: The intents to choose from.
        slots: Domain to the slots that it knows; a domain that is not listed knows all.
    """

    intents: frozenset[str]
    slots: Mapping[str, frozenset[str]]


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
        home: The user's home location; empty if it is not said.
        bounds: The catalogue in the prompt, or None.
        texts: What was said since the task was given.
        rounds: What every round has come to, where the reader parts them; else None.
    """

    role: str
    messages: tuple[Message, ...]
    utterance: str
    results: Results
    speeches: tuple[Speech, ...]
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    json_wanted: bool = False
    home: str = ""
    bounds: Bounds | None = None
    texts: tuple[str, ...] = ()
    rounds: tuple[Results, ...] | None = None

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


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _text(content: object) -> str:
    """Return the words of a message's content: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = (_mapping(part).get("text") for part in _items(content))
    return "\n".join(part for part in parts if isinstance(part, str))


def _called(
    entries: Sequence[Mapping[str, Any]],
) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return the tool's name and arguments for the id of every tool call that was made."""
    called = {}
    for entry in entries:
        for item in _items(entry.get("tool_calls")):
            call = _mapping(item)
            function = _mapping(call.get("function"))
            identity, name = call.get("id"), function.get("name")
            if isinstance(identity, str) and isinstance(name, str):
                called[identity] = name, _arguments(function.get("arguments"))
    return called


def _arguments(given: object) -> Mapping[str, Any]:
    try:
        return _mapping(json.loads(given) if isinstance(given, str) else given)
    except (ValueError, RecursionError):
        return {}


def _messages(request: Mapping[str, Any]) -> tuple[Message, ...]:
    entries = [_mapping(item) for item in _items(request.get("messages"))]
    called = _called(entries)
    messages = []
    for entry in entries:
        role, name, call = entry.get("role"), entry.get("name"), entry.get("tool_call_id")
        tool, arguments = called.get(call, ("", {})) if isinstance(call, str) else ("", {})
        text = _text(entry.get("content"))
        messages.append(
            Message(
                role if isinstance(role, str) else "user",
                name if isinstance(name, str) else tool,
                text,
                arguments,
            )
        )
    return tuple(messages)


def _tools(request: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    if request.get("tool_choice") == "none":
        return {}
    tools = {}
    for item in _items(request.get("tools")):
        function = _mapping(_mapping(item).get("function"))
        name = function.get("name")
        if isinstance(name, str) and name:
            tools[name] = _mapping(function.get("parameters"))
    return tools


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


def result_in(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field of `Results` that a JSON object tells, with what it tells; empty for none.

    Args:
        value: The object.
    """
    if isinstance(value.get("intent"), str) and isinstance(value.get("slots"), dict):
        return {"intent": value}
    for name in ("time_slots", "place_slots"):
        if isinstance(value.get(name), dict):
            return {name: value[name]}
    if "status" in value and "body" in value:
        return {"answer": value}
    if isinstance(value.get("url"), str) and "method" not in value:
        return {"url": value["url"]}
    if isinstance(value.get("date"), str) and "weekday" in value:
        return {"today": value}
    return {}


def read_results(texts: Sequence[str]) -> Results:
    """Collect what the roles have found out from their JSON objects; the latest counts.

    Args:
        texts: Texts, in order.

    Returns:
        The results.
    """
    found: dict[str, Any] = {}
    for text in texts:
        for item in find_objects(text):
            found |= result_in(item.value)
    return Results(**found)


def _speeches(messages: Sequence[Message], texts: Sequence[str]) -> Iterator[Speech]:
    for message in messages:
        spoken = message.role == "user" or (message.role == "assistant" and message.text)
        if message.name in MEMBERS and spoken:
            yield Speech(message.name, message.text)
    for text in texts:
        starts = list(_SPEAKER.finditer(text))
        for number, match in enumerate(starts):
            end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
            yield Speech(match.group(1), text[match.end() : end].strip())


def _bounds(messages: Sequence[Message]) -> Bounds | None:
    """Read the catalogue of domains from the prompt."""
    intents: set[str] = set()
    slots: dict[str, frozenset[str]] = {}
    for message in messages:
        for domain, names, fields in _CATALOGUE_LINE.findall(message.text):
            intents |= {name.strip() for name in names.split(",")}
            slots[domain] = frozenset(re.findall(r"\w+", fields))
    return Bounds(frozenset(intents), slots) if intents else None


def read_conversation(request: Mapping[str, Any]) -> Conversation:
    """Read the body of a chat completion request.

    Args:
        request: The body as received; whatever is missing or malformed is passed over.

    Returns:
        What it says.
    """
    model = request.get("model")
    name = model if isinstance(model, str) else ""
    messages = _messages(request)
    texts = _main_texts(messages)
    utterance = _utterance(texts, messages)
    task_texts = [_from_the_task_on(text, utterance) for text in texts]
    form = _mapping(request.get("response_format"))
    schema = _mapping(form.get("json_schema")).get("schema")
    home = _HOME.search("\n".join(message.text for message in messages))
    return Conversation(
        role=name.rpartition("/")[2].removeprefix(_PREFIX),
        messages=messages,
        utterance=utterance,
        results=read_results(task_texts),
        speeches=tuple(_speeches(messages, task_texts)),
        tools=_tools(request),
        schema=schema if isinstance(schema, Mapping) else None,
        json_wanted=form.get("type") in ("json_schema", "json_object"),
        home=home.group(1).strip() if home else "",
        bounds=_bounds(messages),
        texts=tuple(task_texts),
    )
