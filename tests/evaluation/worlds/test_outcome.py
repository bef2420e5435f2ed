"""Outcome: changes against changes, questions against questions, in sentences and by property."""

from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.worlds.outcome import compare_changes
from ossia_servers.worlds.diff import Diff, RowChange
from ossia_servers.worlds.schema import Match, Table
from tests.evaluation.support import (
    CHAT,
    DENTIST,
    LIST,
    LIST_URL,
    SCORER,
    WAKE,
    WAKE_URL,
    WEATHER,
    WEATHER_URL,
    Play,
    gold_play,
    task,
)

TABLE = Table(
    "notes.notes",
    "note",
    {"text": Match.FREE_TEXT, "count": Match.NUMBER, "seen": Match.IGNORABLE},
)
TABLES = {TABLE.name: TABLE}


def added(row_id, **values):
    return RowChange(kind="added", table=TABLE.name, id=row_id, after={"id": row_id, **values})


def changed(row_id, before, after):
    return RowChange(
        kind="changed",
        table=TABLE.name,
        id=row_id,
        before={"id": row_id, **before},
        after={"id": row_id, **after},
    )


def note(text, count=1, seen="no"):
    return {"text": text, "count": count, "seen": seen}


def outcome(gold, actual):
    return compare_changes(Diff(changes=tuple(gold)), Diff(changes=tuple(actual)), TABLES)


def test_sentences_of_what_is_missing_and_unexpected():
    result = outcome(
        [added("note-1", **note("buy milk")), changed("note-9", note("old"), note("new"))],
        [added("note-1", **note("buy eggs", 2))],
    )
    assert result.expected == (
        "notes.notes: added note-1 (text 'buy milk', count 1, seen 'no')",
        "notes.notes: changed note-9: text from 'old' to 'new'",
    )
    assert result.missing == (
        "notes.notes: added note-1 (text 'buy milk', count 1, seen 'no'); instead, in note-1,"
        " text is 'buy eggs', count is 2",
        "notes.notes: changed note-9: text from 'old' to 'new'",
    )
    assert result.unexpected == ("notes.notes: added note-1 (text 'buy eggs', count 2, seen 'no')",)
    assert not result.correct


def test_sentence_of_a_removal():
    gone = RowChange(
        kind="removed", table=TABLE.name, id="note-2", before={"id": "note-2", **note("old", 3)}
    )
    assert outcome([gone], []).missing == (
        "notes.notes: removed note-2 (text 'old', count 3, seen 'no')",
    )


def test_added_rows_may_have_any_id_and_order():
    gold = [added("note-1", **note("milk")), added("note-2", **note("eggs"))]
    actual = [added("note-1", **note("eggs")), added("note-2", **note("milk"))]
    assert outcome(gold, actual).correct


def test_rows_that_fit_two_partners_are_paired_so_that_all_have_one():
    # The longer note says what both gold notes say; taken by the first, it would leave the second
    # without a partner.
    gold = [added("note-1", **note("buy milk")), added("note-2", **note("buy milk today please"))]
    actual = [added("note-1", **note("buy milk today please")), added("note-2", **note("buy milk"))]
    assert outcome(gold, actual).correct
    assert outcome(gold, actual[::-1]).correct


def test_what_is_never_compared_is_no_side_effect():
    seen = changed("note-3", note("a"), note("a", seen="yes"))
    assert outcome([], [seen]).correct
    assert outcome([seen], []).missing


def test_another_row_changed_is_both_missing_and_unexpected():
    result = outcome(
        [changed("note-3", note("a"), note("b"))], [changed("note-4", note("a"), note("b"))]
    )
    assert len(result.missing) == len(result.unexpected) == 1


texts = st.sampled_from(
    ["buy milk", "call the dentist", "feed two cats", "water plants", "", "!!!"]
)
rows = st.fixed_dictionaries(
    {"text": texts, "count": st.integers(0, 5), "seen": st.sampled_from(["yes", "no"])}
)
ids = st.integers(1, 30).map(lambda number: f"note-{number}")


def removed(row_id, **values):
    return RowChange(kind="removed", table=TABLE.name, id=row_id, before={"id": row_id, **values})


def test_a_row_may_be_removed_and_added_again_as_it_was_to_become():
    gold = [changed("note-1", note("old"), note("new", 2))]
    anew = [removed("note-1", **note("old")), added("note-9", **note("new", 2, "yes"))]
    assert outcome(gold, anew).correct


def test_a_row_that_is_added_anew_has_to_become_as_the_gold_row_and_in_its_place():
    gold = [changed("note-1", note("old"), note("new", 2))]
    other = [removed("note-1", **note("old")), added("note-9", **note("new", 3))]
    another = [removed("note-2", **note("old")), added("note-9", **note("new", 2))]
    for actual in (other, another, other[:1], other[1:]):
        assert not outcome(gold, actual).correct


@st.composite
def diffs(draw):
    changes = []
    for row_id in draw(st.lists(ids, max_size=6, unique=True)):
        kind = draw(st.sampled_from(["added", "removed", "changed"]))
        before = None if kind == "added" else {"id": row_id, **draw(rows)}
        after = None if kind == "removed" else {"id": row_id, **draw(rows)}
        if before is not None and after is not None:
            after["count"] = before["count"] + 1
        changes.append(
            RowChange(kind=kind, table=TABLE.name, id=row_id, before=before, after=after)
        )
    return Diff(changes=tuple(changes))


@given(diffs())
def test_any_diff_is_correct_against_itself(diff):
    assert compare_changes(diff, diff, TABLES).correct


@given(diffs().filter(bool), st.data())
def test_a_change_left_out_is_missing(diff, data):
    index = data.draw(st.integers(0, len(diff.changes) - 1))
    short = Diff(changes=diff.changes[:index] + diff.changes[index + 1 :])
    result = compare_changes(diff, short, TABLES)
    assert len(result.missing) == 1
    assert not result.unexpected


@given(diffs(), rows)
def test_a_change_more_is_unexpected(diff, row):
    longer = Diff(changes=(*diff.changes, added("note-99", **row)))
    result = compare_changes(diff, longer, TABLES)
    assert len(result.unexpected) == 1
    assert not result.missing


@given(diffs(), st.randoms(use_true_random=False))
def test_the_order_of_changes_plays_no_part(diff, random):
    mixed = list(diff.changes)
    random.shuffle(mixed)
    assert compare_changes(diff, Diff(changes=tuple(mixed)), TABLES).correct


def score_of(wanted, *urls, answer=None):
    """Score requests with a reply; in the servers' words where none is given."""
    play = Play(wanted)
    for url in urls:
        play.http(url)
    words = " ".join(request.response for request in play.requests)
    return SCORER.score(wanted, play.trace(words or "done" if answer is None else answer))


def test_a_side_effect_is_a_failure_even_if_all_is_done():
    score = score_of(WAKE, WAKE_URL, LIST_URL)
    assert score.verdict == "failure"
    assert score.side_effects
    assert score.reason.startswith("side effect: lists.items: added")


def test_what_is_added_and_removed_again_is_no_change():
    lunch = "/alarm?intent=alarm_set&time=16%3A40&date=2026-03-14&event_name=laundry"
    again = "/alarm?intent=alarm_remove&event_name=laundry"
    assert score_of(WAKE, lunch, again, WAKE_URL).verdict == "success"
    assert score_of(WAKE, lunch, WAKE_URL).verdict == "failure"


def test_doing_it_twice_is_a_side_effect():
    assert score_of(WAKE, WAKE_URL, WAKE_URL).side_effects


def test_rows_of_the_setup_are_the_start_and_keep_their_ids():
    setup = "/alarm?intent=alarm_set&time=16%3A40&date=2026-03-14&event_name=laundry"
    remove = "/alarm?intent=alarm_remove&event_name=laundry"
    wanted = task("alarm", "alarm_remove", "change", {"event_name": "laundry"}, setup=[setup])
    score = score_of(wanted, remove)
    assert score.verdict == "success"
    assert score.outcome.expected[0].startswith("alarm.alarms: removed alarm-7")
    assert score_of(wanted, "/alarm?intent=alarm_remove&event_name=yoga").verdict == "failure"
    assert score_of(wanted).reason.startswith("missing: alarm.alarms: removed alarm-7")


def test_a_refused_request_does_no_harm():
    assert score_of(WAKE, "/alarm?intent=alarm_set&time=25%3A99", WAKE_URL).verdict == "success"


def test_a_question_is_answered_by_its_rows():
    assert score_of(WEATHER, WEATHER_URL).verdict == "success"
    other = WEATHER_URL.replace("Dallas%2C+Texas", "Denver%2C+Colorado")
    assert score_of(WEATHER, other).outcome.unanswered == (
        "weather was not asked weather_query with place_name 'Dallas, Texas', date '2026-03-14'",
    )


def test_another_question_with_the_same_rows_is_right():
    wanted = task("alarm", "alarm_query", "answer", {"event_name": "yoga"})
    same_row = "/alarm?intent=alarm_query&time=09%3A30"
    assert score_of(wanted, same_row).verdict == "success"
    # All alarms hold the gold row as well; what is told of them decides.
    wider = "/alarm?intent=alarm_query"
    assert score_of(wanted, wider, answer="It rings at 9:30 on weekends.").verdict == "success"
    assert score_of(wanted, wider, answer="I could not find it.").verdict == "failure"


def test_an_empty_answer_needs_the_same_question():
    wanted = task("alarm", "alarm_query", "answer", {"event_name": "fencing class"})
    right = "/alarm?intent=alarm_query&event_name=the+fencing+class"
    accident = "/alarm?intent=alarm_query&event_name=knitting"
    assert score_of(wanted, right).verdict == "success"
    assert score_of(wanted, accident).verdict == "failure"


def test_words_that_a_result_repeats_may_be_written_in_another_way():
    wanted = task("transport", "transport_traffic", "answer", {"to_place_name": "Work"})
    assert score_of(wanted, "/transport?intent=transport_traffic&to_place_name=work").verdict == (
        "success"
    )


def test_further_reads_do_no_harm():
    other = WEATHER_URL.replace("2026-03-14", "2026-03-15")
    told = score_of(WEATHER, WEATHER_URL)
    right = Play(WEATHER)
    right.http(WEATHER_URL)
    words = right.requests[0].response
    assert told.verdict == "success"
    assert score_of(WEATHER, other, WEATHER_URL, answer=words).verdict == "success"
    assert score_of(WEATHER, WEATHER_URL, other, answer=words).verdict == "success"
    assert score_of(WEATHER, WEATHER_URL + "&mood=good", WEATHER_URL).verdict == "success"
    assert score_of(WEATHER, other).verdict == "failure"


def test_every_one_of_several_gold_requests_counts():
    second = "/alarm?intent=alarm_query&event_name=yoga"
    both = task("weather", "weather_query", "answer", requests=[WEATHER_URL, second])
    assert score_of(both, second, WEATHER_URL).verdict == "success"
    assert score_of(both, WEATHER_URL).outcome.unanswered == (
        "alarm was not asked alarm_query with event_name 'yoga'",
    )
    mixed = task("alarm", "alarm_set", "change", requests=[WEATHER_URL, WAKE_URL])
    assert score_of(mixed, WEATHER_URL, WAKE_URL).verdict == "success"
    assert score_of(mixed, WAKE_URL).reason.startswith("weather was not asked")
    assert score_of(mixed, WEATHER_URL).reason.startswith("missing: alarm.alarms")


def test_a_clarification_is_reached_by_asking_for_what_is_missing():
    url = "/calendar?intent=calendar_set&event_name=dentist"
    score = score_of(DENTIST, url, answer="When is it?")
    assert (score.verdict, score.clarification) == ("success", True)
    assert score_of(DENTIST, answer="What day and time is your dentist appointment?").verdict == (
        "success"
    )
    # Another question, no question, and a guess in place of the question.
    assert score_of(DENTIST, url, answer="Where is it?").verdict == "failure"
    assert score_of(DENTIST).verdict == "failure"
    assert score_of(DENTIST, url, answer="Done, it is all set.").reply == "false"
    assert score_of(DENTIST, url, url + "&date=2026-03-14&time=10%3A00").side_effects


def test_a_question_asked_back_is_no_success_where_the_request_was_complete():
    score = score_of(WAKE, "/alarm?intent=alarm_set", answer="For what time?")
    assert (score.verdict, score.clarification) == ("failure", True)


def test_chit_chat_is_answered_and_changes_nothing():
    assert score_of(CHAT, answer="Ha!").verdict == "success"
    assert score_of(CHAT, answer=" ").reason == "the user was told nothing"
    assert score_of(CHAT, WEATHER_URL, answer="Ha!").verdict == "success"
    assert score_of(CHAT, answer="Sorry, I could not do that.").verdict == "failure"
    assert score_of(CHAT, WAKE_URL, answer="Ha!").side_effects


def test_nothing_told_is_a_failure_after_all():
    assert score_of(WAKE, WAKE_URL, answer="").reason == "the user was told nothing"


def test_an_infrastructure_failure_is_neither_success_nor_failure():
    cut = gold_play(WAKE, until="url").manager("url").call("url", None, status="infrastructure")
    score = cut.score()
    assert (score.verdict, score.reason) == ("invalid", "the model failed: as told")
    assert score.slots is None
    assert score.faults == ()
    killed = gold_play(WAKE).score(ending="worker_killed", detail="status -9")
    reason = "the worker was killed from outside: status -9"
    assert (killed.verdict, killed.reason) == ("invalid", reason)
    trace = gold_play(WAKE).trace()
    broken = trace.requests[-1].model_copy(update={"status": 500, "response": "boom"})
    score = SCORER.score(WAKE, trace.model_copy(update={"requests": (broken,)}))
    assert (score.verdict, score.reason) == ("invalid", "the alarm server failed: boom")


def test_a_refused_request_is_a_failure_of_the_framework_whenever_it_comes():
    play = gold_play(WAKE, until="time").manager("time").call("time", None, status="bad_request")
    trace = play.trace(answer="")
    last = trace.gateway.exchanges[-1]
    assert (last.is_refused, trace.gateway.first_refusal) == (True, last.error)
    first = last.model_copy(update={"role": "manager"})
    only = trace.gateway.model_copy(update={"exchanges": (first, first)})
    assert (trace.gateway.is_all_refused, only.is_all_refused) == (False, True)
    for gateway in (trace.gateway, only):
        score = SCORER.score(WAKE, trace.model_copy(update={"gateway": gateway}))
        assert score.verdict == "failure"
        assert score.reason.startswith("refused: the endpoint did not take a request of ")
        assert "missing: alarm.alarms" in score.reason
        assert [fault.role for fault in score.faults] == ["framework"]
        assert score.faults[0].reason.startswith("refused: ")


def test_what_the_gateway_itself_takes_for_malformed_is_no_refusal():
    play = gold_play(WAKE, until="intent").manager("url").call("url", None, status="bad_request")
    trace = play.trace(answer="")
    malformed = trace.gateway.exchanges[-1].model_copy(update={"attempts": 0})
    only = trace.gateway.model_copy(update={"exchanges": (malformed,)})
    score = SCORER.score(WAKE, trace.model_copy(update={"gateway": only}))
    assert score.verdict == "failure"
    assert only.first_refusal is only.fatal_refusal is None
    assert "refused" not in score.reason


def test_a_framework_that_was_answered_after_a_refusal_has_recovered():
    play = gold_play(WAKE, until="url").manager("url").call("url", None, status="bad_request")
    trace = play.url(WAKE_URL).request(WAKE_URL).response().trace()
    assert trace.gateway.first_refusal is not None
    assert trace.gateway.fatal_refusal is None
    assert SCORER.score(WAKE, trace).verdict == "success"


def test_a_timeout_a_death_and_a_spent_budget_are_failures():
    died = gold_play(WAKE, until="url").score(answer="", ending="worker_died")
    assert died.verdict == "failure"
    assert gold_play(WAKE, until="url").score(answer="", ending="timeout").verdict == "failure"
    play = gold_play(WAKE, until="url").manager("url").call("url", None, status="budget")
    assert play.score(answer="", ending="framework_error").verdict == "failure"


def test_a_list_of_the_wrong_name_fails():
    assert score_of(LIST, LIST_URL.replace("packing", "shopping")).verdict == "failure"


def test_an_endless_reply_is_read_by_nobody():
    score = score_of(WAKE, WAKE_URL, answer="not " * 20_000)
    assert (score.verdict, score.acted, score.reply) == ("failure", True, "untold")
    assert score.reason == "the reply is longer than 20,000 characters"
