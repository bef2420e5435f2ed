"""The README says what is there."""

import re
from pathlib import Path

from ossia.tasks import sets_to_tell
from ossia_dataset.assistant.quality import Split, find_problems
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.builtin import recorded_version
from ossia_dataset.datasheet import BEGIN, END, datasheet
from ossia_dataset.marks import replace_between_marks
from ossia_dataset.statistics import statistics_of
from ossia_dataset.tasks import parse_task
from ossia_dataset.world_tasks import Gold
from ossia_evaluation.assistant.proof import AssistantProver
from ossia_servers.assistant.catalogue import load_domains

TEXT = (Path(__file__).parents[2] / "dataset" / "README.md").read_text("utf-8")


def test_the_tables_are_those_of_the_sets() -> None:
    version = recorded_version("assistant")
    assert version is not None
    sets = {name: statistics_of(tasks) for name, tasks in sets_to_tell("assistant").items()}
    made = f"\n{datasheet(sets, version.version)}"
    assert replace_between_marks(TEXT, made, begin=BEGIN, end=END) == TEXT, (
        "see `ossia dataset stats --write`"
    )


def test_every_field_is_described() -> None:
    described = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*)\|", TEXT, re.M))))
    fields = {"schema" if name == "schema_version" else name for name in AssistantTask.model_fields}
    assert fields | set(Gold.model_fields) <= described


def test_the_example_is_a_sound_task() -> None:
    (line,) = re.findall(r"```json\n(.*)\n```", TEXT)
    task = parse_task(line, AssistantTask)
    assert find_problems([Split((task,))]) == ()
    assert AssistantProver(load_domains()).prove(task).problems == ()
