"""`ossia dataset generate-sessions`, and the sets of FlowBench counted."""

import os
from itertools import islice

from ossia.cli.flowbench.generate import generate_command
from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.datasheet import counts_sheet
from ossia_dataset.flowbench.sessions import SUITE, SessionTask
from ossia_evaluation.flowbench.counts import count_sessions
from ossia_evaluation.flowbench.gold import GoldRuns
from ossia_servers.flowbench import generator
from ossia_servers.flowbench.services import gold_service, scenarios
from ossia_servers.flowbench.walk import walk


def test_the_command_writes_the_stored_bytes(tmp_path, capsys, monkeypatch):
    if "OSSIA_EXPLORE" not in os.environ:
        # A domain's sessions hang on those before it alone.
        monkeypatch.setattr(generator, "SHARES", dict(islice(generator.SHARES.items(), 2)))
    generate_command(tmp_path, seed=1)
    made = sorted((tmp_path / "test").glob("*.jsonl"))
    assert len(made) >= 4
    for file in made:
        assert file.read_bytes() == (builtin_folder(SUITE) / "test" / file.name).read_bytes()
    assert capsys.readouterr().out.count("sessions, hash") == len(made)


def test_counts_are_told_by_domain():
    golds = GoldRuns(scenarios(), lambda task: walk(task, scenarios(), gold_service(task)))
    counts = count_sessions(load_set("test", builtin_folder(SUITE), SessionTask), golds)
    assert counts["all"] == {
        "scenarios": 51,
        "single": 335,
        "cross": 201,
        "turns single": 2353,
        "turns cross": 2768,
        "ways": 756,
        "ways taken": 756,
    }
    told = counts_sheet({"test": counts}).splitlines()
    assert told[0].startswith("| test | scenarios | single | cross |")
    assert told[-1].startswith("| all | 51 | 335 | 201 |")
