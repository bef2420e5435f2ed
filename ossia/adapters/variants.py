"""The variants of an adapter: one framework's team in several idioms."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = [
    "ALL",
    "EVERY",
    "LONGEST_LABEL",
    "MOST_ATTEMPTS",
    "Division",
    "Entry",
    "Idiom",
    "Title",
    "Variant",
    "not_reserved",
]

ALL: Final = "all"
"""Stands for every adapter, and after a colon for every variant: no name of either."""

EVERY: Final = f"{ALL}:{ALL}"
"""Every variant of every adapter."""

LONGEST_LABEL: Final = 28
"""A longer name of a row leaves a table no room for its figures on 80 columns."""

MOST_ATTEMPTS: Final = 2
"""So often a request may be sent that the gateway refuses for good, unless a variant says more: a
framework may try a failed turn once more; a client sends no call again whose answer forbids it."""

Idiom = Literal["router", "tools", "handoffs", "planner", "protocol"]
"""How a manager leads its members.

`router`: one call names who works next. `tools`: the manager has a tool for each member.
`handoffs`: control passes by a tool call. `planner`: by a plan or ledger of the framework's own
prompts. `protocol`: by a text protocol of the framework's own.
"""

Division = Literal["documented", "tuned"]
"""`documented`: as the framework's documentation does it, with the suite's prompts. `tuned`: as a
maintainer would, with prompts and settings of their own. The two are never in one comparison."""

Entry = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
Title = Annotated[str, Field(pattern=r"^[\w.+-]+( [\w.+-]+)*$", max_length=LONGEST_LABEL)]


def not_reserved(name: str) -> str:
    """Refuse the name that stands for all.

    Raises:
        ValueError: It is that name.
    """
    if name == ALL:
        raise ValueError(f"{ALL!r} is reserved: it stands for all variants")
    return name


class Variant(BaseModel):
    """One variant of an adapter, as its project declares it.

    Attributes:
        name: What stands after the colon in `-f NAME:VARIANT`.
        idiom: How its manager leads.
        title: What the framework calls it, in a row's label after the framework's own name.
        entry: The adapter object, as ``module:ATTRIBUTE``.
        page: The page of the framework's documentation that describes it.
        about: What it is there, in a sentence.
        division: With what it may be compared.
        attempts: How often it sends a request that fails, where trying again is what it is for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$"), AfterValidator(not_reserved)]
    idiom: Idiom
    title: Title
    entry: Entry
    page: Annotated[str, Field(pattern=r"^https://[!-~]+$")]
    about: Annotated[str, Field(min_length=1)]
    division: Division = "documented"
    attempts: Annotated[int, Field(ge=MOST_ATTEMPTS, le=5)] = MOST_ATTEMPTS
