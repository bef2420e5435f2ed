"""The README says what is there."""

import re
from collections import Counter
from pathlib import Path

from ossia_dataset.builtin import load_tasks
from ossia_dataset.quality import find_problems
from ossia_dataset.tasks import Gold, Task, by_domain, parse_task
from ossia_evaluation.proof import Prover
from ossia_servers.catalogue import load_domains

TEXT = (Path(__file__).parents[2] / "dataset" / "README.md").read_text("utf-8")


def test_the_counts_are_those_of_the_set() -> None:
    told = dict(re.findall(r"^\| (\w+) \| (\d+ \| .*) \|$", TEXT, re.MULTILINE))
    for domain, tasks in by_domain(load_tasks("test")).items():
        intents = sorted(Counter(task.gold.intent for task in tasks).items())
        spread = ", ".join(f"{intent} {count}" for intent, count in intents)
        assert told[domain] == f"{len(tasks)} | {spread}"
    kinds = Counter(str(task.gold.kind) for task in load_tasks("test"))
    total = f"{kinds.total()} tasks ({', '.join(f'{n} {name}' for name, n in kinds.most_common())})"
    assert total in TEXT


def test_every_field_is_described() -> None:
    described = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*)\|", TEXT, re.M))))
    fields = {"schema" if name == "schema_version" else name for name in Task.model_fields}
    assert fields | set(Gold.model_fields) <= described


def test_the_example_is_a_sound_task() -> None:
    (line,) = re.findall(r"```json\n(.*)\n```", TEXT)
    task = parse_task(line)
    assert find_problems([task]) == ()
    assert Prover(load_domains()).prove(task).problems == ()
