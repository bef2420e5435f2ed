"""Both measures side by side; the guide's table is what comes out."""

from dataclasses import astuple
from pathlib import Path

from ossia_evaluation.flowbench.measures.oracle import check_oracle
from ossia_evaluation.flowbench.measures.scoring import beside, score_predictions
from tests.evaluation.flowbench.measures.support import ORACLE, call, gold, needs_data, sample

GUIDE = Path(__file__).parents[4] / "docs/flowbench.md"


def row(cells) -> str:
    return "|".join(cell.strip() for cell in cells)


@needs_data
def test_the_guide_shows_where_the_measures_part():
    found = {
        row((result.name, *astuple(sides)))
        for result in check_oracle(ORACLE)
        if (sides := beside(result.case)) is not None and sides.parts
    }
    kinds = ("turn ", "equal_actions ", "session_eval ")
    lines = (line[1:-1].split("|") for line in GUIDE.read_text("utf-8").splitlines())
    told = {row(cells) for cells in lines if cells[0].strip().startswith(kinds)}
    assert told == found and len(found) > 40


def test_any_judge_is_between_the_two():
    samples = [
        sample(gold("book", {"note": "door"}), call("book", {"note": "window"}), "s_agent_turn1"),
        sample(gold("book", {"n": 1}), call("book", {"n": 1}), "s_agent_turn2"),
        sample(gold("book", {"n": 1}), "api call error", "s_agent_turn3"),
        sample({"Action": "book", "Action Input": "{"}, "hello", "s_agent_turn4"),
    ]
    found = score_predictions(samples)
    assert (found.turns, found.failed, found.bad_gold) == (4, 1, ("s_agent_turn4",))
    assert (found.strictest.figures.call_rec, found.mildest.figures.call_rec) == (1 / 3, 2 / 3)
    assert found.asked == 2
    assert (found.corrected.calls.right, found.corrected.calls.gold) == (1, 3)
