"""Project management: tasks on boards with lists."""

from __future__ import annotations

from ossia_servers.workbench.extras import Invented, extras_table
from ossia_servers.workbench.forms import ADDRESS, DAY, SEARCH, digits, one_of
from ossia_servers.workbench.patterns import read_pattern
from ossia_servers.workbench.records import Records, choices
from ossia_servers.workbench.tool import Given, Parameter, Tool, Toolkit, bad
from ossia_servers.worlds.schema import Match, Reply, Row, Table
from ossia_servers.worlds.world import World

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

RECORDS = Records(
    TASKS,
    "task",
    "a task",
    Parameter("task_id", "8-digit id of the task", digits(8)),
    extras=EXTRAS,
)
_FIELDS = (
    Parameter("task_name", "name of the task"),
    Parameter("assigned_to_email", "address of the colleague who does it", ADDRESS),
    Parameter("list_name", "one of: " + ", ".join(LISTS), one_of(LISTS)),
    Parameter("due_date", "day on which it is due, YYYY-MM-DD", DAY),
    Parameter("board", "one of: " + ", ".join(BOARDS), one_of(BOARDS)),
)
_COLUMNS = tuple(parameter.name for parameter in _FIELDS)
_PARTS = tuple(Parameter(item.name, item.description, SEARCH) for item in _FIELDS)


def search(world: World, given: Given) -> Reply:
    """All tasks whose columns hold the patterns given."""
    wanted = {
        name: read_pattern(text, ignore_case=True) for name in _COLUMNS if (text := given.get(name))
    }
    if not wanted:
        raise bad("No search parameters provided.")

    def keep(row: Row) -> bool:
        return all(item.found_in(row[name]) for name, item in wanted.items())

    found = RECORDS.search(world, keep)
    return Reply(f"{len(found)} tasks found.", found)


def create(world: World, given: Given) -> Reply:
    """Add a task for somebody who has tasks already."""
    values = {name: given.get(name, "") for name in _COLUMNS}
    if not all(values.values()):
        raise bad("Missing task details.")
    for name in ("assigned_to_email", "list_name", "board"):
        values[name] = _stored(world, name, values[name])
    task_id = RECORDS.add(world, values)
    return Reply(f"Task {task_id} created.", task_id)


def _stored(world: World, field: str, value: str) -> str:
    """Return what a field becomes; refuse an assignee, a list and a board that there is not."""
    if field == "assigned_to_email":
        value = value.lower()
        team = {str(row[field]).lower() for row in world.rows(TASKS.name)}
        if value not in team:
            raise bad("Assignee email not valid. Please choose from the list of team members.")
    elif field == "list_name" and value not in LISTS:
        raise bad(f"List not valid. Please choose from: {choices(LISTS)}.")
    elif field == "board" and value not in BOARDS:
        raise bad(f"Board not valid. Please choose from: {choices(BOARDS)}.")
    return value


SEARCH_TASKS = Tool("search_tasks", "Finds tasks by parts of their fields.", _PARTS, search)
CREATE_TASK = Tool(
    "create_task",
    "Creates a task and tells its id.",
    _FIELDS,
    create,
    writes=True,
    needed=_COLUMNS,
)


def projects_toolkit(invented: Invented) -> Toolkit:
    """Return the project management.

    Args:
        invented: what an update does with a field that tasks do not have.
    """
    tools = (
        RECORDS.information(),
        SEARCH_TASKS,
        CREATE_TASK,
        RECORDS.delete(),
        RECORDS.update(_stored, invented),
    )
    return Toolkit("project_management", "Tasks of the projects.", tools, (TASKS, EXTRAS))
