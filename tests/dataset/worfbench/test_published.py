"""A user's copy of the published golds."""

import json
from collections import Counter
from pathlib import Path

import pytest

from ossia_dataset.worfbench import WorFBenchError, read_worfbench

DATA = Path(__file__).parents[4] / "shared/data/worfbench"


@pytest.mark.skipif(not DATA.is_dir(), reason="the published data is not there (../shared/data)")
def test_the_published_golds():
    golds = read_worfbench(DATA)
    assert len(golds) == 2146 and len({gold.id for gold in golds}) == 2146
    assert Counter(gold.source for gold in golds)["lumos"] == 489
    assert sum(gold.held_out for gold in golds) == 723
    assert read_worfbench(DATA / "gold_traj" / "os") == tuple(
        gold for gold in golds if gold.source == "os"
    )
    assert all(gold.workflow.startswith("Node") for gold in golds)


LINE = {
    "source": "os",
    "conversations": [
        {"role": role, "content": "Node:\n1: a\nEdge: (START,1)"}
        for role in ("system", "user", "assistant")
    ],
    "target": "graph",
    "id": "os_1",
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file"),
        ("[]", "no gold workflow"),
        (json.dumps([LINE, LINE]), "os_1 occurs twice"),
        (json.dumps([LINE | {"conversations": []}]), "conversations"),
        (json.dumps([LINE | {"conversations": LINE["conversations"][::-1]}]), "not of a system"),
        (json.dumps([{"id": "os_1"}]), "source"),
        (json.dumps([LINE | {"more": 1}]), "more"),
    ],
)
def test_what_is_no_gold_is_refused_in_one_line(tmp_path, text, said):
    file = tmp_path / "graph_eval.json"
    file.write_text(text)
    with pytest.raises(WorFBenchError, match=said) as error:
        read_worfbench(tmp_path)
    assert "\n" not in str(error.value)


def test_folders_without_golds_are_refused(tmp_path):
    for path, said in (
        (tmp_path, "contains no graph_eval.json"),
        (tmp_path / "no", "no such file"),
        (Path("/dev/null"), "neither a file nor a folder"),
    ):
        with pytest.raises(WorFBenchError, match=said):
            read_worfbench(path)
