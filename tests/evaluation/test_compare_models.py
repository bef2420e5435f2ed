"""Models side by side within each framework, and the accuracy of the intent role."""

import pytest
from rich.console import Console

from ossia_dataset.world_tasks import Gold, GoldKind, Part
from ossia_evaluation.assistant.intents import FrameAgreement, frame_agreement
from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.compare import compare, episode_row
from ossia_evaluation.report import episodes_csv, report_html
from ossia_evaluation.report.groups import group_tables
from ossia_evaluation.report.terminal import comparison_tables
from ossia_evaluation.steps import read_steps

from .support import LIST, SCORER, WAKE, WEATHER, Play, frame
from .test_compare import row

ACCURACY = ("frame_exact", "frame_unnamed")
MODELS = ("before", "intent=after,*=before")


def episode(framework, model, task, verdict, exact, unnamed):
    return row(
        framework,
        task,
        verdict,
        episode=f"{framework}.{task}.1.m{MODELS.index(model) + 1}",
        model=model,
        frame_exact=exact,
        frame_unnamed=unnamed,
    )


def rows():
    before, after = MODELS
    for framework in ("one", "two"):
        yield episode(framework, before, "alarm-1", "failure", False, True)
        yield episode(framework, before, "alarm-2", "failure", False, False)
        yield episode(framework, before, "music-1", "success", True, True)
        yield episode(framework, after, "alarm-1", "success", True, True)
        yield episode(framework, after, "alarm-2", "success", True, True)
        yield episode(framework, after, "music-1", "invalid", None, None)


def compared(given=None):
    return compare(
        list(rows()) if given is None else given,
        run="by-hand",
        frameworks=dict.fromkeys(("one", "two"), ""),
        roles=("intent",),
        planned=12,
        facts={},
        models=MODELS,
        metrics=METRICS,
    )


def shown(result):
    console = Console(width=160, force_terminal=False)
    with console.capture() as text:
        console.print(comparison_tables(result))
    return text.get()


def test_each_framework_has_a_line_for_each_model():
    result = compared()
    assert [result.label(line) for line in result.frameworks] == [
        "one m1",
        "one m2",
        "two m1",
        "two m2",
    ]
    assert [line.success.count for line in result.frameworks] == [1, 2, 1, 2]
    assert [line.success.of for line in result.frameworks] == [3, 2, 3, 2]


def test_pairs_are_of_models_in_a_framework_and_of_frameworks_with_a_model():
    result = compared()
    models = [pair for pair in result.pairs if pair.of == "models"]
    assert [(p.within, p.first, p.second) for p in models] == [
        ("one", *MODELS),
        ("two", *MODELS),
    ]
    # The task that is invalid with the second model is in no pair.
    assert models[0].only_second == ("alarm-1", "alarm-2")
    assert (models[0].both, models[0].neither) == (0, 0)
    assert models[0].p_value == pytest.approx(0.5)
    assert models[0].p_holm == pytest.approx(1.0)
    frameworks = [pair for pair in result.pairs if pair.of == "frameworks"]
    assert [(p.within, p.first, p.second) for p in frameworks] == [
        (MODELS[0], "one", "two"),
        (MODELS[1], "one", "two"),
    ]
    assert result.pair_name(models[1]) == "two: m1 / m2"
    assert result.pair_name(frameworks[1]) == "m2: one / two"


def test_intent_accuracy_is_over_valid_episodes_by_domain():
    before, after = compared().frameworks[:2]
    shares = [line.metrics[name] for line in (before, after) for name in ACCURACY]
    assert [(share.count, share.of) for share in shares] == [(1, 3), (2, 3), (2, 2), (2, 2)]
    exact, unnamed = (before.metrics_by_group[name]["alarm"] for name in ACCURACY)
    assert (exact.count, unnamed.count) == (0, 1)
    assert "music" not in after.metrics_by_group["frame_exact"]


def test_two_models_read_as_before_and_after():
    exact, unnamed = group_tables(compared())
    assert exact.columns == ("n", "one", "two")
    assert exact.rows == (
        ("alarm", ("2", "0.0 → 100.0", "0.0 → 100.0")),
        ("music", ("1", "100.0 → -", "100.0 → -")),
        ("all", ("3", "33.3 → 100.0", "33.3 → 100.0")),
    )
    assert unnamed.rows[0] == ("alarm", ("2", "50.0 → 100.0", "50.0 → 100.0"))


def test_tables_show_models_only_where_there_are_several():
    several = shown(compared())
    for part in ("m1 = before", "m2 = intent=after,*=before", "0.0 → 100.0", "one: m1 / m2"):
        assert part in several
    alone = shown(compared([r for r in rows() if r.model == "before"]))
    for part in ("m1", "→", "Intent accuracy", "model  "):
        assert part not in alone
    assert "one / two" in alone


def test_the_page_and_the_csv_lay_models_side_by_side():
    given = list(rows())
    page = report_html(compared(), given, ())
    for part in (
        "with 2 models",
        "one m2",
        'id="by-group-frame_unnamed"',
        "33.3 → 100.0",
        "two: m1 / m2",
    ):
        assert part in page
    alone = [r for r in given if r.model == "before"]
    assert "by-group-frame_exact" not in report_html(compared(alone), alone, ())
    lines = episodes_csv(given).splitlines()
    assert "frame_exact" in lines[0]
    assert len(lines) == 13
    assert MODELS[1] in lines[4]


def agreement(task, *answers, style="control"):
    play = Play(task, style)
    for answer in answers:
        play.say("intent", answer)
    trace = play.trace("done")
    found = episode_row(task, trace, SCORER.score(task, trace), METRICS)
    return tuple(found.metrics[name] for name in ACCURACY)


@pytest.mark.parametrize("style", ["control", "agentlite"])
def test_the_gold_frame_is_exact_in_any_envelope(style):
    for task in (WAKE, LIST, WEATHER):
        assert agreement(task, frame(task), style=style) == (True, True)


def test_words_count_without_case_and_articles():
    slots = {"time": "Half past seven", "date": "tomorrow."}
    assert agreement(WAKE, {**frame(WAKE), "slots": slots}) == (True, True)


def test_slots_under_other_names_are_right_only_where_names_are_ignored():
    slots = {"time": "tomorrow", "date": "half past seven"}
    assert agreement(WAKE, {**frame(WAKE), "slots": slots}) == (False, True)
    assert agreement(WAKE, {**frame(WAKE), "slots": {"time": "tomorrow"}}) == (False, False)


def test_the_wrong_intent_is_wrong_and_so_is_what_cannot_be_read():
    assert agreement(WAKE, {**frame(WAKE), "intent": "alarm_query"}) == (False, False)
    assert agreement(WAKE, "An alarm, I think.") == (False, False)
    assert agreement(WAKE) == (False, False)


def test_the_last_answer_counts():
    assert agreement(WAKE, "An alarm, I think.", frame(WAKE)) == (True, True)
    assert agreement(WAKE, frame(WAKE), "An alarm, I think.") == (False, False)


def test_every_frame_of_a_compound_task_counts_in_order():
    first, second = frame(WAKE), frame(WEATHER)
    parts = tuple(
        Part(**{name: getattr(task.gold, name) for name in ("domain", "intent", "slots")})
        for task in (WAKE, WEATHER)
    )
    skipped = Part(domain="lists", intent="lists_query", condition="if it snows", holds=False)
    gold = Gold(domain="alarm", intent="alarm_set", kind=GoldKind.CHANGE, parts=(*parts, skipped))
    compound = WAKE.model_copy(update={"gold": gold, "suite": "assistant-compound"})
    steps = read_steps(_turns(compound, first, second))
    assert frame_agreement(compound, steps) == FrameAgreement(exact=True, unnamed=True)
    for turns in ((second, first), (first,), (first, second, second)):
        found = frame_agreement(compound, read_steps(_turns(compound, *turns)))
        assert found == FrameAgreement(exact=False, unnamed=False)


def _turns(task, *answers):
    play = Play(WAKE)
    for answer in answers:
        play.say("intent", answer)
    return play.trace("done")


def test_a_team_without_an_intent_role_is_in_no_table():
    result = compared([row("one", "alarm-1", "success", model=model) for model in MODELS])
    assert result.frameworks[0].metrics["frame_exact"].of == 0
    assert group_tables(result) == ()
