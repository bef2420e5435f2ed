"""From the messages of a request to the text that a model goes on writing.

Training and serving share this module: a model must meet the very text that it was tuned on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from jinja2 import TemplateError

from ossia_servers.gateway.estimates import message_text

Message = Mapping[str, Any]


class Chat(Protocol):
    """What is needed of a tokenizer here."""

    chat_template: Any

    @property
    def apply_chat_template(self) -> Callable[..., Any]:
        """Writes messages as the model knows them from its own training."""
        ...


def prompt_text(chat: Chat, messages: Sequence[Message]) -> str:
    """Return the text of a conversation up to the place where the answer begins.

    Args:
        chat: The base model's tokenizer. Its own template is used where it has one; where it has
            none, each message stands under its role's name.
        messages: Messages as in the OpenAI interface. A speaker's name is put before the words, and
            a tool's answer counts as the user's, since few templates know either.
    """
    plain = [_plain(message) for message in messages]
    if not chat.chat_template:
        parts = [f"<{message['role']}>\n{message['content']}\n" for message in plain]
        return "".join([*parts, "<assistant>\n"])
    try:
        return _templated(chat, plain)
    # A template that knows no system role says so with an error of its own.
    except TemplateError:
        if plain[0]["role"] != "system":
            raise
        return _templated(chat, _without_system(plain))


def _templated(chat: Chat, messages: Sequence[Mapping[str, str]]) -> str:
    text = chat.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
    return str(text)


def _plain(message: Message) -> dict[str, str]:
    role, name = message.get("role"), message.get("name")
    text = message_text(message)
    if role == "assistant":
        return {"role": "assistant", "content": text}
    if isinstance(name, str) and name:
        text = f"{name}: {text}"
    return {"role": "system" if role in ("system", "developer") else "user", "content": text}


def _without_system(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Put the first, system message's words before those of the user."""
    first, *rest = messages
    if not rest or rest[0]["role"] != "user":
        return [{"role": "user", "content": first["content"]}, *rest]
    joined = f"{first['content']}\n\n{rest[0]['content']}"
    return [{"role": "user", "content": joined}, *rest[1:]]
