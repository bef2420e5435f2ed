"""The report page: complete, self-contained, safe against hostile words, and fit for a browser."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.compare import compare, episode_row
from ossia_evaluation.report import episode_detail, report_html

from .support import LIST, SCORER, WAKE, WAKE_URL, WEATHER, Play, gold_play

HOSTILE = "<script>alert('owned')</script><img src=x onerror=alert(1)>\" onmouseover=\"x"
LONG = "averyveryverylongwordwithoutanyspace" * 12
TASKS = {
    "wake": WAKE.model_copy(update={"id": "wake", "utterance": HOSTILE}),
    "list": LIST.model_copy(update={"id": "list", "utterance": LONG}),
    "weather": WEATHER.model_copy(update={"id": "weather"}),
}
FRAMEWORKS = ("autogen", "langgraph", "camel", "agentlite", "control")


def episodes(repeats=2):
    """Yield task and trace of a small run: successes, failures and one invalid episode."""
    for framework in FRAMEWORKS:
        for name, wanted in TASKS.items():
            for repeat in range(1, repeats + 1):
                play = gold_play(wanted, until="url")
                if name == "wake" and framework != "camel":
                    url = WAKE_URL.replace("07", "08")
                    play.url(url).request(url).response(HOSTILE)
                elif name == "list" and framework == "agentlite" and repeat == 1:
                    play.call("url", None, status="infrastructure")
                else:
                    play = gold_play(wanted)
                trace = play.trace()
                key = trace.episode.model_copy(
                    update={
                        "id": f"{framework}.{name}.{repeat}",
                        "framework": framework,
                        "repeat": repeat,
                    }
                )
                yield wanted, trace.model_copy(update={"episode": key})


def page(repeats=2):
    rows, details = [], []
    for wanted, trace in episodes(repeats):
        score = SCORER.score(wanted, trace)
        rows.append(episode_row(wanted, trace, score, METRICS))
        if score.verdict != "success":
            details.append(episode_detail(wanted, trace, score))
    result = compare(
        rows,
        run="a-run-of-<b>tests</b>",
        frameworks={name: f"{name}-agentchat-distribution 1.2.3" for name in FRAMEWORKS},
        roles=("intent", "time", "url"),
        planned=len(rows),
        facts={"model": "by hand", "tasks": LONG},
        metrics=METRICS,
    )
    return report_html(result, rows, details)


class Reader(HTMLParser):
    """Collects the tags of a page, and checks that what is opened is closed."""

    VOID = frozenset({"meta", "br", "img", "input", "link", "hr", "line", "circle", "rect", "wbr"})

    def __init__(self):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def html():
    return page()


def test_the_page_is_well_formed(html):
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    anchors = {unquote(a["href"][1:]) for tag, a in reader.tags if tag == "a"}
    assert anchors <= set(ids)
    heads = [attributes for tag, attributes in reader.tags if tag == "th"]
    assert heads
    assert all(head.get("scope") in ("col", "row") for head in heads)


def check_needs_nothing_else(html):
    """The page loads nothing, and its one script is the one that it allows."""
    reader = Reader()
    reader.feed(html)
    names = [tag for tag, _ in reader.tags]
    assert not set(names) & {"link", "img", "iframe", "object", "embed", "base"}
    assert names.count("script") == 1
    loading = {"src", "srcset", "data", "action", "poster", "background"}
    for _, attributes in reader.tags:
        assert not attributes.keys() & loading
        assert attributes.get("href", "#").startswith("#")
        assert not any(name.startswith("on") for name in attributes)
    assert not re.search(r"https?://|url\(|@import", html.replace(LONG, ""))
    script = html.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = (a["content"] for _, a in reader.tags if "http-equiv" in a)
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}';" in policy


def test_the_page_needs_nothing_else(html):
    check_needs_nothing_else(html)


def test_hostile_words_stay_words(html):
    assert html.count("<script") == 1
    assert "<img" not in html
    assert "<b>tests</b>" not in html
    assert "&lt;script&gt;alert(&#39;owned&#39;)&lt;/script&gt;" in html


def test_tables_say_what_the_comparison_says(html):
    assert "Comparison of 5 frameworks" in html
    assert "30 of 30 episodes finished" in html
    assert 'id="repeats"' in html
    assert 'id="repeats"' not in page(repeats=1)


def test_of_many_repeats_successes_are_counted_and_failures_are_marked():
    many = page(11)
    cells = many[many.index('id="tasks"') :]
    # Of five frameworks and three tasks, one framework has one invalid episode of a task.
    assert cells.count("&times;11 ") == 10
    assert cells.count("&times;10 ") == 1
    assert cells.count('href="#episode-') == 4 * 11 + 1
    assert "&times;" not in page(10)


def test_a_page_of_nothing_is_a_page():
    empty = compare((), run="r", frameworks={}, roles=(), planned=3, facts={})
    text = report_html(empty, (), ())
    assert "0 of 3 episodes finished" in text
    assert "Comparison of 0 frameworks" in text
    assert "by role" not in text and "#faults" not in text


def test_a_framework_without_a_valid_episode_has_its_place():
    play = Play(WAKE).call("intent", None, status="infrastructure")
    row = episode_row(WAKE, play.trace(), play.score(), METRICS)
    only = compare([row], run="r", frameworks={}, roles=(), planned=1, facts={})
    assert "no valid episode" in report_html(only, [row], ())


@pytest.fixture
def file(html, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(html, "utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_the_page_in_a_browser(watched, file, width, scheme):
    size = {"width": width, "height": 900}
    tab = watched(file.as_uri(), viewport=size, color_scheme=scheme)
    tab.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    sizes = "[...document.querySelectorAll('{}')].map(e => e.getBoundingClientRect().right)"
    assert all(right <= width for right in tab.evaluate(sizes.format("main > *, details > *")))
    rows = "[...document.querySelectorAll('table')].map(t => [t.id, t.tBodies[0].rows.length])"
    assert dict(tab.evaluate(rows)) == {
        "success": 5,
        "cost": 5,
        "roles": 5,
        "groups": 3,
        "repeats": 5,
        "pairs": 10,
        "tasks": 3,
    }
    # Eight wrong alarms (all but one framework's) told once, and one infrastructure failure.
    assert tab.locator("details.entry").count() == 2
    assert tab.locator("li.episode").count() == 9
    assert tab.locator("svg").count() == 2
    assert tab.complaints == []
    assert tab.asked == [file.as_uri()]


def test_failed_steps_are_marked(watched, file):
    tab = watched(file.as_uri())
    entry = tab.locator("details.entry", has=tab.locator("[id='episode-control.wake.1']"))
    assert entry.locator("li.failed b").all_text_contents() == ["url"]


def test_a_wrong_call_marks_the_request_role():
    play = gold_play(WAKE, until="request").request(WAKE_URL.replace("07", "08")).response()
    trace = play.trace()
    detail = episode_detail(WAKE, trace, SCORER.score(WAKE, trace))
    assert [step.role for step in detail.steps if step.failed] == ["request"]
    assert detail.outcome[0].startswith("missing: alarm.alarms: added")
    assert detail.requests[0].startswith("GET /alarm intent=alarm_set time=08:30")


def test_long_words_of_a_step_are_cut():
    play = Play(WAKE).say("intent", "word " * 400)
    trace = play.trace(answer="x")
    detail = episode_detail(WAKE, trace, SCORER.score(WAKE, trace))
    assert detail.steps[-1].text.endswith(" ...")
    assert len(detail.steps[-1].text) < 610
