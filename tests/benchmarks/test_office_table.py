"""The table of adapters and teams, from printed comparisons."""

import json

import pytest

from benchmarks.office_table import main


def comparison(suite, *, finished=4, success=1):
    effects = {"side_effects": {"count": 0, "of": 3}}
    line = {
        **{"framework": "control", "model": "gold", "episodes": 4, "invalid": 1},
        **{"success": {"count": success, "of": 3}, "metrics": effects},
    }
    facts = {"suite": suite, "tasks": "test (4)", "ossia": "0"}
    return {
        **{"run": f"run-{suite}", "planned": 4, "finished": finished, "facts": facts},
        "frameworks": [line, {**line, "framework": "autogen", "success": {"count": 0, "of": 0}}],
    }


def write(folder, *found):
    files = [folder / f"{number}.json" for number, _ in enumerate(found)]
    for file, content in zip(files, found, strict=True):
        file.write_text(json.dumps(content), "utf-8")
    return [str(file) for file in files]


def test_each_line_of_each_suite_is_shown(tmp_path, capsys):
    files = write(tmp_path, comparison("workbench"), comparison("workbench-react", success=3))
    assert main(files) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[2:6] == [
        "| autogen | workbench | gold | 4 | 1 | - | 0 of 3 (0.00 %) |",
        "| autogen | workbench-react | gold | 4 | 1 | - | 0 of 3 (0.00 %) |",
        "| control | workbench | gold | 4 | 1 | 1 of 3 (33.33 %) | 0 of 3 (0.00 %) |",
        "| control | workbench-react | gold | 4 | 1 | 3 of 3 (100.00 %) | 0 of 3 (0.00 %) |",
    ]
    assert "workbench-react: tasks test (4), ossia 0" in shown


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((comparison("workbench", finished=3),), "only 3 of 4 episodes are finished"),
        ((comparison("workbench"), comparison("workbench")), "occurs twice"),
        (({"run": "x"},), "facts"),
        (([],), "no comparison"),
    ],
)
def test_what_is_no_whole_comparison_is_refused(tmp_path, capsys, found, said):
    assert main(write(tmp_path, *found)) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and said in captured.err
