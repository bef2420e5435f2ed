"""Templates of built-in tasks: a request, steps with what each uses, and words to draw.

A template is a paragraph of a text file. `# ` is the request; `a text <b,c` a step that uses what
the steps b and c give; `a text = sql` one whose use can be read from a statement; `a? text` a step
that may be left out; `x text` an action that is not needed; `= name,other: one,two|three,four`
words that are drawn together; `@ table(column:values, ...)` a table, and `? sql` the answer from
the tables at once. `{name}` stands for drawn words, `{one|two}` for one of these, alike each time;
such a group may hold names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final, TypeVar

__all__ = ["Step", "Table", "Template", "TemplateError", "draw", "read_templates"]

T = TypeVar("T")

_STEP: Final = re.compile(r"([a-w])(\??) (.+?)(?: <([a-w](?:,[a-w])*))?(?: = (.+))?")
_TABLE: Final = re.compile(r"@ (\S+?)\((.+)\)")
_GROUP: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"\b[a-w]\b")
_TEXT: Final = re.compile(r"'[^']*'")


class TemplateError(ValueError):
    """A line of a file of templates cannot be read."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        name: One letter.
        text: What is to be done.
        needs: The steps whose results it uses: the rule by which steps depend on each other.
        sql: What computes its result; empty where nothing can be computed.
        optional: Whether it may be left out.
    """

    name: str
    text: str
    needs: tuple[str, ...] = ()
    sql: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the values of its columns, such as `1-9` or `yes|no`; the first is its key."""

    name: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Template:
    """A task before its words are drawn.

    Attributes:
        request: What is wanted.
        steps: In an order in which they can be carried out.
        others: Actions that are not needed.
        slots: Words to draw, by the names that are drawn together.
        tables: What the steps compute from.
        answer: What computes the answer at once, from the tables; empty where nothing does.
    """

    request: str
    steps: tuple[Step, ...]
    others: tuple[str, ...] = ()
    slots: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = ()
    tables: tuple[Table, ...] = ()
    answer: str = ""


def read_templates(path: Path) -> tuple[Template, ...]:
    """Read a file of templates.

    Raises:
        TemplateError: a line cannot be read, or a step uses one that does not stand before it.
    """
    return tuple(map(_template, path.read_text("utf-8").strip().split("\n\n")))


def draw(template: Template, rng: Random) -> Template:
    """Return the template with its words drawn: nothing in it is left to draw."""
    known: dict[str, str] = {}
    for names, values in template.slots:
        known |= zip(names, rng.choice(values), strict=True)

    def one(match: re.Match[str]) -> str:
        said = match.group(1)
        if said not in known:
            known[said] = rng.choice(said.split("|"))
        return known[said]

    def fill(text: str) -> str:
        while (found := _GROUP.sub(one, text)) != text:
            text = found
        return found

    request = fill(template.request)
    kept = [step for step in template.steps if not step.optional or rng.random() < 0.5]
    return replace(
        template,
        request=request,
        steps=tuple(replace(step, text=fill(step.text), sql=fill(step.sql)) for step in kept),
        others=tuple(map(fill, template.others)),
        slots=(),
        tables=tuple(
            Table(fill(table.name), {fill(name): fill(of) for name, of in table.columns.items()})
            for table in template.tables
        ),
        answer=fill(template.answer),
    )


def _template(paragraph: str) -> Template:
    request, *lines = paragraph.split("\n")
    if not request.startswith("# "):
        raise TemplateError(f"a template begins with '# ' and its request, not '{request}'")
    steps: list[Step] = []
    for line in lines:
        match = _STEP.fullmatch(line)
        if match:
            steps.append(_step(match, [step.name for step in steps]))
        elif line[:2] not in ("x ", "= ", "@ ", "? "):
            raise TemplateError(f"'{line}' is not a line of a template")
    return Template(
        request=request[2:],
        steps=tuple(steps),
        others=tuple(_after("x ", lines, str)),
        slots=tuple(_after("= ", lines, _slot)),
        tables=tuple(_after("@ ", lines, _table)),
        answer=next(_after("? ", lines, str), ""),
    )


def _after(mark: str, lines: Sequence[str], read: Callable[[str], T]) -> Iterator[T]:
    return (read(line.removeprefix(mark)) for line in lines if line.startswith(mark))


def _step(match: re.Match[str], before: Sequence[str]) -> Step:
    name, optional, text, uses, sql = match.groups(default="")
    named = uses.split(",") if uses else _NAME.findall(_TEXT.sub("", sql))
    needs = tuple(dict.fromkeys(one for one in named if one in before))
    if uses and len(needs) < len(named):
        raise TemplateError(f"the step '{text}' uses one that does not stand before it: {uses}")
    return Step(name, text, needs, sql, bool(optional))


def _slot(line: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    names, _, values = line.partition(": ")
    alone = "," not in names
    found = tuple((one,) if alone else tuple(one.split(",")) for one in values.split("|"))
    return ((names,) if alone else tuple(names.split(","))), found


def _table(line: str) -> Table:
    match = _TABLE.fullmatch(f"@ {line}")
    if match is None:
        raise TemplateError(f"'{line}' is not a table")
    parts = (column.partition(":") for column in match.group(2).split(", "))
    return Table(match.group(1), {name: of for name, _, of in parts})
