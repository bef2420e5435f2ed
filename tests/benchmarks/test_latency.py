"""A table of latencies tells both comparisons, and only of one job."""

import copy
import json

from benchmarks.latency import main, table

REST = {
    "frameworks": [
        {
            "framework": "control",
            "label": "control router",
            "idiom": "router",
            "worker": {"import_cpu_s": 0.18, "memory_mib": 27.2},
            "calls": 10.0,
            "cpu_s": 0.012,
            "wall_s": 0.02,
            "wall_p50_s": 0.021,
            "jobs": 1,
            "episodes": 20,
        }
    ]
}
SLOW = copy.deepcopy(REST)
SLOW["frameworks"][0] |= {"wall_s": 3.3, "wall_p50_s": 3.4, "episodes": 4}


def test_the_delay_of_the_calls_is_held_against_the_time():
    lines = table(REST, SLOW, 0.3).splitlines()
    assert "p50 s, 0.3 s a call | x calls |" in lines[0]
    assert lines[2] == "| control router | router | 0.18 | 27 | 10.0 | 12 | 21 | 3.40 | 1.10 |"
    assert lines[-1] == "One job at a time, on 20 and 4 tasks."


def test_many_jobs_and_other_files_are_told_in_a_line(tmp_path, capsys):
    many = copy.deepcopy(REST)
    many["frameworks"][0]["jobs"] = 8
    page = tmp_path / "page.md"
    page.write_text("<!-- latency: begin -->\n<!-- latency: end -->\n")
    rest, wrong = tmp_path / "rest.json", tmp_path / "wrong.json"
    rest.write_text(json.dumps(REST))
    for value, said in ((many, "error: latency is told at one job"), ({}, "no comparison")):
        wrong.write_text(json.dumps(value))
        assert main([str(rest), str(wrong), "--delay", "0.3"]) == 2
        assert capsys.readouterr().err.startswith(said)
    assert main([str(rest), str(rest), "--delay", "1", "--write", str(page)]) == 2
    assert "--write needs --date" in capsys.readouterr().err
    day = ["--date", "2026-03-14"]
    assert main([str(rest), str(rest), "--delay", "1", "--write", str(page), *day]) == 0
    assert "| control router | router |" in page.read_text()
