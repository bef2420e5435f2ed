"""What the turns of a user's conversation cost, from the trace to the tables."""

import io

from rich.console import Console

from ossia_evaluation.compare import episode_row
from ossia_evaluation.grade import Grade
from ossia_evaluation.report import episodes_csv, report_html
from ossia_evaluation.report.terminal import comparison_tables
from ossia_evaluation.report.terminal_episode import print_episode
from ossia_evaluation.rows import TurnCost, turn_costs
from ossia_servers.trace import PlayedTurn

from .compared import compared, read, row
from .support import WAKE, gold_play

SUCCESS = Grade(verdict="success", reason="told")


def talk(*calls):
    """A trace of so many calls in each turn; each call has 12 tokens."""
    trace = gold_play(WAKE).trace()
    turns = [
        PlayedTurn(user=f"words {number}", answer="[red]yes", calls=count, requests=0)
        for number, count in enumerate(calls, 1)
    ]
    timing = trace.timing.model_copy(update={"turns_s": tuple(map(float, range(len(calls))))})
    return trace.model_copy(update={"turns": tuple(turns), "timing": timing})


def test_each_turn_has_the_tokens_of_the_calls_that_began_in_it():
    trace = talk(2, 0, 1)
    told = episode_row(WAKE, trace, SUCCESS)
    assert (told.turn_tokens, told.turn_wall_s) == ((24, 0, 12), (0.0, 1.0, 2.0))
    (line,) = read(episodes_csv([told]))
    assert (line["turn_tokens"], line["turn_wall_s"]) == ("24|0|12", "0.0|1.0|2.0")
    assert episode_row(WAKE, gold_play(WAKE).trace(), SUCCESS).turn_tokens == ()


def test_means_are_over_the_episodes_that_came_to_a_turn():
    rows = [
        row("one", "alarm-1", "success", turn_tokens=(10, 30), turn_wall_s=(1.0, 3.0)),
        row("one", "alarm-2", "success", turn_tokens=(20,), turn_wall_s=(2.0,)),
    ]
    assert turn_costs(rows) == (
        TurnCost(episodes=2, tokens=15.0, wall_s=1.5),
        TurnCost(episodes=1, tokens=30.0, wall_s=3.0),
    )
    assert turn_costs([]) == ()
    result = compared(rows, ["one"])
    console = Console(file=io.StringIO(), width=160)
    console.print(comparison_tables(result))
    shown = console.file.getvalue()
    assert "Cost of a user turn" in shown
    assert "15, 1.50 s, 2" in shown and "30, 3.00 s, 1" in shown
    page = report_html(result, rows, ())
    assert '<h3 id="turns">' in page and "<td>15, 1.50 s, 2</td>" in page


def test_runs_without_conversations_have_no_such_table():
    console = Console(file=io.StringIO(), width=160)
    console.print(comparison_tables(compared()))
    assert "turn" not in console.file.getvalue().casefold()
    assert 'id="turns"' not in report_html(compared(), (), ())


def test_an_episode_is_shown_with_its_turns():
    console = Console(file=io.StringIO(), width=160)
    print_episode(console, WAKE, talk(2, 1), SUCCESS, ())
    shown = console.file.getvalue()
    assert "turn 1: words 1" in shown and "turn 2: words 2" in shown
    assert "answer: [red]yes" in shown
