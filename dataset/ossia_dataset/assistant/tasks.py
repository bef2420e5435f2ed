"""The assistant's tasks; in its task files a line that names no suite is one of `assistant`."""

from __future__ import annotations

from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.world_tasks import WorldTask


class AssistantTask(WorldTask):
    """A task for the assistant."""

    suite: str = "assistant"


def assistant_tasks(source: str, suite: str = "assistant") -> tuple[AssistantTask, ...]:
    """Load a built-in task set of one of the assistant's suites, or a task file or folder.

    Args:
        source: a name such as `test`, or a path to JSON Lines.
        suite: the suite whose built-in sets are meant.

    Raises:
        TaskError: no set and no file is called so, or it cannot be read.
    """
    return load_set(source, builtin_folder(suite), AssistantTask)
