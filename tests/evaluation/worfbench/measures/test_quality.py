"""What is wrong with gold plans."""

import json
from collections import Counter

import pytest

from ossia_evaluation.worfbench.measures.files import read_golds
from ossia_evaluation.worfbench.measures.quality import Defect, defects
from tests.evaluation.worfbench.support import DATA, needs_data


@needs_data
def test_the_published_golds_have_the_known_defects():
    found = {gold.id: defects(gold) for gold in read_golds(DATA)}
    counts = Counter(defect for named in found.values() for defect in named)
    assert counts == {Defect.ORDER: 3, Defect.PROSE: 10, Defect.TRIVIAL: 23}
    broken = {name for name, named in found.items() if Defect.ORDER in named}
    assert broken == {"intercodesql_192", "intercodesql_253", "intercodesql_308"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Node:\n1: a\n2: b\nEdge: (START,1) (1,2) (2,END)", ()),
        ("Node:\n1: a\n2: b\nEdge: (START,2) (2,1) (1,END)", (Defect.ORDER,)),
        ("Node:\n1: a\n2: b\nEdge: (START,1) (1,2) (2,1) (2,END)", (Defect.ORDER,)),
        ("Node:\n1: a\n2: b\nEdge: (START,1) (1,2) (2,END)\nSo:\n1. a, then", (Defect.PROSE,)),
        ("Node:\n1: a\nEdge: (START,1) (1,END)", (Defect.TRIVIAL,)),
        ("", (Defect.UNREADABLE,)),
    ],
)
def test_defects_by_hand(tmp_path, text, expected):
    file = tmp_path / "g.jsonl"
    file.write_text(json.dumps({"workflow": text}))
    (gold,) = read_golds(file)
    assert defects(gold) == expected
