"""The databases of an office: what every table holds before anybody has worked on it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ossia_dataset.files import write_whole
from ossia_dataset.tasks import TaskError

DATABASE_VERSION: Final = 1
"""Version of the stored databases."""

NOW: Final = datetime(2023, 11, 30)
"""The frozen clock of every office: a Thursday, before work begins."""

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "analytics.visits": (
        "date_of_visit",
        "visitor_id",
        "page_views",
        "session_duration_seconds",
        "traffic_source",
        "user_engaged",
    ),
    "calendar.events": ("event_id", "event_name", "participant_email", "event_start", "duration"),
    "company_directory.people": ("email_address",),
    "customer_relationship_manager.customers": (
        "customer_id",
        "assigned_to_email",
        "customer_name",
        "customer_email",
        "customer_phone",
        "last_contact_date",
        "product_interest",
        "status",
        "follow_up_by",
        "notes",
    ),
    "email.emails": (
        "email_id",
        "inbox/outbox",
        "sender/recipient",
        "subject",
        "sent_datetime",
        "body",
    ),
    "project_management.tasks": (
        "task_id",
        "task_name",
        "assigned_to_email",
        "list_name",
        "due_date",
        "board",
    ),
}
"""The columns of each table, in the order of the published files."""

Cell = str | None
"""A value of a table; None where a published file leaves it empty."""

Rows = tuple[Mapping[str, Cell], ...]


class Database(BaseModel):
    """All tables of one office."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = DATABASE_VERSION
    release: str
    """Which published release, or which version of the generator, the rows come from."""
    tables: Mapping[str, Rows] = Field(repr=False)

    @model_validator(mode="after")
    def _columns_fit(self) -> Database:
        if self.tables.keys() != COLUMNS.keys():
            raise ValueError(f"the tables must be: {', '.join(COLUMNS)}")
        for name, rows in self.tables.items():
            for number, row in enumerate(rows, start=1):
                if row.keys() != set(COLUMNS[name]):
                    raise ValueError(f"{name}, row {number}: other columns than declared")
        return self

    @cached_property
    def digest(self) -> str:
        """A hash of all rows: two databases with the same one hold the same."""
        text = json.dumps({name: self.tables[name] for name in COLUMNS}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def seed(self) -> str:
        """The name by which tasks ask for this start state; tells releases apart."""
        return f"{self.release}-{self.digest}"


def write_database(path: Path, database: Database) -> None:
    """Write a database as JSON, all or nothing."""
    write_whole(path, database.model_dump_json() + "\n")


def read_database(path: Path) -> Database:
    """Read a stored database.

    Raises:
        TaskError: the file is not there, or holds no database of this version.
    """
    try:
        return Database.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise TaskError(f"{path}: no such file") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][:3]) or "file"
        raise TaskError(f"{path}: no WorkBench database: {where}: {first['msg']}") from None
