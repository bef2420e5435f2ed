"""Built-in tasks whose steps are words: drawn from templates, and what the templates promise."""

import re
from collections import Counter
from functools import cache

import pytest

from ossia_dataset.builtin import builtin_folder, load_set, present_version, recorded_version
from ossia_dataset.randomness import seeded_random
from ossia_dataset.tasks import read_tasks
from ossia_dataset.worfbench.shots import is_chain, worked_examples
from ossia_dataset.worfbench.tasks import SUITE, PlanKind, PlanTask
from ossia_dataset.worfbench.templates import TemplateError, draw, read_templates
from ossia_dataset.worfbench.written import SETS, WRITTEN, drawn, gold_text, written_tasks

pytestmark = pytest.mark.slow

built = cache(written_tasks)


def steps_of(task):
    return len(re.findall(r"^\d+: ", task.workflow, re.MULTILINE))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kind", WRITTEN)
def test_the_builtin_sets_are_those_of_the_templates(name, kind):
    file = builtin_folder(SUITE) / name / f"{kind}.jsonl"
    assert read_tasks(file, PlanTask) == built(name, kind)


def test_the_sets_are_those_of_their_version():
    known = recorded_version(SUITE)
    found = present_version(
        known.version, SUITE, lambda name: load_set(name, builtin_folder(SUITE), PlanTask)
    )
    assert found == known, "see `ossia dataset record`"


@pytest.mark.parametrize(
    ("kind", "chains", "mean"),
    # Published: lumos and intercodesql .83-.89 and 3.0, wikihow .42 and 5.5.
    [(PlanKind.PROBLEM_SOLVING, (0.75, 0.9), (2.8, 3.5)),
     (PlanKind.OPEN_GROUNDED, (0.37, 0.47), (5.2, 5.9))],
)  # fmt: skip
@pytest.mark.parametrize("name", SETS)
def test_chains_and_sizes_are_in_the_published_proportions(name, kind, chains, mean):
    tasks = built(name, kind)
    sizes = [steps_of(task) for task in tasks]
    assert len(tasks) >= (50 if name == "test" else 250)
    assert chains[0] <= sum(map(is_chain, tasks)) / len(tasks) <= chains[1]
    assert mean[0] <= sum(sizes) / len(sizes) <= mean[1]
    assert min(sizes) >= 2 and max(sizes) <= 12


def test_no_request_and_no_opening_of_the_test_set_is_met_in_training():
    said = {name: {text for kind in WRITTEN for text in _requests(name, kind)} for name in SETS}
    assert not said["test"] & said["train"]
    openings = Counter(
        " ".join(text.split()[:6]) for kind in WRITTEN for text in _requests("test", kind)
    )
    assert max(openings.values()) <= 2


def _requests(name, kind):
    return [task.utterance.partition("\n")[0] for task in built(name, kind)]


def test_the_worked_examples_are_a_chain_and_a_graph_of_the_training_set():
    for kind in WRITTEN:
        chain, graph = worked_examples(kind)
        assert (is_chain(chain), is_chain(graph)) == (True, False)
        assert {chain.kind, graph.kind} == {kind}
        assert chain.id.startswith("train-") and steps_of(chain) >= 3
    assert worked_examples(None) == ()


def test_a_template_is_drawn_and_its_plan_says_what_uses_what(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text(
        "# {Boil {what}.|How is {what} boiled?}\n= what,pot: tea,kettle|rice,pan\na Fill the {pot}."
        "\nb Light the fire.\nc Boil {what}. <a,b\nd Serve {what}. <a,c\nx Freeze {what}."
    )
    (template,) = read_templates(path)
    made = draw(template, seeded_random(1))
    what = "tea" if "tea" in made.request else "rice"
    assert [step.text for step in made.steps][2:] == [f"Boil {what}.", f"Serve {what}."]
    assert made.others == (f"Freeze {what}.",)
    # (1,4) follows from (1,3) and (3,4).
    assert gold_text(made.steps).endswith("Edge: (START,1) (START,2) (1,3) (2,3) (3,4) (4,END)")
    assert len({draw(template, seeded_random(seed)).request for seed in range(40)}) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [("Boil tea.", "begins with '# '"), ("# Boil.\nBoil it.", "not a line of a template"),
     ("# Boil.\na Boil. <b\nb Fill.", "does not stand before"), ("# Boil.\n@ tea", "not a table")],
)  # fmt: skip
def test_a_bad_line_is_told(tmp_path, text, told):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(TemplateError, match=told):
        read_templates(path)


def test_tasks_are_grouped_and_chosen_by_kind():
    task = written_tasks("test", PlanKind.OPEN_GROUNDED)[0]
    assert (task.groups, task.domains) == ({"kind": "open-grounded"}, {"open-grounded"})
    assert len(drawn("test", PlanKind.OPEN_GROUNDED)) == 54
