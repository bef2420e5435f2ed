"""A run under stress as tables, page and CSV."""

import csv
import io

import pytest
from rich.console import Console

from ossia_evaluation.compare import Comparison, compare
from ossia_evaluation.report import report_html, stress_csv, stress_pairs_csv
from ossia_evaluation.report.terminal import comparison_tables
from ossia_evaluation.stress import Outcome
from ossia_evaluation.stress.figures import ALL

from .stressed import ALWAYS, EMPTY, LOST, met, stress, usual

FAULTS = (EMPTY, ALWAYS, LOST)
FRAMEWORKS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
NAMES = dict(zip(FRAMEWORKS, ("control router", "<b>Bad</b> [red]"), strict=False))


def episodes():
    for number in range(24):
        task = f"t{number}"
        for place, framework in enumerate(FRAMEWORKS):
            yield usual(task, framework)
            for fault in FAULTS:
                right = place == 0 or (place > 1 and number % 2)
                twice = fault is LOST and place == 1
                ended = Outcome.RECOVERED if right else Outcome.DAMAGE if twice else Outcome.SILENT
                yield met(task, framework, fault, ended, acts=("x", "x") if twice else ("x",))


@pytest.fixture(scope="module")
def result() -> Comparison:
    rows = [each.row for each in episodes()]
    told = {"roles": (), "planned": 144, "facts": {"suite": "s"}, "run": "r"}
    compared = compare(rows, frameworks=dict.fromkeys(FRAMEWORKS, ""), **told)
    found = stress(list(episodes()), FAULTS, FRAMEWORKS, reference="alpha")
    lines = [
        line.model_copy(update={"label": NAMES.get(line.framework, line.framework)})
        for line in found.lines
    ]
    return compared.model_copy(update={"stress": found.model_copy(update={"lines": tuple(lines)})})


def shown(result, width):
    console = Console(width=width, force_terminal=False)
    with console.capture() as told:
        console.print(comparison_tables(result))
    return told.get()


def test_episodes_with_faults_are_in_no_other_figure(result):
    assert result.finished == 144
    assert all(line.success.count == line.success.of == 24 for line in result.frameworks)


def test_the_table_of_six_frameworks_is_whole_on_80_columns(result):
    text = shown(result, 80)
    _, _, table = text.partition("Recovery by class of fault\n")
    table, _, rest = table.partition("Failure outcomes")
    assert "part" not in table
    assert max(map(len, text.splitlines())) <= 80
    (omission,) = (line for line in table.splitlines() if line.lstrip().startswith("omission"))
    assert omission.split() == ["omission", "100", "%▲", "0", "%▼", *["50", "%"] * 4]
    (whole,) = (line for line in table.splitlines() if line.lstrip().startswith(ALL))
    assert "100 %▲" in whole
    assert "<b>Bad</b> [red]" in rest


def test_the_page_opens_a_cells_episodes_and_escapes_names(result):
    page = report_html(result, [each.row for each in episodes()], [])
    assert '<h2 id="stress">Under stress</h2>' in page
    assert "<b>Bad</b>" not in page
    assert "<li>beta.t0.1~lost-answer damage</li>" in page
    assert (
        "<code>lost-answer</code> (" in page
        and "`" not in page.partition("<body>")[2].partition("<script")[0]
    )
    assert "<title>Recovery by dose: omission</title>" in page
    assert page.count('class="curve"') == len(FRAMEWORKS)
    assert "<code>empty:always</code>" in page


@pytest.mark.slow
def test_the_page_is_no_wider_than_a_small_window(watched, tmp_path, result):
    (tmp_path / "page.html").write_text(report_html(result, [], []), "utf-8")
    tab = watched((tmp_path / "page.html").as_uri(), viewport={"width": 400, "height": 800})
    assert tab.locator("figure svg").count() == 1
    assert tab.evaluate("document.documentElement.scrollWidth") == 400


@pytest.mark.slow
def test_the_episodes_of_cells_are_not_printed(watched, tmp_path, result):
    path = tmp_path / "page.html"
    path.write_text(report_html(result, [each.row for each in episodes()], ()), "utf-8")
    tab = watched(path.as_uri())
    tab.emulate_media(media="print")
    seen = "e => e.checkVisibility({contentVisibilityAuto: true})"
    listed = "[...document.querySelectorAll('table.heat li')]"
    assert tab.evaluate(f"{listed}.length") > 100
    assert not tab.evaluate(f"{listed}.some({seen})")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not tab.evaluate(f"{listed}.some({seen})")


@pytest.mark.slow
def test_every_column_sorts_the_faults_and_leaves_the_classes_last(watched, tmp_path, result):
    (tmp_path / "page.html").write_text(report_html(result, [], []), "utf-8")
    tab = watched((tmp_path / "page.html").as_uri())
    rows = tab.locator("#recovery1 tbody tr")
    classes = ["omission", "acting twice", ALL]
    # The third framework, delta, keeps half of its episodes under every fault, and beta none.
    for head, best in (("control", "1.00"), ("zeta", "0.50"), ("<b>Bad", "0.00")):
        button = tab.locator("#recovery1 thead th", has_text=head).get_by_role("button")
        for _ in range(2):
            button.click()
            heads = rows.locator("th").all_text_contents()
            assert heads[3:] == classes
            assert sorted(heads[:3]) == ["empty", "empty:always", "lost-answer"]
        assert best in rows.first.text_content()
    assert tab.complaints == []


@pytest.mark.slow
def test_figures_with_signs_are_sorted_as_numbers(watched, tmp_path, result):
    page = report_html(result, [], [])
    signed = iter(("+1,119", "-3", "+419", "-", "+0.5", "-1,200"))
    last = page.rindex('aria-label="Endings under stress"')
    rows = page[last:].split("</td></tr>")
    page = (
        page[:last]
        + "".join(f"{row.rpartition('<td>')[0]}<td>{next(signed)}</td></tr>" for row in rows[:6])
        + "</td></tr>".join(rows[6:])
    )
    (tmp_path / "page.html").write_text(page, "utf-8")
    tab = watched((tmp_path / "page.html").as_uri())
    table = tab.locator("[aria-label='Endings under stress'] table")
    table.locator("thead button").last.click()
    found = table.locator("tbody tr td:last-child").all_text_contents()
    assert found == ["-1,200", "-3", "+0.5", "+419", "+1,119", "-"]


def test_a_workers_cells_are_marked_as_text_where_they_are(result):
    lines = [each.model_copy(update={"status": "archived"}) for each in result.frameworks]
    page = report_html(result.model_copy(update={"frameworks": tuple(lines)}), [], [])
    assert page.count('<td class="text">archived</td>') == len(FRAMEWORKS)


def test_csv_has_a_line_for_each_framework_and_fault(result):
    lines = list(csv.DictReader(io.StringIO(stress_csv(result.stress))))
    assert len(lines) == len(FRAMEWORKS) * len(FAULTS)
    (one,) = (x for x in lines if (x["framework"], x["fault"]) == ("beta", "lost-answer"))
    assert (one["recovery_share"], one["damage"], one["acted_twice"]) == ("0.0000", "24", "24")
    assert one["extra_calls_mean"] == ""
    pairs = list(csv.DictReader(io.StringIO(stress_pairs_csv(result.stress))))
    assert len(pairs) == 15 * 3 + 5 * 3


def test_it_is_stored_and_read_again(result):
    assert Comparison.model_validate_json(result.model_dump_json()) == result
