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
from ossia_dataset.workbench.generated import stream
from ossia_dataset.workbench.office import Office

Values = Mapping[str, str]
"""What is drawn, in the words of the prompt, by placeholder."""

Truth = Callable[[Office, Values], tuple[Request, ...] | None]
"""The requests of a correct run; None where the drawn words make no sensible task."""

Condition = Callable[[Office, Values], bool | None]
"""Whether a condition holds; None where the drawn words make no sensible one."""

Facts = Callable[[Office, Values], tuple[str, ...]]
"""What an answer has to tell."""

_PHRASINGS = 3
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


def _named(text: str) -> tuple[str, ...]:
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
    return Template(name, domain, kits, phrasings, _named(phrasings[0]), truth, idle, facts, looks)


def _listed(acts: Sequence[str]) -> str:
    """Return acts as one sentence names them."""
    if len(acts) < 3:
        return " and ".join(acts)
    return ", ".join(acts[:-1]) + f", and {acts[-1]}"


def _conditional_phrasings(name: str, condition: str, acts: Sequence[str]) -> tuple[str, ...]:
    """Return three of the forms of a sentence, each with other wordings of condition and acts."""
    said = texts()
    forms = stream("phrasings", name).sample(said["conditional"]["phrasings"], _PHRASINGS)

    def wording(options: Sequence[str], turn: int) -> str:
        return options[turn % len(options)]

    return tuple(
        form.replace("{condition}", wording(said["conditions"][condition], turn)).replace(
            "{act}", _listed([wording(said["acts"][act], turn) for act in acts])
        )
        for turn, form in enumerate(forms)
    )


def conditional(
    name: str, domain: str, toolkits: str, condition: str, acts: str, idle: int
) -> Template:
    """Return a template that asks for acts under a condition.

    Args:
        name: its name.
        domain: a toolkit, or `multi_domain`.
        toolkits: the needed ones, with spaces between; empty for the domain itself.
        condition: the condition's name.
        acts: names of the acts, with spaces between.
        idle: of ten tasks, how many have a condition that does not hold.
    """
    from ossia_dataset.workbench.templates.acts import ACTS
    from ossia_dataset.workbench.templates.conditions import CONDITIONS
    from ossia_dataset.workbench.templates.looks import LOOKS

    wanted = acts.split()
    first = [texts()["conditions"][condition][0], *(texts()["acts"][act][0] for act in wanted)]
    holds, does = CONDITIONS[condition], [ACTS[item] for item in wanted]

    def truth(office: Office, values: Values) -> tuple[Request, ...] | None:
        found = holds(office, values)
        if not found:
            return None if found is None else ()
        requests: list[Request] = []
        for act in does:
            done = act(office, values)
            if not done:
                return None
            requests += done
        return tuple(requests)

    return Template(
        name,
        domain,
        tuple(toolkits.split()) or (domain,),
        _conditional_phrasings(name, condition, wanted),
        _named(" ".join(first)),
        truth,
        idle,
        looks=LOOKS[condition],
    )
