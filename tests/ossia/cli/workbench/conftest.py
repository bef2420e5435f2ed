"""The generated office as the publication lays out its own."""

import csv

import pytest

from ossia_dataset.workbench.database import COLUMNS
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_dataset.workbench.generator import generate_tasks
from ossia_dataset.workbench.published import DOMAINS, FILES
from ossia_evaluation.workbench.actions import write_action

OTHER_RUN = 'email.delete_email.func(email_id="00000001")'


def actions(task):
    return [
        write_action(
            f"{request.domain}.{request.params['intent']}",
            {name: text for name, text in request.params.items() if name != "intent"},
        )
        for request in task.gold.gold_requests()
    ]


def write(file, columns, rows):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        if columns:
            writer.writerow(columns)
        writer.writerows(rows)


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder in the publication's layout, filled with the generated office."""
    folder = tmp_path_factory.mktemp("workbench")
    for table, file in FILES.items():
        rows = generated_database(office_seed(1)).tables[table]
        header = COLUMNS[table] if len(COLUMNS[table]) > 1 else ()
        write(folder / file, header, [[row[c] or "" for c in COLUMNS[table]] for row in rows])
    tasks = generate_tasks("test")
    for domain in DOMAINS:
        mine = [task for task in tasks if task.gold.domain == domain]
        truths = folder / f"processed/queries_and_answers/{domain}_queries_and_answers.csv"
        head = ("query", "answer", "base_template", "chosen_template", "domains")
        rows = [
            (t.utterance, actions(t), t.gold.intent, t.gold.intent, list(t.toolkits)) for t in mine
        ]
        write(truths, head, rows)
        runs = [(t.utterance, actions(t), "{}", "") for t in mine]
        runs[-1] = (mine[-1].utterance, [OTHER_RUN], "{}", "")
        results = folder / f"results/{domain}/model_all.csv"
        write(results, ("query", "function_calls", "full_response", "error"), runs)
        judged = [(t.utterance, True, False, str(results)) for t in mine]
        judged[-1] = (mine[-1].utterance, False, True, str(results))
        oracle = folder / f"oracle/all__model__{domain}.csv"
        write(oracle, ("query", "correct", "side_effects", "source_file"), judged)
    return folder
