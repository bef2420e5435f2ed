"""An episode step by step, as the terminal shows it."""

import io

from rich.console import Console

from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.report.terminal_episode import print_episode
from ossia_servers.gateway import Served, Usage
from ossia_servers.stress.injected import Injected
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
    assert place(lines, ". response") < place(lines, "requests that belong to no step's call:")
    assert place(lines, "requests that") + 1 == place(lines, "GET /alarm")


def test_the_slot_score_names_the_wrong_parameters():
    play = gold_play(WAKE, until="request").request(LATE).response("done")
    assert "slot score: wrong parameters: time" in shown(play, WAKE)
    assert "slot score: correct" in shown(gold_play(WAKE), WAKE)
    other = gold_play(WAKE, until="request").request("/alarm?intent=alarm_query").response("done")
    assert "slot score: wrong: not the gold domain and intent" in shown(other, WAKE)


def test_a_reason_stands_once_however_it_is_told():
    play = gold_play(WEATHER, until="request").response("Sunny, I guess.")
    lines = shown(play, WEATHER)
    (verdict,) = (line for line in lines if line.startswith("verdict: failure: "))
    reason = verdict.removeprefix("verdict: failure: ")
    assert "weather" in reason
    assert sum(reason in line for line in lines) == 1


def test_the_upstreams_snapshot_and_the_parts_of_its_tokens_are_shown():
    trace = gold_play(WAKE).trace()
    first, *others = trace.gateway.exchanges
    usage = Usage(
        prompt_tokens=900,
        completion_tokens=100,
        source="provider",
        cached_tokens=512,
        cache_write_tokens=64,
        reasoning_tokens=80,
    )
    served = Served(model="gpt-4o-2024-08-06", system_fingerprint="fp_1")
    told = first.model_copy(update={"usage": usage, "served": served})
    other = others[0].model_copy(update={"served": Served(model="gpt-4o-mini")})

    def lines(*exchanges):
        gateway = trace.gateway.model_copy(update={"exchanges": exchanges})
        console = Console(width=160, file=io.StringIO(), highlight=False)
        seen = trace.model_copy(update={"gateway": gateway})
        print_episode(console, WAKE, seen, SCORER.score(WAKE, trace), METRICS)
        return console.file.getvalue().splitlines()

    alone = lines(told, *others)
    assert alone[1] == "answered by gpt-4o-2024-08-06 (fingerprint fp_1)"
    parts = "512 cached, 64 written to the cache, 80 reasoning"
    assert f"  1. {first.role}  1 call, 1000 tokens ({parts})" in alone
    assert lines(told, other, *others[1:])[1:3] == [
        f"answered to {first.role} by gpt-4o-2024-08-06 (fingerprint fp_1)",
        f"answered to {other.role} by gpt-4o-mini",
    ]


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


def test_what_the_reply_is_worth_is_told_in_plain_words():
    lines = shown(gold_play(WAKE), WAKE, "")
    assert "reply: does not tell what was asked, or says nothing (untold)" in lines
    assert "unparsed wording: no" in lines


def test_what_struck_a_service_does_not_stand_under_the_last_step():
    told = {"fault": "lost-answer", "kind": "lost-answer", "where": "service", "seq": 0}
    struck = Injected(**told, request="GET /alarm", would="HTTP 200", came="no answer")
    trace = gold_play(WAKE).trace().model_copy(update={"injected": (struck,)})
    console = Console(width=80, file=io.StringIO(), highlight=False)
    print_episode(console, WAKE, trace, SCORER.score(WAKE, trace), METRICS)
    lines = console.file.getvalue().splitlines()
    found = place(lines, "injected lost-answer at GET /alarm")
    assert lines[found - 1] == "between servers and tools:"
    assert not any("between servers" in line for line in shown(gold_play(WAKE), WAKE))
