"""Ways to write an assistant's message in another shape, with the same words in it."""

from __future__ import annotations

from random import Random

from benchmarks.attribution.wild.material import Material
from benchmarks.attribution.wild.messages import Message, read_json
from benchmarks.attribution.wild.texts import NEUTRAL


def parts(message: Message, material: Material, draw: Random) -> Message | None:
    """Write the content as a list of parts."""
    content = message.get("content")
    if not isinstance(content, str):
        return None
    half = draw.randrange(len(content) + 1)
    texts = draw.choice(([content], [content[:half], content[half:]]))
    return {**message, "content": [{"type": "text", "text": text} for text in texts]}


def no_content(message: Message, material: Material, draw: Random) -> Message | None:
    """Have no content at all."""
    return {**message, "content": None} if message.get("content") is not None else None


def talking(message: Message, material: Material, draw: Random) -> Message | None:
    """Say something beside a native tool call."""
    if not message.get("tool_calls"):
        return None
    said = draw.choice((*NEUTRAL, *material.sentences))
    return {**message, "content": said}


def open_arguments(message: Message, material: Material, draw: Random) -> Message | None:
    """Give the arguments of native tool calls as objects and not as text."""
    every = message.get("tool_calls")
    if not every:
        return None
    opened = [
        {**c, "function": {**c["function"], "arguments": read_json(c["function"]["arguments"])}}
        for c in every
    ]
    return {**message, "tool_calls": opened}
