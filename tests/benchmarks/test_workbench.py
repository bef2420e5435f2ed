"""Scoring recorded runs: which runs were measured, and what breaks the line."""

import shutil

from benchmarks.workbench import workbench
from tests.evaluation.workbench.support import DATA, needs_data


@needs_data
def test_published_runs_are_measured_and_wrong_verdicts_break_the_line(tmp_path):
    table = workbench(quick=True, data=DATA)
    (row,) = table.rows
    assert (row.cells[0], row.broken) == ("1380", None)
    assert "published logs" in " ".join(table.notes)
    for name in ("processed", "raw", "results"):
        (tmp_path / name).symlink_to(DATA / name)
    shutil.copytree(DATA / "oracle", tmp_path / "oracle")
    judged = tmp_path / "oracle/all__gpt-4__email.csv"
    text = judged.read_text("utf-8")
    judged.write_text(text.replace(",True,False,", ",False,False,", 1), "utf-8")
    (row,) = workbench(quick=True, data=tmp_path).rows
    assert row.broken == "1 differences from the oracle"


def test_gold_runs_are_not_called_recorded():
    table = workbench(quick=True)
    (row,) = table.rows
    assert (row.cells[0], row.broken) == ("690", None)
    assert " ".join(table.notes).startswith("Gold runs of the generated office")
