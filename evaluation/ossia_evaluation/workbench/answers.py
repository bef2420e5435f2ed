"""Whether an answer to a question tells its facts, and tells no other value in their place.

Most facts are values of a closed set: a status, a product, a colleague, a subject, a number, a day,
a time. Who names several values of the set has not answered, whichever is among them. So a value
counts as told only where no rival of it is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import cache
from typing import Final

from ossia_dataset.workbench.generated import generated_database, is_generated
from ossia_dataset.workbench.office import Office
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.reply.mentions import Mention, is_denied, read_mentions
from ossia_evaluation.reply.stems import in_others, stems
from ossia_evaluation.reply.told import is_told
from ossia_evaluation.reply.wording import wording

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME: Final = re.compile(r"\d{2}:\d{2}")
_CLOSED: Final = (
    ("customer_relationship_manager.customers", "status"),
    ("customer_relationship_manager.customers", "product_interest"),
    ("email.emails", "subject"),
)
"""Columns whose values are a closed set in which an answer has to choose."""

_GUESSES: Final = 30
"""How many numbers and days are offered as other options."""


class _Form(StrEnum):
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Telling:
    """What an answer tells of a question's facts.

    Attributes:
        untold: the facts that it does not tell.
        contested: the facts that it tells beside another value of their set.
        rivals: those other values.
    """

    untold: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()

    @property
    def open(self) -> tuple[str, ...]:
        """The facts that a user does not know after it."""
        return self.untold + self.contested

    @property
    def fault(self) -> str | None:
        """What is wrong with the answer, as a clause; None where nothing is."""
        if self.untold:
            return f"not told: {', '.join(self.untold)}"
        if self.contested:
            return f"told beside {', '.join(self.contested)}: {', '.join(self.rivals)}"
        return None


def judge_answer(task: WorldTask, answer: str) -> Telling:
    """Return what an answer tells of a task's facts; nothing is owed where none was asked for.

    Args:
        task: the task.
        answer: what was said.
    """
    if task.gold.kind is not GoldKind.ANSWER:
        return Telling()
    answer = wording(answer)
    untold, contested, rivals = [], [], {}
    for fact in task.gold.facts:
        told, others = _told(task, fact, answer)
        if not told:
            untold.append(fact)
        elif others:
            contested.append(fact)
            rivals.update(dict.fromkeys(others))
    if not untold and not contested:
        for fact, other in _swapped(task, answer):
            contested.append(fact)
            rivals[other] = None
    return Telling(tuple(untold), tuple(contested), tuple(rivals))


_PART: Final = re.compile(r"[,;.!?](?=\s|$)|\n|\band\b|\bwhile\b")


def _swapped(task: WorldTask, answer: str) -> Iterator[tuple[str, str]]:
    """Yield facts in whose place another fact of the task is told, and that other fact."""
    facts, requests = task.gold.facts, task.gold.gold_requests()
    if len(facts) != len(requests) or len(set(facts)) < len(facts):
        return
    subjects = [stems(" ".join(r.params.values())) for r in requests]
    for part in _PART.split(answer):
        words = stems(part)
        named = [i for i, own in enumerate(subjects) if words & (own - in_others(subjects, i))]
        told = [i for i, fact in enumerate(facts) if is_told(fact, part, task.now)]
        if len(named) == 1 and told and named[0] not in told:
            yield facts[named[0]], facts[told[0]]


def options(task: WorldTask, fact: str) -> tuple[str, ...]:
    """Return the values among which a fact is one, as far as somebody may guess at them.

    Args:
        task: a question.
        fact: one of its facts.
    """
    form = _form(fact)
    if form is _Form.NUMBER:
        return tuple(map(str, range(1, _GUESSES + 1)))
    if form is _Form.DATE:
        first = date.fromisoformat(fact) - timedelta(days=_GUESSES // 2)
        return tuple((first + timedelta(days=n)).isoformat() for n in range(_GUESSES))
    if form is _Form.TIME:
        return tuple(f"{hour:02d}:{minute:02d}" for hour in range(9, 18) for minute in (0, 30))
    return next((closed for closed in _closed_sets(task.seed) if fact in closed), (fact,))


def rivals_of(task: WorldTask, fact: str) -> Iterator[str]:
    """Yield the options of a fact that neither are facts nor stand in the question itself."""
    for option in options(task, fact):
        if option not in task.gold.facts and not is_told(option, task.utterance, task.now):
            yield option


def _form(fact: str) -> _Form:
    for form, signs in ((_Form.NUMBER, _NUMBER), (_Form.DATE, _DATE), (_Form.TIME, _TIME)):
        if signs.fullmatch(fact):
            return form
    return _Form.TEXT


def _told(task: WorldTask, fact: str, answer: str) -> tuple[bool, list[str]]:
    """Whether a fact is told, and which other values of its set are."""
    form = _form(fact)
    if form is _Form.TEXT:
        return _text_told(task, fact, answer)
    known = {other for other in task.gold.facts if _form(other) is form}
    asked = {value for each in _mentioned(task, form, task.utterance) for value in each.values}
    told = _mentioned(task, form, answer)
    others = [
        min(each.values) for each in told if not each.pronoun and not each.values & (known | asked)
    ]
    return any(fact in each.values for each in told), others


def _mentioned(task: WorldTask, form: _Form, text: str) -> Sequence[Mention]:
    found = read_mentions(text, task.now)
    if form is _Form.DATE:
        return found.dates
    return found.times if form is _Form.TIME else found.numbers


def _text_told(task: WorldTask, fact: str, answer: str) -> tuple[bool, list[str]]:
    said = answer.casefold()
    closed = options(task, fact)
    for start, end in [span for option in closed for span in _places(option, said)]:
        if is_denied(said, start):
            said = said[:start] + " " * (end - start) + said[end:]
    others = [rival for rival in rivals_of(task, fact) if any(_places(rival, said))]
    return is_told(fact, said, task.now), others


def _places(value: str, said: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(rf"\b{re.escape(value.casefold())}\b", said):
        yield match.span()


@cache
def _closed_sets(seed: str) -> tuple[tuple[str, ...], ...]:
    """The closed sets of texts in a generated office; a published one has no questions."""
    if not is_generated(seed):
        return ()
    database = generated_database(seed)
    columns = [_sorted(row[column] for row in database.tables[name]) for name, column in _CLOSED]
    return (_sorted(Office(database).people), *columns)


def _sorted(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))
