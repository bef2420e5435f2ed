import io

import pytest
from rich.console import Console

from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.compare import Comparison, DroppedCost, FrameworkSummary, Pair
from ossia_evaluation.comparison import PairedCost
from ossia_evaluation.console import SafeConsole
from ossia_evaluation.report import terminal
from ossia_evaluation.report.terminal import comparison_tables
from ossia_evaluation.report.word_table import word_table
from ossia_evaluation.rows import Mean, Total, task_share
from tests.evaluation.stress.stressed import stress

PAIR = Pair(
    within="offline",
    first="one",
    second="two",
    both=1,
    neither=0,
    only_first=(),
    only_second=(),
    tasks=1,
    difference=0,
    low=0,
    high=0,
    p_value=1,
    p_holm=1,
)


SHOWN = Comparison(
    run="r",
    facts={},
    planned=1,
    finished=1,
    frameworks=(),
    roles=(),
    pairs=(PAIR,),
    invalid={},
)


def test_square_brackets_of_an_upstream_are_shown_as_they_are():
    why = "the model failed: bad key [key], see [/docs]"
    result = SHOWN.model_copy(update={"invalid": {"control.x.1": why}})
    console = Console(width=160, force_terminal=False)
    with console.capture() as shown:
        console.print(comparison_tables(result))
    assert why in shown.get()
    assert "Run r: 1 episode\n" in shown.get()
    (pair,) = (line for line in shown.get().splitlines() if "two" in line)
    assert pair.rstrip().endswith(" -"), "no flips"


def test_the_episodes_without_a_fault_are_called_so_beside_those_with_one():
    result = SHOWN.model_copy(update={"planned": 3, "stress": stress([])})
    console = Console(width=80, force_terminal=False)
    with console.capture() as shown:
        console.print(comparison_tables(result))
    assert "Run r: 1 of 3 episodes without a fault (unfinished)\n" in shown.get()


def test_without_a_valid_episode_there_are_no_tables_of_dashes():
    line = LINE.model_copy(update={"invalid": 363, "success": share(0, 0)})
    told = {"frameworks": (line,), "invalid": {"control.x.1": "HTTP 404"}, "pairs": ()}
    console = Console(width=80, force_terminal=False)
    with console.capture() as shown:
        console.print(comparison_tables(SHOWN.model_copy(update=told)))
    assert "Invalid episodes" in shown.get() and "HTTP 404" in shown.get()
    assert "Success by outcome" not in shown.get() and "Cost of an episode" not in shown.get()


@pytest.mark.parametrize("width", range(30, 44))
def test_what_is_in_brackets_stays_together_in_a_header(width):
    table = word_table("framework", "slot score [95 %]", "invalid")
    table.add_row("control", "0.82 [0.77, 0.85]", "0")
    console = Console(width=width, force_terminal=False)
    with console.capture() as shown:
        console.print(table)
    assert "[95 %]" in shown.get()
    assert "0.82 [0.77, 0.85]" in shown.get()


def test_a_framework_in_a_run_and_in_the_one_beside_it_is_told_with_its_costs():
    cost = PairedCost(first=12, second=9.5, low=2, high=3)
    beside = PAIR.model_copy(update={"second": "one @3f2a", "costs": {"calls": cost}})
    table = terminal._pairs(SHOWN.model_copy(update={"pairs": (PAIR, beside)}))[-1]
    console = Console(width=120, force_terminal=False)
    with console.capture() as shown:
        console.print(table)
    assert "The run minus the one it is compared with" in shown.get()
    (line,) = (line for line in shown.get().splitlines() if "one / one @3f2a" in line)
    assert "+0.000 [+0.000, +0.000]" in line and "+2.5 [+2.0, +3.0]" in line
    assert line.split()[-2:] == ["-", "-"], "neither tokens nor seconds are told"
    assert len(terminal._pairs(SHOWN)) == 1, "other pairs have no such table"


def share(count, of):
    return task_share((f"t-{number}", number < count) for number in range(of))


LINE = FrameworkSummary(
    framework="agentlite",
    model="offline",
    version="agentlite-llm 0.1.12",
    episodes=363,
    invalid=0,
    success=share(143, 230),
    success_of_all=share(143, 363),
    metrics={
        "acted": share(182, 230),
        "unread": Total(total=4, of=230),
        "slots_correct": share(150, 230),
        "facts": Mean(mean=0.825, of=200),
        "side_effects": share(34, 230),
        "clarification": Total(total=15, of=230),
    },
    calls=10.2,
    tokens=19254.0,
    tokens_estimated=True,
    price_usd=0.0123,
    price_per_success_usd=0.0198,
    wall_s=0.1,
    wall_p50_s=0.1,
    wall_p95_s=0.2,
    jobs=8,
    cpu_s=0.01,
    reported_tokens_share=0.56,
    failures_by_role={},
    by_role={},
    by_group={},
    pass_hat={},
)


def test_on_80_columns_neither_names_nor_figures_are_broken():
    result = Comparison(
        run="r",
        facts={},
        planned=363,
        finished=363,
        frameworks=(LINE,),
        roles=(),
        models=("offline",),
        metrics=METRICS,
        pairs=(),
        invalid={},
    )
    console = Console(width=80, force_terminal=False)
    with console.capture() as shown:
        console.print(comparison_tables(result))
    words = shown.get().split()
    figures = ("0.825", "[0.56,", "~19,254", "0.0123", "0.0198", "0.010")
    for word in ("agentlite", *figures, "clarifications", "invalid", "framework", "reported"):
        assert word in words
    assert max(map(len, shown.get().splitlines())) <= 80
    assert "Acted (the state alone is right): agentlite 0.79" in shown.get()
    assert "Unparsed wording (successes with words that no rule knows): agentlite 4" in shown.get()
    assert "Versions: agentlite: agentlite-llm 0.1.12" in shown.get()
    assert "Not in these means" not in shown.get()
    assert "Failed episodes by role" not in shown.get(), "no role is named"


def test_what_dropped_attempts_cost_is_one_line_under_the_costs():
    spent = DroppedCost(episodes=2, calls=7, tokens=1234, price_usd=None)
    result = Comparison(
        run="r",
        facts={},
        planned=1,
        finished=1,
        frameworks=(),
        roles=(),
        pairs=(),
        invalid={},
        dropped=spent,
    )
    console = Console(width=200, force_terminal=False)
    with console.capture() as shown:
        console.print(comparison_tables(result))
    (line,) = (line for line in shown.get().splitlines() if "Not in these means" in line)
    assert "7 model calls, 1,234 known tokens, an unknown price, in 2 episodes." in line


WIDE = {
    "framework": ["agentlite", "langgraph"],
    "model": ["A", "openai/gpt-4o-mini"],
    "success [95 %]": ["0.88 [0.85, 0.91]", "0.62 [0.55, 0.68]"],
    "side effects": ["20", "1,234,567"],
    "USD / success": ["0.0123", "0.0198"],
    "clarifications": ["13", "14"],
    "why": ["a sentence of several words", "http://127.0.0.1:8000/v1 said no"],
}


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_a_table_that_is_too_wide_goes_on_in_parts_and_breaks_nothing(width):
    table = word_table(*WIDE, lead=2)
    table.columns[-1].justify = "left"
    for row in zip(*WIDE.values(), strict=True):
        table.add_row(*row)
    console = Console(width=width, force_terminal=False)
    with console.capture() as shown:
        console.print(table)
    text = shown.get()
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    for name, cells in WIDE.items():
        for cell in (*name.split(), *(cells if name != "why" else cells[0].split())):
            assert cell in text, cell
    parts = text.count("openai/gpt-4o-mini")
    assert text.count("agentlite") == parts, "each part names its rows"
    assert (parts == 1) is (width == 160)
    assert text.count(f"wider than {width}") == parts - 1


def test_a_name_too_long_for_a_narrow_terminal_is_wrapped_beside_its_figures():
    table = word_table("pair", "both", "neither")
    table.add_row("control router / LangGraph router node", "3517", "4218")
    out = io.StringIO()
    Console(file=out, width=30).print(table)
    said = out.getvalue().split()
    assert {"3517", "4218", "LangGraph", "node"} <= set(said)


def test_no_line_of_a_table_ends_with_spaces():
    table = word_table("framework", "n")
    table.add_row("one", "1")
    table.add_row("a longer one", "[b]22[/b]")
    console = SafeConsole(width=80, force_terminal=False)
    with console.capture() as shown:
        console.print("before")
        console.print(table)
        console.print("asked: ", end="")
    lines = shown.get().split("\n")
    assert [line for line in lines[:-1] if line != line.rstrip()] == []
    assert " a longer one         22" in lines
    assert lines[-1] == "asked: "


def test_no_line_of_a_paragraph_ends_with_spaces():
    console = SafeConsole(width=20, force_terminal=False)
    with console.capture() as shown:
        console.print("seventeen letters a and no more")
    assert shown.get() == "seventeen letters a\nand no more\n"


def test_a_pair_without_a_common_task_has_no_p_and_a_framework_that_never_started_no_version():
    told = {
        "pairs": (PAIR.model_copy(update={"both": 0, "tasks": 0}),),
        "frameworks": (LINE.model_copy(update={"version": ""}),),
    }
    console = Console(width=120, force_terminal=False)
    with console.capture() as shown:
        console.print(comparison_tables(SHOWN.model_copy(update=told)))
    lines = shown.get().splitlines()
    (pair,) = (line for line in lines if "one / two" in line)
    assert pair.split()[-3:] == ["-", "-", "-"], "p, Holm's p and flips"
    assert any(line.startswith("Versions: agentlite: -") for line in lines)
