"""What a reply claims is held against what was done; what was only seen does not bear it out."""

from datetime import datetime

import pytest

from ossia_dataset.world_tasks import AskedFact
from ossia_evaluation.reply.judge import judge_answer, judge_inaction, judge_report
from ossia_evaluation.reply.judgement import Done, Truth
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.reply.support import support_of

NOW = datetime(2026, 3, 13, 10, 0)
"""A Friday."""


def done(heard, said, *, seen=(), changed=(), **more):
    """A wish, the server's last words, rows that were looked at, and rows that were changed."""
    return Done(
        now=NOW,
        said=(said,),
        support=support_of((heard, said), (*seen, *changed), NOW),
        deed=support_of((heard, said), changed, NOW),
        wished=stems(f"{heard} {said}"),
        rows=tuple(seen),
        picked=frozenset(str(v).casefold() for row in changed for v in row.values()),
        **more,
    )


def truth(text, scene, judge=judge_report):
    return judge(text, scene).truth


TRAIN = done(
    "book me the second train to boston tomorrow",
    "Booked: Amtrak train ticket to Boston on 2026-03-14 at 06:43, for 74.12 dollars.",
    seen=({"time": "05:06"}, {"time": "06:43"}, {"time": "07:54"}),
    changed=({"type": "train", "date": "2026-03-14", "time": "06:43", "price": 74.12},),
    domains=frozenset({"transport", "transport.tickets"}),
)
SKIPPED = done(
    "it's a holiday so drop my seven am alarm next monday",
    "I will skip the alarm at 07:00 every weekday (get up) Monday, March 16.",
    changed=({"time": "07:00", "skipped": ["2026-03-16"]},),
    domains=frozenset({"alarm", "alarm.alarms"}),
    removed=True,
    kept=True,
)
MOVED = done(
    "move my seven o'clock alarm to eight",
    "Your alarm is now at 08:00 every weekday.",
    changed=({"time": "08:00", "days": "weekday"},),
    domains=frozenset({"alarm", "alarm.alarms"}),
)
LEVEL = done(
    "set the volume to level four",
    "Done: 5 speakers are now at 40 %.",
    changed=({"volume": 40},),
    domains=frozenset({"iot", "iot.speakers"}),
)
ROUTE = done(
    "book an uber from union station to brooklyn at five thirty pm",
    "Booked: Uber from Union Station to Brooklyn at 17:30.",
    changed=({"from_place": "Union Station", "to_place": "Brooklyn", "time": "17:30"},),
    domains=frozenset({"transport", "transport.rides"}),
)
CONTACT = done(
    "keep bruno's email, it's bruno at keller dot example",
    "Bruno Keller is saved with bruno@keller.example.",
    changed=({"name": "Bruno Keller", "address": "bruno@keller.example"},),
    domains=frozenset({"email", "email.contacts"}),
)
NO_MAIL = done(
    "if there is an unread email from emma, text emma that i will read it tonight",
    "There is no such email.",
    empty=True,
    negative=True,
    left=stems("text emma read it tonight"),
)

REFUSED = [
    (TRAIN, "Trains leave at 05:06, 06:43 and 07:54. I booked you on the 07:54 one."),
    (TRAIN, "I booked the 5:06 train for you."),
    (SKIPPED, "I've deleted your 7 am weekday alarm entirely."),
    (SKIPPED, "Sorry, there was no alarm to drop."),
    (MOVED, "Your alarm is now set for 8 pm every weekday."),
    (MOVED, "I'll wake you at six."),
    (LEVEL, "I've set the volume to level five."),
    (LEVEL, "I set the volume to level 6."),
    (ROUTE, "Your Uber goes from Brooklyn to Union Station at 5:30 pm."),
    (CONTACT, "I've sent Bruno Keller an email."),
]
ACCEPTED = [
    (TRAIN, "Trains leave at 05:06, 06:43 and 07:54. I booked you on the 06:43 one."),
    (TRAIN, "I booked the second train, at 6:43."),
    (SKIPPED, "No 7 am alarm this Monday."),
    (SKIPPED, "Done, your seven o'clock alarm won't ring on March 16."),
    (SKIPPED, "No alarm this Monday. It's still on for the other days."),
    (MOVED, "Done, your weekday alarm now goes off at 8 instead of 7."),
    (MOVED, "Your alarm now rings at eight in the morning."),
    (LEVEL, "The volume is at level four, 40 percent."),
    (LEVEL, "All 5 speakers are at 40 %."),
    (ROUTE, "Your Uber goes from Union Station to Brooklyn at 5:30 pm."),
    (CONTACT, "I saved Bruno's address."),
]


@pytest.mark.parametrize(("scene", "text"), REFUSED)
def test_what_was_not_done_is_refused(scene, text):
    assert truth(text, scene) is Truth.FALSE


@pytest.mark.parametrize(("scene", "text"), ACCEPTED)
def test_what_was_done_is_accepted(scene, text):
    assert truth(text, scene) in (Truth.TRUE, Truth.UNREAD)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("There is no unread email from Emma, so I haven't texted her.", Truth.TRUE),
        ("Yes, there's an unread email from Emma. I haven't texted her yet.", Truth.FALSE),
        ("There are two unread emails. I did not text her.", Truth.FALSE),
    ],
)
def test_a_look_that_found_nothing_is_told_so(text, found):
    assert truth(text, NO_MAIL, judge_inaction) is found


def test_marks_of_a_list_are_no_numbers():
    scene = done("how do i make soup", "Soup: simmer 40 minutes, shred the meat.")
    assert (
        truth("Soup. 1. Simmer 40 minutes. 2. Shred the meat.", scene, judge_answer) is Truth.TRUE
    )


def test_minutes_beyond_an_hour_tell_all_minutes():
    scene = done("how long is it by bus", "By bus it takes 64 minutes.")
    assert truth("It takes an hour and four minutes.", scene, judge_answer) is Truth.TRUE
    assert truth("It takes an hour and six minutes.", scene, judge_answer) is Truth.FALSE


def test_a_temperature_below_zero_is_another_one():
    asked = (AskedFact(any_of=("8",)),)
    scene = done("how cold is it", "It is 8 degrees.", seen=({"low": 8},), asked=asked)
    assert truth("It gets down to 8.", scene, judge_answer) is Truth.TRUE
    assert truth("It gets down to minus 8.", scene, judge_answer) is Truth.UNTOLD
