"""The report in a real browser: accessible, printable, linked, sorted, filtered and safe."""

import re
import shutil
import subprocess

import pytest

from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.compare import compare, episode_row
from ossia_evaluation.report import episode_detail, report_html

from .attribution.test_report_blame import blame as attributions
from .attribution.test_report_blame import page as blamed
from .support import SCORER, WAKE, WAKE_URL, gold_play
from .test_report import page

pytestmark = pytest.mark.slow

OPEN_ALL = "for (const item of document.querySelectorAll('details')) item.open = true"
CUT = """() => [...document.querySelectorAll('.scroll, table')]
    .filter(item => item.scrollWidth > item.clientWidth + 1
        || item.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map(item => item.id || item.ariaLabel)"""
BROKEN = """() => {
    const broken = [];
    for (const cell of document.querySelectorAll('table.data td:not(.words, .text)')) {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            for (const word of texts.currentNode.data.matchAll(/\\S*\\d\\S*/g)) {
                const range = document.createRange();
                range.setStart(texts.currentNode, word.index);
                range.setEnd(texts.currentNode, word.index + word[0].length);
                if (new Set([...range.getClientRects()].map(line => line.top)).size > 1)
                    broken.push(word[0]);
            }
        }
    }
    return broken;
}"""
A4_WIDTH = round((210 - 2 * 12) / 25.4 * 96)
"""What a sheet leaves between the margins, in CSS pixels."""

FRAMEWORKS = tuple(f"framework-{n:02}" for n in range(15))
HOSTILE = {
    "script": "</script><script>window.owned = 1</script>",
    "markup": "<img src=x onerror='window.owned = 1'><svg onload='window.owned = 1'>",
    "quotes": '" onmouseover="window.owned = 1" x=\'',
    "links": "<a href='javascript:window.owned = 1'>click</a>",
    "template": "{{ 7 * 7 }} ${window.owned = 1} <!--",
    "direction": "abc\u202edef\u2066",
}


def wide_page():
    """Fifteen columns, 24 tasks, a third of which fails, and model words that mean harm."""
    rows, details = [], []
    for number in range(24):
        words = list(HOSTILE.values())[number % len(HOSTILE)]
        task = WAKE.model_copy(update={"id": f"wake {number:02} {words}", "utterance": words})
        for framework in FRAMEWORKS:
            url = WAKE_URL.replace("07", "08") if number % 3 == 0 else WAKE_URL
            trace = gold_play(WAKE, until="url").url(url).request(url).response(words).trace()
            key = {"id": f"{framework}.{task.id}.1", "framework": framework, "task": task.id}
            trace = trace.model_copy(
                update={"episode": trace.episode.model_copy(update=key), "answer": words}
            )
            score = SCORER.score(task, trace)
            rows.append(episode_row(task, trace, score, METRICS))
            if score.verdict != "success":
                details.append(episode_detail(task, trace, score))
    result = compare(
        rows,
        run="r",
        frameworks=dict.fromkeys(FRAMEWORKS, "agent-framework-core 1.23.0"),
        roles=("intent", "time", "url"),
        planned=len(rows),
        facts=dict(HOSTILE),
        metrics=METRICS,
    )
    return report_html(result, rows, details)


PAGES = {"plain": page, "blamed": lambda: blamed(attributions()), "wide": wide_page}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, made in PAGES.items():
        (folder / f"{name}.html").write_text(made(), "utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in PAGES}


def column(tab, table, number):
    return tab.locator(f"#{table} tbody tr:visible > :nth-child({number})").all_text_contents()


# The blamed page is the plain one with more in it, and the wide page's dark colours are no others.
@pytest.mark.parametrize(
    ("name", "scheme"), [("blamed", "light"), ("blamed", "dark"), ("wide", "light")]
)
def test_no_barrier_is_found(watched, pages, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe-core")
    tab = watched(pages[name], color_scheme=scheme, viewport={"width": 900, "height": 900})
    tab.evaluate(OPEN_ALL)
    found = axe.Axe().run(tab).response
    assert found["passes"], "something was looked at"
    assert "color-contrast" in {rule["id"] for rule in found["passes"]}
    told = [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]]
    assert told == []


@pytest.mark.parametrize("name", PAGES)
def test_no_table_is_cut_on_paper(watched, pages, name):
    tab = watched(pages[name], viewport={"width": A4_WIDTH, "height": 1000})
    tab.emulate_media(media="print")
    assert tab.evaluate(CUT) == []
    assert tab.evaluate(BROKEN) == []
    assert tab.locator("details:not([open])").count(), "nothing is unfolded by hand"
    folded = "e => !e.checkVisibility({contentVisibilityAuto: true}) && !e.closest('.variant')"
    assert not tab.evaluate(f"[...document.querySelectorAll('.scroll, li')].some({folded})")
    assert tab.pdf(format="A4").startswith(b"%PDF")


def test_a_printed_table_has_its_heads_on_each_page(watched, pages, tmp_path):
    if shutil.which("pdftotext") is None:
        pytest.skip("needs pdftotext, of `apt-get install poppler-utils`")
    tab = watched(pages["wide"])
    # More tasks than a page holds.
    tab.evaluate(
        "for (const row of [...document.querySelectorAll('#tasks tbody tr')])"
        " for (let n = 0; n < 12; n++) row.after(row.cloneNode(true))"
    )
    tab.pdf(path=tmp_path / "page.pdf", format="A4")
    line = ("pdftotext", "-layout", str(tmp_path / "page.pdf"), "-")
    printed = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    printed = "".join(printed.rpartition("All tasks")[1:]).split("\f")
    full = [sheet for sheet in printed if "wake 11" in sheet or "wake 05" in sheet]
    assert len(full) > 1
    # Fifteen heads are broken inside words, but for those of one letter or digit.
    assert all("task" in sheet.partition("wake")[0] for sheet in full)


def test_a_filtered_page_says_so_on_paper(watched, pages):
    tab = watched(pages["wide"])
    boxes = tab.locator("label.filter")
    assert boxes.count() > 1
    tab.emulate_media(media="print")
    assert not any(box.is_visible() for box in boxes.all())
    tab.emulate_media(media="screen")
    tab.locator("label.filter input").last.fill("wake 03")
    tab.emulate_media(media="print")
    assert [box.is_visible() for box in boxes.all()].count(True) == 1
    assert re.fullmatch(r"\d+ of 24", tab.locator("label.filter output").last.text_content())


def test_the_first_column_leaves_room_for_the_cells(watched, tmp_path):
    long = page().replace('<th scope="row">wake', '<th scope="row">' + "wake_" * 60)
    assert "wake_wake" in long
    (tmp_path / "page.html").write_text(long, "utf-8")
    tab = watched((tmp_path / "page.html").as_uri(), viewport={"width": 375, "height": 800})
    first = tab.locator("#tasks tbody th").first.bounding_box()
    assert first["width"] <= 0.4 * 375 + 1
    tab.locator("#tasks a").first.click(timeout=5000)
    assert tab.locator("li.episode:target").count() == 1


def test_no_head_or_filter_lacks_a_name(watched, pages):
    for name in PAGES:
        tab = watched(pages[name])
        assert all(text.strip() for text in tab.locator("thead th").all_text_contents())
        named = [box.get_attribute("aria-label") for box in tab.locator("label.filter input").all()]
        assert len(set(named)) == len(named)


@pytest.mark.parametrize("name", ["plain", "blamed"])
def test_no_table_scrolls_on_a_wide_screen(watched, pages, name):
    tab = watched(pages[name], viewport={"width": 1920, "height": 1080})
    tab.evaluate(OPEN_ALL)
    assert tab.evaluate(CUT) == []


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_link_opens_an_episode(browser, pages, script):
    context = browser.new_context(java_script_enabled=script)
    tab = context.new_page()
    tab.goto(pages["plain"] + "#episode-control.wake.2")
    episode = tab.locator("[id='episode-control.wake.2']")
    assert episode.is_visible()
    assert tab.locator("details.entry[open]").count() == 1
    tab.goto(pages["plain"])
    assert not episode.is_visible()
    tab.locator("#tasks a[href='#episode-control.wake.2']").click()
    episode.wait_for(state="visible")
    context.close()


def test_a_link_is_copied(browser, pages):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    tab.goto(pages["plain"] + "#episode-control.wake.2")
    tab.locator("[id='episode-control.wake.1'] button").click()
    tab.get_by_text("copied").wait_for()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied == pages["plain"] + "#episode-control.wake.1"
    context.close()


def test_a_link_is_opened_although_a_filter_hides_it(watched, pages):
    tab = watched(pages["wide"])
    tab.get_by_label("Filter rows").last.fill("nothing like this")
    assert column(tab, "tasks", 1) == []
    link = tab.locator("li.episode a").first.get_attribute("href")
    box = tab.get_by_label("Filter failures")
    box.fill("nothing like this")
    assert not tab.locator("details.entry").first.is_visible()
    tab.evaluate("fragment => { location.hash = fragment }", link)
    tab.locator("li.episode:target").wait_for(state="visible")
    assert box.input_value() == "", "the filter ends, and its count with it"
    assert tab.locator("details.entry:visible").count() == 8


def test_a_click_sorts_up_down_and_back(watched, pages):
    tab = watched(pages["plain"])
    before = column(tab, "success", 3)
    shares = [float(cell.split()[0]) for cell in before]
    assert shares != sorted(shares)
    head = tab.locator("#success thead th", has_text="success")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert [float(cell.split()[0]) for cell in column(tab, "success", 3)] == sorted(shares)
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    found = [float(cell.split()[0]) for cell in column(tab, "success", 3)]
    assert found == sorted(shares, reverse=True)
    head.get_by_role("button").click()
    assert column(tab, "success", 3) == before
    assert head.get_attribute("aria-sort") is None


def test_unknown_figures_stand_last(watched, pages):
    tab = watched(pages["blamed"])
    button = tab.locator("#columns thead th", has_text="published").get_by_role("button")
    for _ in range(2):
        button.click()
        cells = column(tab, "columns", 4)
        known = [cell for cell in cells if cell != "-"]
        assert known
        assert cells[: len(known)] == known


def test_a_filter_keeps_what_holds_all_words(watched, pages):
    tab = watched(pages["wide"])
    every = column(tab, "tasks", 1)
    box = tab.locator("label.filter", has_text="rows").last.locator("input")
    box.fill("FAILURE wake")
    found = column(tab, "tasks", 1)
    assert [re.match(r"wake (\d+)", cell)[1] for cell in found] == [
        f"{n:02}" for n in range(0, 24, 3)
    ]
    assert tab.get_by_text("8 of 24").is_visible()
    box.fill("")
    assert column(tab, "tasks", 1) == every


def test_words_of_models_do_nothing(watched, pages):
    tab = watched(pages["wide"])
    tab.evaluate(OPEN_ALL)
    for button in tab.locator("#tasks thead button").all()[:2]:
        button.click()
    tab.locator("li.episode a").first.hover()
    assert tab.evaluate("window.owned") is None
    assert tab.locator("script").count() == 1
    assert tab.locator("main img, main svg[onload], main a[href^='javascript']").count() == 0
    assert tab.complaints == []
    assert tab.asked == [pages["wide"]]
    shown = tab.locator("dl.facts dd").all_text_contents()
    assert shown == [*list(HOSTILE.values())[:-1], "abc\\u202edef\\u2066"]


def test_a_script_that_gets_in_all_the_same_is_not_run(watched, tmp_path):
    file = tmp_path / "page.html"
    bad = "<script>window.owned = 1</script><img src='http://127.0.0.1:9/x'>"
    file.write_text(page().replace("<main>", f"<main>{bad}"), "utf-8")
    tab = watched(file.as_uri())
    assert tab.evaluate("window.owned") is None
    assert any("Content Security Policy" in line for line in tab.complaints)
    assert tab.locator("#success thead button").count(), "its own script runs"


def test_the_page_is_complete_without_script(browser, pages):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(pages["wide"])
    assert len(column(tab, "tasks", 1)) == 24
    assert tab.locator("details.entry").count() == 8
    assert tab.locator("label.filter, thead button, button.copy").count() == 0
    context.close()
