"""Templates that ask for acts under a condition, put together from the wordings of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ossia_dataset.randomness import seeded_random
from ossia_dataset.tasks import Request
from ossia_dataset.workbench.office import Office
from ossia_dataset.workbench.templates.acts import ACTS
from ossia_dataset.workbench.templates.conditions import CONDITIONS
from ossia_dataset.workbench.templates.form import Template, Values, placeholders, texts
from ossia_dataset.workbench.templates.looks import LOOKS

_PHRASINGS: Final = 3


def _listed(acts: Sequence[str]) -> str:
    """Return acts as one sentence names them."""
    if len(acts) < 3:
        return " and ".join(acts)
    return ", ".join(acts[:-1]) + f", and {acts[-1]}"


def _conditional_phrasings(name: str, condition: str, acts: Sequence[str]) -> tuple[str, ...]:
    """Return three of the forms of a sentence, each with other wordings of condition and acts."""
    said = texts()
    forms = seeded_random("phrasings", name).sample(said["conditional"]["phrasings"], _PHRASINGS)

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
        placeholders(" ".join(first)),
        truth,
        idle,
        looks=LOOKS[condition],
    )
