"""Variants of frameworks in tables: what rows are called, and idioms side by side."""

import io

import pytest
from rich.console import Console

from ossia_evaluation.compare import Title, WorkerFigures, compare
from ossia_evaluation.comparison import Comparison
from ossia_evaluation.grade import Verdict
from ossia_evaluation.report import by_role_csv, comparison_csv, report_html
from ossia_evaluation.report.idioms import idiom_tables
from ossia_evaluation.report.terminal import comparison_tables

from .compared import read, row

TITLES = {
    "autogen": Title(text="AutoGen SelectorGroupChat", idiom="router"),
    "autogen:tools": Title(text="AutoGen AgentTool", idiom="tools"),
    "agentlite": Title(text="AgentLite stock", idiom="protocol"),
    "agentlite:swapped": Title(text="AgentLite role swapped", idiom="protocol"),
    "mine": Title(text="mine"),
}


def rows(names, model="m", tasks=2):
    return [
        row(
            name,
            f"alarm-{number}",
            "success" if place else "failure",
            roles=() if place else ("intent",),
        ).model_copy(update={"model": model, "calls": 10 + place, "prompt_tokens": 900 + place})
        for place, name in enumerate(names)
        for number in range(tasks)
    ]


def compared(found=None, titles=TITLES, models=("m",), **more):
    return compare(
        rows(TITLES) if found is None else found,
        run="r",
        frameworks=dict.fromkeys(titles, "1.0"),
        roles=("intent",),
        planned=10,
        facts={},
        models=models,
        titles=titles,
        **more,
    )


def shown(result, width=80):
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(comparison_tables(result))
    return console.file.getvalue()


def test_rows_are_called_by_titles_and_the_versions_tell_their_keys():
    text = shown(compared(), 200)
    heads = [line.split("  ")[0].strip() for line in text.splitlines()]
    for title in TITLES.values():
        assert title.text in heads
    assert "AutoGen AgentTool (autogen:tools): 1.0; AgentLite stock (agentlite): 1.0" in text
    assert "mine: 1.0" in text
    assert "AutoGen SelectorGroupChat / AutoGen AgentTool" in text
    assert "in 4 of 10 pairs" in text or "No difference in success is significant" in text


def test_files_and_the_page_have_key_and_label():
    result = compared()
    stored = Comparison.model_validate_json(result.model_dump_json())
    line = stored.frameworks[1]
    assert (line.framework, line.label, line.idiom) == (
        "autogen:tools",
        "AutoGen AgentTool",
        "tools",
    )
    told = read(comparison_csv(result))[1]
    assert (told["framework"], told["label"], told["idiom"]) == (
        "autogen:tools",
        "AutoGen AgentTool",
        "tools",
    )
    assert read(by_role_csv(result))[-1]["label"] == "mine"
    page = report_html(result, rows(TITLES), ())
    assert '<th scope="row" title="autogen:tools">AutoGen AgentTool</th>' in page


def test_two_frameworks_that_are_called_alike_keep_their_keys():
    twice = {"a": Title(text="Team"), "b": Title(text="Team"), "c": Title(text="Other")}
    result = compared(rows(twice), twice)
    assert [result.label(line) for line in result.frameworks] == ["a", "b", "Other"]


def test_a_finding_names_titles():
    titles = {"a": Title(text="Frame one"), "b": Title(text="Frame two")}
    result = compared(rows(titles, tasks=30), titles)
    assert "Frame two over Frame one by 1.00" in result.finding[0]


def test_idioms_stand_side_by_side_by_framework():
    success, calls, tokens = idiom_tables(compared())
    assert success.idioms == ("protocol", "router", "tools")
    assert dict(success.rows) == {
        "autogen": ("-", "0.00", "1.00"),
        "agentlite": ("1.00", "-", "-"),
        "agentlite:swapped": ("1.00", "-", "-"),
    }
    assert dict(calls.rows)["agentlite"] == ("12.0", "-", "-")
    assert dict(calls.rows)["agentlite:swapped"] == ("13.0", "-", "-")
    assert tokens.title == "Tokens of an episode by idiom"
    page = report_html(compared(), rows(TITLES), ())
    assert '<h3 id="idioms">Success by idiom</h3>' in page
    assert "Success by idiom" in shown(compared())


def test_idioms_are_told_for_each_model_and_each_run_beside():
    titles = {**TITLES, "autogen:tools @1f": Title(text="AutoGen AgentTool @1f", idiom="tools")}
    both = [*rows(titles), *rows(titles, "n")]
    success = idiom_tables(compared(both, titles, ("m", "n")))[0]
    assert [name for name, _ in success.rows] == [
        "autogen m1",
        "autogen m2",
        "agentlite m1",
        "agentlite m2",
        "agentlite:swapped m1",
        "agentlite:swapped m2",
        "autogen @1f m1",
        "autogen @1f m2",
    ]


@pytest.mark.parametrize(
    "names",
    [("mine",), ("autogen", "mine"), ("agentlite:swapped",), ("autogen", "agentlite:swapped")],
)
def test_one_idiom_of_each_framework_is_no_table(names):
    assert idiom_tables(compared(rows(names))) == ()
    assert "by idiom" not in report_html(compared(rows(names)), rows(names), ())


def test_sixteen_variants_with_long_titles_are_readable_on_eighty_columns():
    idioms = ("router", "tools", "handoffs", "planner", "protocol")
    titles = {
        f"framework{n // 5}:v{n}": Title(text=f"Framework{n // 5} WordOfSixteen{n:03}", idiom=i)
        for n, i in ((n, idioms[n % 5]) for n in range(16))
    }
    text = shown(compared(rows(titles), titles))
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for title in titles.values():
        assert title.text in text, "a name is never broken"
    # The first one fails and the other fifteen succeed.
    assert text.count(" / Framework") % 15 == 0
    assert "no episode differs in 105 of 120 pairs" in text
    alike = [each for each in rows(titles) if each.framework != "framework0:v0"]
    assert "no episode differs in 105 of 105 pairs" in " ".join(
        shown(compared(alike, titles)).split()
    )


def test_no_column_ranks_what_is_equal_by_construction():
    alike = [
        each.model_copy(update={"verdict": Verdict.SUCCESS, "roles": ()}) for each in rows(TITLES)
    ]
    result = compared(alike, alike=["m"])
    text = shown(result, 200)
    heads = next(line for line in text.splitlines() if "answers lost" in line and "invalid" in line)
    assert "success" not in heads
    assert text.count(" none ") >= len(TITLES)
    assert "Success by idiom" not in text
    assert "Tokens of an episode by idiom" in text
    page = report_html(result, alike, ())
    assert '<th scope="col">answers lost</th>' in page
    assert "Chart of success" not in page
    assert "Chart of success" in report_html(compared(alike), alike, ())
    assert Comparison.model_validate_json(result.model_dump_json()).equal == ("m",)


def test_the_page_tells_what_it_does_not_compare_and_the_frameworks_upkeep():
    worker = WorkerFigures(import_cpu_s=1.234, memory_mib=98.7)
    titles = TITLES | {"mine": Title(text="mine", status="newest 2.0 on 2026-11-24, archived")}
    result = compared(titles=titles, workers={"mine": worker})
    page = report_html(result, rows(TITLES), ())
    assert page.index("Not compared: checkpointing, streaming") < page.index("Success by outcome")
    for text in (page, shown(result, 200)):
        assert "newest 2.0 on 2026-11-24, archived" in text
        assert "1.23" in text
    assert "memory MiB" not in shown(compared(), 200)
    one = [each for each in rows(TITLES) if each.framework == "mine"]
    assert "Not compared" not in report_html(compared(one), one, ())
