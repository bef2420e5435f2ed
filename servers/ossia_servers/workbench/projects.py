"""Project management: tasks on boards with lists."""

from __future__ import annotations

from ossia_servers.domain import Match, Refusal, Reply, Row, Table
from ossia_servers.workbench.extras import Invented, extras_table
from ossia_servers.workbench.forms import ADDRESS, DAY, SEARCH, digits, one_of
from ossia_servers.workbench.texts import holds, pattern
from ossia_servers.workbench.tool import (
    Given,
    Parameter,
    Tool,
    Toolkit,
    bad,
    find,
    next_id,
    visible,
)
from ossia_servers.worlds.state import World

TASKS = Table(
    "project_management.tasks",
    "task",
    {
        "task_id": Match.IGNORABLE,
        "task_name": Match.LOWER,
        "assigned_to_email": Match.LOWER,
        "list_name": Match.EXACT,
        "due_date": Match.LOWER,
        "board": Match.EXACT,
    },
)
EXTRAS = extras_table("project_management.extras")

LISTS = ("Backlog", "In Progress", "In Review", "Completed")
BOARDS = ("Back end", "Front end", "Design")

_COLUMNS = ("task_name", "assigned_to_email", "list_name", "due_date", "board")
_ID = Parameter("task_id", "8-digit id of the task", digits(8))
_FIELDS = (
    Parameter("task_name", "name of the task"),
    Parameter("assigned_to_email", "address of the colleague who does it", ADDRESS),
    Parameter("list_name", "one of: " + ", ".join(LISTS), one_of(LISTS)),
    Parameter("due_date", "day on which it is due, YYYY-MM-DD", DAY),
    Parameter("board", "one of: " + ", ".join(BOARDS), one_of(BOARDS)),
)
_PARTS = tuple(Parameter(item.name, item.description, SEARCH) for item in _FIELDS)


def information(world: World, given: Given) -> Reply:
    """One field of one task."""
    task_id, field = given.get("task_id"), given.get("field")
    if not task_id:
        raise bad("Task ID not provided.")
    if not field:
        raise bad("Field not provided.")
    row = _task(world, task_id)
    if field not in visible(row):
        raise Refusal.not_found("Field not found.")
    return Reply(f"{field}: {row[field]}", {field: row[field]})


def search(world: World, given: Given) -> Reply:
    """All tasks whose columns hold the patterns given."""
    wanted = {name: pattern(text) for name in _COLUMNS if (text := given.get(name))}
    if not wanted:
        raise bad("No search parameters provided.")
    found = [
        visible(row)
        for row in world.rows(TASKS.name)
        if all(holds(item, row[name]) for name, item in wanted.items())
    ]
    return Reply(f"{len(found)} tasks found.", found)


def create(world: World, given: Given) -> Reply:
    """Add a task for somebody who has tasks already."""
    values = {name: given.get(name, "") for name in _COLUMNS}
    if not all(values.values()):
        raise bad("Missing task details.")
    values["assigned_to_email"] = values["assigned_to_email"].lower()
    _check_assignee(world, values["assigned_to_email"])
    _check_list(values["list_name"])
    _check_board(values["board"])
    task_id = next_id(world, TASKS.name, "task_id", 8)
    world.add(TASKS.name, task_id=task_id, **values)
    return Reply(f"Task {task_id} created.", task_id)


def delete(world: World, given: Given) -> Reply:
    """Remove a task."""
    task_id = given.get("task_id")
    if not task_id:
        raise bad("Task ID not provided.")
    world.remove(TASKS.name, _task(world, task_id)["id"])
    return Reply("Task deleted successfully.")


def _task(world: World, task_id: str) -> Row:
    row = find(world, TASKS.name, "task_id", task_id)
    if row is None:
        raise Refusal.not_found("Task not found.")
    return row


def _check_assignee(world: World, address: str) -> None:
    team = {str(row["assigned_to_email"]).lower() for row in world.rows(TASKS.name)}
    if address not in team:
        raise bad("Assignee email not valid. Please choose from the list of team members.")


def _check_list(name: str) -> None:
    if name not in LISTS:
        raise bad(f"List not valid. Please choose from: {_quoted(LISTS)}.")


def _check_board(name: str) -> None:
    if name not in BOARDS:
        raise bad(f"Board not valid. Please choose from: {_quoted(BOARDS)}.")


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def projects_toolkit(invented: Invented) -> Toolkit:
    """Return the project management.

    Args:
        invented: what an update does with a field that tasks do not have.
    """

    def update(world: World, given: Given) -> Reply:
        task_id, field, value = (given.get(n) for n in ("task_id", "field", "new_value"))
        if not task_id or not field or not value:
            raise bad("Task ID, field, or new value not provided.")
        if field == "assigned_to_email":
            value = value.lower()
            _check_assignee(world, value)
        elif field == "board":
            _check_board(value)
        elif field == "list_name":
            _check_list(value)
        row = _task(world, task_id)
        if field in visible(row):
            world.change(TASKS.name, row["id"], **{field: value})
        else:
            invented(world, row, field, value)
        return Reply("Task updated successfully.")

    field = Parameter(
        "field",
        "task_id, " + ", ".join(_COLUMNS[:-1]) + " or board",
        one_of(tuple(TASKS.columns)),
    )
    tools = (
        Tool(
            "get_task_information_by_id",
            "Tells one field of a task.",
            (_ID, field),
            information,
            needed=("task_id", "field"),
        ),
        Tool("search_tasks", "Finds tasks by parts of their fields.", _PARTS, search),
        Tool(
            "create_task",
            "Creates a task and tells its id.",
            _FIELDS,
            create,
            writes=True,
            needed=_COLUMNS,
        ),
        Tool("delete_task", "Deletes a task.", (_ID,), delete, writes=True, needed=("task_id",)),
        Tool(
            "update_task",
            "Changes one field of a task.",
            (_ID, field, Parameter("new_value", "the field's new value")),
            update,
            writes=True,
            needed=("task_id", "field", "new_value"),
        ),
    )
    return Toolkit("project_management", "Tasks of the projects.", tools, (TASKS, EXTRAS))
