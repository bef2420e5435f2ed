"""An episode step by step, as the terminal shows it."""

import io

from rich.console import Console

from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.report.terminal_episode import print_episode
from tests.evaluation.support import DENTIST, SCORER, WAKE, WAKE_URL, WEATHER, Play, gold_play

LATE = WAKE_URL.replace("07", "08")


def shown(play, task, answer=None, width=160):
    trace = play.trace(answer)
    console = Console(width=width, file=io.StringIO(), highlight=False)
    print_episode(console, task, trace, SCORER.score(task, trace), METRICS)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def place(lines, words):
    return next(number for number, line in enumerate(lines) if words in line)


def test_requests_stand_below_the_step_that_made_them():
    play = gold_play(WAKE, until="request").request(LATE).response("done").manager("finish")
    lines = shown(play, WAKE)
    request, answer = (
        place(lines, "GET /alarm intent=alarm_set time=08:30"),
        place(lines, "200 SUCC"),
    )
    assert place(lines, ". request") < request < answer < place(lines, ". response")
    assert not any("no step" in line for line in lines)


def test_on_a_narrow_terminal_further_lines_keep_the_indent_of_the_first():
    lines = shown(gold_play(WAKE), WAKE, width=40)
    steps = lines[: place(lines, "answer:")]
    begun = [line for line in steps[2:] if not line.startswith("       ")]
    assert [line for line in begun if ". " not in line[:5]] == []


def test_a_request_that_no_step_tells_of_stands_after_the_steps():
    play = gold_play(WAKE, until="request").response("done")
    play.http(WAKE_URL)
    lines = shown(play, WAKE)
    assert place(lines, ". response") < place(lines, "requests that no step's call tells of:")
    assert place(lines, "requests that") + 1 == place(lines, "GET /alarm")


def test_the_slot_score_names_the_wrong_parameters():
    play = gold_play(WAKE, until="request").request(LATE).response("done")
    assert "slot score: wrong parameters: time" in shown(play, WAKE)
    assert "slot score: correct" in shown(gold_play(WAKE), WAKE)
    other = gold_play(WAKE, until="request").request("/alarm?intent=alarm_query").response("done")
    assert "slot score: wrong: not the gold domain and intent" in shown(other, WAKE)


def test_a_question_of_a_server_is_told():
    assert "clarifications: yes" in shown(gold_play(DENTIST), DENTIST)
    assert "clarifications: no" in shown(gold_play(WAKE), WAKE)


def test_each_fact_of_the_reply_is_told_or_not():
    facts = WEATHER.gold.model_copy(update={"facts": ("21", "Dallas")})
    task = WEATHER.model_copy(update={"gold": facts})
    lines = shown(gold_play(task), task, "It will be 21 degrees.")
    first = place(lines, "facts told:")
    assert lines[first : first + 3] == ["facts told: 0.50", "  told: 21", "  not told: Dallas"]
    assert "facts told: -" in shown(gold_play(WAKE), WAKE)


def test_nothing_stands_beside_the_verdict_of_an_invalid_episode():
    play = Play(WAKE).call("intent", None, status="infrastructure")
    lines = shown(play, WAKE)
    assert lines[-len(METRICS) :] == [f"{metric.title}: -" for metric in METRICS]
