"""Attributions in the report page: complete, safe against hostile words, and fit for a browser."""

import re
from dataclasses import replace
from urllib.parse import unquote

import pytest

from ossia.suites.assistant import ROLES
from ossia_evaluation.assistant.detectors.modes import MODES
from ossia_evaluation.assistant.published import TABLE_3
from ossia_evaluation.attribution import Again, NearMiss, Spent, Status, Verification
from ossia_evaluation.attribution.columns import RoleRows, summarise
from ossia_evaluation.compare import compare, episode_row
from ossia_evaluation.detectors import Detection, mode_table
from ossia_evaluation.report import Blame, episode_detail, report_html
from tests.evaluation.support import SCORER, WAKE, WAKE_URL, gold_play
from tests.evaluation.test_report import HOSTILE, LONG, Reader, check_needs_nothing_else

from .support import attribution, cause, harmless, shown

ROWS = RoleRows(ROLES, {"request": "function call"}, TABLE_3)
FRAMEWORKS = ("camel", "control", "langgraph")
TASK = WAKE.model_copy(update={"id": "wake"})


def failed(framework):
    """A failed episode of a framework."""
    late = WAKE_URL.replace("07", "08")
    trace = gold_play(TASK, until="url").url(late).request(late).response("done").trace()
    key = {"id": f"{framework}.wake.1", "framework": framework, "repeat": 1}
    return trace.model_copy(update={"episode": trace.episode.model_copy(update=key)})


def blame():
    camel = attribution(
        "camel.wake.1",
        causes=[cause("time#1"), cause("url#2", sufficient=False, fault=HOSTILE)],
        families=(("time#1",), ("url#2",)),
        deviations=(harmless("request#1"), harmless()),
        steps=shown(HOSTILE, LONG),
        evidence=f"*time* said {HOSTILE}",
        missed_recovery=True,
        recovery="the url role passed the wrong intent on",
        complete=False,
        domain=LONG,
    )
    flaky = attribution("control.wake.1", status=Status.FLAKY, evidence="It does not repeat.")
    found = {item.episode: item for item in (camel, flaky)}
    sign = Detection(mode="3.1", step=2, role="manager", sentence=HOSTILE)
    near = NearMiss(
        episode="camel.lucky.1",
        task="lucky",
        framework="camel",
        deviations=(harmless().model_copy(update={"situation": "manager@intent>location"}),),
    )
    return Blame(
        failures=3,
        near_misses=(near,),
        summary=summarise("r", list(found.values()), ROWS, attribution_cpu_s=1.0, run_cpu_s=2.0),
        published=TABLE_3.source,
        modes=mode_table(MODES, [("camel", [sign]), ("control", []), ("langgraph", [])]),
        attributions=found,
        detections={"camel.wake.1": (sign,)},
        verifications={
            "camel.wake.1": Verification(
                episode="camel.wake.1",
                family=(HOSTILE,),
                repaired=(True,) * 5,
                held=(False,) * 5,
                anew=(Again(success=True, fault=False),),
                spent=Spent(calls=90, tokens=1200, price_usd=None),
            )
        },
    )


def page(found):
    traces = [failed(framework) for framework in FRAMEWORKS]
    scores = [SCORER.score(TASK, trace) for trace in traces]
    rows = [episode_row(TASK, *pair) for pair in zip(traces, scores, strict=True)]
    result = compare(
        rows,
        run="r",
        frameworks=dict.fromkeys(FRAMEWORKS, ""),
        roles=ROLES,
        planned=3,
        facts={},
    )
    details = [episode_detail(TASK, *pair) for pair in zip(traces, scores, strict=True)]
    return report_html(result, rows, details, found)


@pytest.fixture(scope="module")
def html():
    return page(blame())


def test_the_page_stays_well_formed_and_needs_nothing_else(html):
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {"but-for", "causes", "columns", "modes", "blame"} <= set(ids)
    anchors = {unquote(attributes["href"][1:]) for tag, attributes in reader.tags if tag == "a"}
    assert anchors <= set(ids)
    assert all("scope" in attributes for tag, attributes in reader.tags if tag == "th")
    check_needs_nothing_else(html)


def test_the_roles_in_the_evidence_are_set_apart(html):
    assert '<p class="evidence"><em>time</em> said &lt;script&gt;' in html


def test_hostile_words_stay_words(html):
    assert html.count("<script") == 1
    assert "<img" not in html
    assert html.count("&lt;script&gt;alert(&#39;owned&#39;)") >= 5


def test_the_page_says_what_the_attributions_say(html):
    words = re.sub(r"<[^>]+>", " ", html)
    words = re.sub(r"\s+", " ", words)
    for said in (
        "2 of 3 failed episodes are attributed",
        "CPU time of the attribution by that of the run: 0.50",
        "attributed 1, flaky 1",
        "status attributed; the search was not complete",
        "missed recovery: the url role passed the wrong intent on",
        "responsibility 1.00, repair sufficient, necessary",
        "url#1 left a slot out; absorbed by request#1",
        "Verified with the live model (shares with 95 % intervals): helps 1, no large effect 0,"
        " undecided 0; spent: 90 model calls, 1,200 tokens, price unknown",
        "Verified with the live model: helps",
        "raises success: 5 of 5 [0.57, 1.00] succeeded repaired, 0 of 5 [0.00, 0.43] with the"
        " fault held",
        "asked anew: the fault recurred in 0 of 1 [0.00, 0.79], 0 of 1 [0.00, 0.79] failed",
        "It does not repeat.",
        "Steps, and the replay with time#1 repaired",
    ):
        assert said in words, said


def test_near_misses_are_listed_by_role_step_and_episode(html):
    (table,) = re.findall(r'id="near-misses">(.*?)</table>', html, re.DOTALL)
    found = re.findall(r"<t[dh](?: scope=.row.| class=.*?)>(.*?)</t[dh]>", table)
    cells = [re.sub(r"<[^>]+>", "", cell) for cell in found]
    assert cells == ["camel.lucky.1", "url", "3 manager@intent&gt;location", "left a slot out"]
    assert "near-misses" not in page(replace(blame(), near_misses=()))


def test_the_name_of_a_step_breaks_after_its_signs_alone(html):
    assert '<span class="moment">manager@<wbr>intent&gt;<wbr>location</span>' in html


def test_the_mass_has_its_interval(html):
    cells = re.findall(r"all</th><td class=\"text\">time</td>(.*?)</tr>", html)
    assert "<td>0.25 [0.00, 0.50]</td>" in cells[0]


def test_table_three_stands_beside_ours(html):
    rows = re.findall(r"camel</th><td class=\"text\">(\w+)</td>(.*?)</tr>", html)
    published = {role: re.findall(r"<td>(.*?)</td>", cells)[1] for role, cells in rows}
    assert (published["intent"], published["time"], published["location"]) == ("54 %", "18 %", "-")


def test_a_run_without_attributions_has_no_such_section():
    assert 'id="blame"' not in page(None)


def test_attributions_of_no_failure_are_a_page():
    empty = Blame(
        failures=0, summary=summarise("r", [], ROWS), modes=mode_table(MODES, []), attributions={}
    )
    assert "0 of 0 failed episodes are attributed" in page(empty)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_the_page_in_a_browser(watched, html, tmp_path, width, scheme):
    file = tmp_path / "report.html"
    file.write_text(html, "utf-8")
    size = {"width": width, "height": 900}
    tab = watched(file.as_uri(), viewport=size, color_scheme=scheme)
    episode = tab.locator("details.entry", has=tab.locator("[id='episode-camel.wake.1']"))
    assert not episode.locator("table.steps").is_visible(), "episodes are folded"
    episode.locator("summary").first.click()
    assert episode.locator("table.steps").is_visible()
    assert episode.locator("tr.culprit b").all_text_contents() == ["time#1"]
    cells = episode.locator("tr.culprit td.words").all_text_contents()
    assert cells == [HOSTILE, LONG], "the counterfactual stands beside the original"
    others = episode.locator("table.steps tbody tr td:last-child").all_text_contents()
    assert [others[0], others[2]] == ["the same", "-"]
    tab.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    sizes = "[...document.querySelectorAll('{}')].map(e => e.getBoundingClientRect().right)"
    assert all(right <= width for right in tab.evaluate(sizes.format("main > *, details > *")))
    count = "id => document.getElementById(id).tBodies[0].rows.length"
    assert tab.evaluate(count, "causes") == 2
    assert tab.evaluate(count, "columns") == 3 * len(ROLES)
    assert tab.evaluate(count, "modes") == 14
    assert tab.complaints == []
    assert tab.asked == [file.as_uri()]


def alike(**changed):
    """A run in which all frameworks fail alike, but for what is changed in the last."""
    found = [
        attribution(f"{name}.wake.1", causes=[cause("time#1")], evidence="*time* said it once.")
        for name in FRAMEWORKS
    ]
    found[-1] = found[-1].model_copy(update=changed)
    return replace(
        blame(),
        attributions={item.episode: item for item in found},
        verifications={},
        detections={},
    )


def test_a_failure_that_frameworks_share_is_one_entry():
    html = page(alike())
    assert html.count('<details class="entry">') == 1
    for said in ("<em>time</em> said it once.", "<h3>Outcome</h3>", "<h3>Requests</h3>"):
        assert html.count(said) == 1
    assert "camel, control, langgraph:" in html
    assert '<details class="variant">' not in html
    assert "3 episodes, 1 different one:" in html
    for name in FRAMEWORKS:
        assert html.count(f'id="episode-{name}.wake.1"') == 1


def test_what_one_of_them_has_alone_is_told_of_that_one():
    html = page(alike(steps=shown("only here")))
    assert html.count('<details class="entry">') == 1
    told = re.findall(r'<details class="variant"><summary>(.*?)</summary>', html)
    assert told == ["Steps: camel, control", "Steps: langgraph"]
    sign = Detection(mode="3.1", step=2, role="manager", sentence="ended early")
    html = page(replace(alike(), detections={"control.wake.1": (sign,)}))
    told = re.findall(r'<details class="variant"><summary>(.*?)</summary>', html)
    assert told == ["Failure modes: control"]


def test_a_framework_that_fails_otherwise_has_an_entry_of_its_own():
    html = page(alike(status=Status.UNREPAIRED, evidence="Nothing helps."))
    assert html.count('<details class="entry">') == 2
    assert "camel, control:" in html
    assert "3 episodes, 2 different ones:" in html
    assert html.index("said it once.") < html.index("Nothing helps.")


def test_without_attributions_the_same_reason_is_shared():
    html = page(None)
    assert html.count('<details class="entry">') == 1
    assert "camel, control, langgraph:" in html


@pytest.mark.parametrize("status", Status)
def test_an_attribution_without_a_family_is_shown(status):
    lone = attribution("camel.wake.1", status=status, steps=shown(), evidence="")
    html = page(replace(blame(), attributions={"camel.wake.1": lone}))
    assert "Steps, and the replay with nothing repaired" in html
    assert f"status {status};" in html
    assert "missing: an alarm" in html, "the verdict's reason stands in for the evidence"


def test_attributions_that_cannot_be_read_are_counted_and_named():
    html = page(replace(blame(), unreadable=("camel.a.1", "camel.b.1")))
    assert "2 attributions could not be read: camel.a.1, camel.b.1;" in html
    assert 'id="unreadable"' not in page(blame())


def test_a_suite_without_detectors_and_published_figures_shows_none():
    plain = Blame(
        failures=0,
        summary=summarise("r", [], RoleRows()),
        modes=mode_table((), []),
        attributions={},
    )
    assert "Failure modes" not in page(plain) and "published" not in page(plain)
