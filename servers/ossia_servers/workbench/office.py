"""The whole office: six toolkits as domain servers over one set of databases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, Literal

from ossia_dataset.workbench.database import Database
from ossia_dataset.workbench.sources import databases_of
from ossia_servers.workbench import calendar, customers, projects
from ossia_servers.workbench.analytics import PUBLISHED_VALUES, VALUES, analytics_toolkit
from ossia_servers.workbench.calendar import calendar_toolkit
from ossia_servers.workbench.customers import customers_toolkit
from ossia_servers.workbench.directory import directory_toolkit
from ossia_servers.workbench.email import email_toolkit
from ossia_servers.workbench.extras import Invented, invent_column, refuse_field
from ossia_servers.workbench.projects import projects_toolkit
from ossia_servers.workbench.tool import Toolkit
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Row
from ossia_servers.worlds.seeds import Seed, SeedContext

COMPAT_2024: Final = "2024"
"""The behaviour of the release of 2024 where a recorded verdict depends on it."""

Compat = Literal["2024"]

FindDatabase = Callable[[str], Database]
"""Returns the database of a seed; raises `LookupError` where there is none."""


def toolkits(compat: Compat | None = None) -> tuple[Toolkit, ...]:
    """Return the five toolkits and the directory.

    Args:
        compat: `2024` lets an update of a field that a table does not have succeed, and count as
            a change, and a refused plot name values that are none, as in the published release;
            None refuses the one and names the right values.
    """
    invented: list[Invented] = [
        refuse_field if compat is None else invent_column(module.EXTRAS.name)
        for module in (calendar, projects, customers)
    ]
    return (
        calendar_toolkit(invented[0]),
        email_toolkit(),
        analytics_toolkit(VALUES if compat is None else PUBLISHED_VALUES),
        projects_toolkit(invented[1]),
        customers_toolkit(invented[2]),
        directory_toolkit(),
    )


def office_domains(find: FindDatabase, compat: Compat | None = None) -> tuple[Domain, ...]:
    """Return the domain servers of the office, in the order of the published code.

    Args:
        find: where start states come from.
        compat: see `toolkits`.
    """
    return tuple(toolkit.domain(_seed(toolkit, find)) for toolkit in toolkits(compat))


@cache
def office_servers(source: str, compat: Compat | None = None) -> tuple[Domain, ...]:
    """Return the domain servers of the office, whose start states are those of a source of tasks.

    Args:
        source: where tasks and databases come from.
        compat: see `toolkits`.

    Raises:
        TaskError: the databases cannot be read.
    """
    return office_domains(databases_of(source), compat)


def _seed(toolkit: Toolkit, find: FindDatabase) -> Seed:
    names = [table.name for table in toolkit.tables]

    def rows(context: SeedContext) -> Mapping[str, Sequence[Row]]:
        tables = find(context.name).tables
        return {name: tables[name] for name in names if name in tables}

    return rows
