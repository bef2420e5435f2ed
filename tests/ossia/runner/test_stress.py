"""Stressed runs of real frameworks: what they meet on the wire, what is stored, and resuming."""

import asyncio
import os
import re

import pytest

import ossia
from benchmarks.planted_faults import strikes
from benchmarks.stress_causes import Case, attributed, failures_of, stripped
from ossia.adapters import find_adapter, install, ossia_home
from ossia.cli.options import names
from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.figures import Figures
from ossia.runner.plan import plan
from ossia.runner.results import played_of
from ossia.runner.store import RunStore
from ossia.runner.taped import tape_of
from ossia_evaluation.attribution import Recording, Status
from ossia_evaluation.grade import Verdict
from ossia_evaluation.model_signs import model_signs
from ossia_evaluation.report.terminal_episode import print_episode
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.stress import texts
from ossia_servers.stress.errors import ERRORS
from ossia_servers.stress.kinds import KINDS
from ossia_servers.stress.model_faults import TeamRoles
from ossia_servers.trace import task_in

FRAMEWORKS = ("control", "langgraph")
TASK = "alarm-001"
MODEL_FAULTS = tuple(name for name, kind in KINDS.items() if kind.where == "model")
NEVER_HEARD = {"reset", "reset-midway", "hang", *ERRORS}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    environments = ossia_home(os.environ)
    for name in FRAMEWORKS:
        install(find_adapter(name, environments))
    folder = tmp_path_factory.mktemp("home")
    (folder / "envs").symlink_to(environments / "envs")
    return folder


class Cut(Exception):
    """Ends a run in the middle."""


@pytest.fixture(scope="module")
def stressed(home):
    """A run of all model faults that was cut off once and resumed, and what each session played."""
    sessions = [[], []]

    def cut(event):
        sessions[0].append(event.trace.episode.id)
        if len(sessions[0]) == 20:
            raise Cut

    def go_on(event):
        sessions[1].append(event.trace.episode.id)

    asked = {"only": TASK, "stress": MODEL_FAULTS, "home": home}
    with pytest.raises(Cut):
        ossia.compare(FRAMEWORKS, observe=cut, **asked)
    return ossia.compare(FRAMEWORKS, observe=go_on, **asked), sessions


@pytest.fixture(scope="module")
def episodes(stressed):
    """Traces and grades of the stressed run, by framework and fault."""
    with RunStore(stressed[0].folder) as store:
        found = {
            (t.episode.framework, t.episode.fault): (t, g) for t, g in store.readable_episodes()
        }
    assert len(found) == len(FRAMEWORKS) * (1 + len(MODEL_FAULTS))
    return found


def test_the_figures_that_are_kept_are_those_of_the_traces(stressed, episodes):
    run = stressed[0]
    with RunStore(run.folder) as store:
        kept = {each.row.episode: each for each in played_of(store, run.tasks)}
    figures = Figures(run.config)
    made = [
        figures.of(run.tasks[trace.episode.task], trace, grade)
        for trace, grade in episodes.values()
    ]
    assert {each.row.episode: each for each in made} == kept
    assert any(each.changes and each.acts for each in made)


def test_a_run_that_was_cut_off_goes_on_where_it_stopped(stressed, episodes):
    first, second = stressed[1]
    assert len(second) == len({*second}) and second
    assert len({*first, *second}) == len(episodes)
    # What ended while the first session was being ended is stored and not told.
    assert not {*first} & {*second}
    assert [task_in(name) for name in first] == [TASK] * len(first)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("kind", MODEL_FAULTS)
def test_a_framework_meets_each_fault_on_the_wire(episodes, framework, kind):
    baseline, _ = episodes[framework, ""]
    trace, grade = episodes[framework, kind]
    assert baseline.injected == ()
    assert grade.verdict is not Verdict.INVALID, grade.reason
    (injected,) = trace.injected
    assert (injected.fault, injected.kind, injected.where) == (kind, kind, "model")
    met = trace.gateway.exchanges[injected.seq]
    assert met.role == injected.role
    # Until it was hit, the episode was the one without a fault.
    before = baseline.gateway.exchanges[: injected.seq + 1]
    for one, other in zip(before, trace.gateway.exchanges, strict=False):
        assert (one.role, one.request) == (other.role, other.request)
    told = before[-1].response
    if kind in NEVER_HEARD:
        assert (met.status, met.response) == ("injected", None)
        assert str(told.get("content") or told["tool_calls"][0]["id"]) in injected.would
    else:
        assert met.status == "ok"
        assert met.response == told if kind == "slow" else met.response != told
    if kind == "hang":
        assert 1.5 < met.timing.latency_s < 20
    if kind == "slow":
        assert met.timing.latency_s >= 0.5


def test_the_middle_is_the_other_frameworks_middle_too(episodes):
    for kind in ("empty", "server-error", "stale"):
        places = {episodes[name, kind][0].injected[0].seq for name in FRAMEWORKS}
        counts = {len(episodes[name, ""][0].gateway.exchanges) for name in FRAMEWORKS}
        assert len(places) == len(counts)


def test_two_runs_of_one_seed_inject_the_same_bytes(home, episodes):
    again = ossia.compare(
        ("control",), only=TASK, stress=("garbled", "wrong-argument", "wrong-role"), home=home
    )
    other = ossia.compare(("control",), only=TASK, stress=("garbled", "seed=5"), home=home)
    assert again.id != other.id
    with RunStore(again.folder) as store, RunStore(other.folder) as another:
        for kind in ("garbled", "wrong-argument", "wrong-role"):
            trace = store.trace(f"control.{TASK}.1~{kind}")
            assert trace.injected == episodes["control", kind][0].injected
            assert [e.response for e in trace.gateway.exchanges] == [
                e.response for e in episodes["control", kind][0].gateway.exchanges
            ]
        drawn = another.trace(f"control.{TASK}.1~garbled")
        assert drawn.injected != episodes["control", "garbled"][0].injected


def test_an_error_that_a_framework_cannot_get_over_is_its_loud_failure(episodes):
    for framework in FRAMEWORKS:
        trace, grade = episodes[framework, "unauthorized"]
        assert (trace.ending.kind, grade.verdict) == ("framework_error", Verdict.FAILURE)
        assert trace.infrastructure_failure is None


def test_a_tape_holds_no_injected_answer(stressed):
    with RunStore(stressed[0].folder) as store:
        said = [entry.message.get("content") for entry in tape_of(store).entries]
    assert said
    assert not {texts.FILTER_NOTICE, texts.ERROR_TEXT, texts.HTML_PAGE} & {*said}


def test_show_marks_what_was_injected(stressed, episodes):
    import io

    from rich.console import Console

    trace, grade = episodes["control", "filtered"]
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_episode(console, stressed[0].tasks[TASK], trace, grade, ())
    shown = console.file.getvalue()
    assert re.search(r"^       injected filtered$", shown, re.MULTILINE)
    assert texts.FILTER_NOTICE[:40] in shown
    assert "without the fault: " in shown


def test_the_plan_is_part_of_a_runs_name_and_an_empty_one_is_not(stressed):
    config = stressed[0].config
    unstressed = config.model_copy(update={"stress": None})
    assert config.run_id != unstressed.run_id
    assert RunConfig.read(config.model_dump_json()) == config
    old = unstressed.model_dump_json(exclude={"stress"})
    assert RunConfig.read(old).run_id == unstressed.run_id
    keys = plan(config)
    assert [key.fault for key in keys[: len(FRAMEWORKS)]] == [""] * len(FRAMEWORKS)
    assert [key.id for key in plan(unstressed)] == [key.id for key in keys if not key.fault]


def test_faults_that_cannot_be_read_end_in_one_line(home):
    with pytest.raises(UserError, match=r"^stress 'emty': there is no fault 'emty': empty\?$"):
        ossia.compare("control", stress="emty", home=home)
    with pytest.raises(UserError, match="--stress names no fault"):
        names([","], "--stress names no fault")


SIGNLESS = {"slow", "cut", "fenced", "stale", "wrong-role", "broken-arguments"} | {
    "wrong-argument",
    "ambiguous-argument",
}
"""Faults that an answer need not show by itself."""


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("kind", MODEL_FAULTS)
def test_what_came_shows_the_fault_without_the_record_of_it(episodes, framework, kind):
    trace, _ = episodes[framework, kind]
    bare = stripped(trace, 7)
    assert not bare.injected and not bare.episode.fault and "~" not in bare.episode.id
    assert "injected" not in {one.status for one in bare.gateway.exchanges}
    signs = model_signs(bare, MEMBERS)
    assert signs == model_signs(trace, MEMBERS)
    (hit,) = trace.injected
    shown = {sign.kind for sign in signs if sign.seq == hit.seq}
    team = TeamRoles("manager", MEMBERS)
    same = strikes(trace, bare, Recording((), {}), team)[0].same
    # What makes the same bytes cannot be told apart.
    assert shown <= same or (kind, shown) == ("slow-unavailable", {"unavailable"})
    assert shown or kind in SIGNLESS
    assert model_signs(episodes[framework, ""][0], MEMBERS) == ()


def test_a_stressed_failure_is_attributed_to_the_call_that_was_hit(stressed, home):
    asked = ("server-error", "truncated", "wrong-argument")
    failures, _, _ = failures_of(stressed[0].folder)
    some = [one for one in failures if one[0].episode.framework == "control"]
    some = [one for one in some if one[0].episode.fault in asked]
    cases = {
        trace.episode.fault: Case(trace, hits, found)
        for trace, found, hits in asyncio.run(attributed(stressed[0].folder, home, some, 3))
    }
    assert {"server-error", "wrong-argument"} <= cases.keys()
    for case in cases.values():
        assert case.step and case.type, case
    lost = cases["server-error"].found
    assert (lost.status, lost.roles) == (Status.ENDPOINT, ("endpoint",))
    assert "HTTP 500" in lost.evidence and "gave up" in lost.evidence
