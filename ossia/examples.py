"""What a model may learn from tasks: requests with their answers, apart from what is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia_dataset.tasks import Task
from ossia_servers.gateway.estimates import message_text
from ossia_servers.wire.names import user_says

__all__ = ["Example", "plain_example"]


@dataclass(frozen=True, slots=True)
class Example:
    """One thing to learn.

    Attributes:
        messages: The messages of the request, as the gateway sees them.
        answer: The whole answer.
    """

    messages: tuple[Mapping[str, Any], ...]
    answer: str

    def chat(self) -> list[dict[str, str]]:
        """Return the messages and the answer, each as a role and a text and nothing else.

        Frameworks send contents in parts and fields of their own; files of one form can be read as
        a table.
        """
        asked = [{"role": m["role"], "content": message_text(m)} for m in self.messages]
        return [*asked, {"role": "assistant", "content": self.answer}]


def plain_example(prompt: str, task: Task, answer: str, earlier: Sequence[str] = ()) -> Example:
    """Return what a role with a prompt should answer, as where a framework adds nothing.

    Args:
        prompt: The role's prompt.
        task: What the user asks for.
        answer: What the role should answer.
        earlier: What other roles have said before.
    """
    said = [{"role": "user", "content": text} for text in (user_says(task.utterance), *earlier)]
    return Example(({"role": "system", "content": prompt}, *said), answer)
