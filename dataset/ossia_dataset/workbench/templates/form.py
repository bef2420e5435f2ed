"""The form of a template, and how its sentences are written and read back."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.office import Office

Values = Mapping[str, str]
"""What is drawn, in the words of the prompt, by placeholder."""

Truth = Callable[[Office, Values], tuple[Request, ...] | None]
"""The requests of a correct run; None where the drawn words make no sensible task."""

Condition = Callable[[Office, Values], bool | None]
"""Whether a condition holds; None where the drawn words make no sensible one."""

Facts = Callable[[Office, Values], tuple[str, ...]]
"""What an answer has to tell."""

Looks = Callable[[Office, Values], tuple[Request, ...]]
"""Questions to the tools by which one finds out whether there is anything to do."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Template:
    """One kind of task."""

    name: str
    domain: str
    """A toolkit, or `multi_domain`."""
    toolkits: tuple[str, ...]
    """The toolkits that a correct run needs, beside the directory."""
    phrasings: tuple[str, ...]
    placeholders: tuple[str, ...]
    """What has to be drawn, in the order of the draws."""
    truth: Truth
    idle: int = 0
    """Of ten tasks, how many have nothing to do."""
    facts: Facts | None = None
    """For a question."""
    looks: Looks | None = None
    """For a template with a condition, or whose wish may meet nothing."""

    def say(self, phrasing: int, values: Values) -> str:
        """Return the prompt in one of the phrasings."""
        return self.phrasings[phrasing].format(**values)

    def read(self, prompt: str) -> Sequence[Values]:
        """Return what a prompt may have been made of: nothing where it is not of this template."""
        found = []
        for phrasing in self.phrasings:
            match = _pattern(phrasing).fullmatch(prompt)
            if match is not None:
                found.append(match.groupdict())
        return found


def placeholders(text: str) -> tuple[str, ...]:
    """Return the placeholders of a text, each once, in their order."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))


@cache
def _pattern(phrasing: str) -> re.Pattern[str]:
    seen: set[str] = set()
    parts = []
    for index, part in enumerate(_PLACEHOLDER.split(phrasing)):
        if index % 2 == 0:
            parts.append(re.escape(part))
        elif part in seen:
            parts.append(f"(?P={part})")
        else:
            seen.add(part)
            parts.append(f"(?P<{part}>.+?)")
    return re.compile("".join(parts))


@cache
def texts() -> Mapping[str, Any]:
    """Return all sentences."""
    source = resources.files("ossia_dataset") / "data" / "workbench" / "templates.toml"
    return tomllib.loads(source.read_text("utf-8"))


def plain(
    name: str,
    domain: str,
    toolkits: str,
    truth: Truth,
    idle: int = 0,
    *,
    facts: Facts | None = None,
    looks: Looks | None = None,
) -> Template:
    """Return a template with phrasings of its own.

    Args:
        name: its name in the file of sentences.
        domain: a toolkit, or `multi_domain`.
        toolkits: the needed ones, with spaces between; empty for the domain itself.
        truth: what a correct run does.
        idle: of ten tasks, how many have nothing to do.
        facts: for a question, what the answer has to tell.
        looks: where some tasks have nothing to do, what tells so.
    """
    kits = tuple(toolkits.split()) or (domain,)
    phrasings = tuple(texts()["templates"][name])
    return Template(
        name, domain, kits, phrasings, placeholders(phrasings[0]), truth, idle, facts, looks
    )
