"""What replies are held against: the words and rows of ten small episodes."""

from datetime import datetime

import pytest

from ossia_dataset.world_tasks import AskedFact
from ossia_evaluation.reply.judgement import Done
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.reply.support import support_of

NOW = datetime(2026, 3, 13, 10, 0)
"""A Friday."""


def fact(*any_of, rivals=()):
    return AskedFact(any_of=any_of, rivals=tuple(rivals))


def scene(heard, *said, rows=(), changed=(), **more):
    """What a reply is held against: the user's words, the servers' words, and their rows."""
    told = (heard, *said)
    support = support_of(told, (*rows, *changed), NOW)
    wished = frozenset(s for text in told for s in stems(text))
    return Done(now=NOW, said=said, support=support, wished=wished, rows=tuple(rows), **more)


WEATHER = scene(
    "what will the weather be like in dallas tomorrow",
    "Dallas, Texas: Saturday, March 14: partly cloudy, 52 to 71 degrees, a 34 percent"
    " chance of rain.",
    rows=(
        {
            "place": "Dallas, Texas",
            "date": "2026-03-14",
            "condition": "partly cloudy",
            "low": 52,
            "high": 71,
            "rain_percent": 34,
        },
    ),
    asked=(fact("partly cloudy", "cloudy", "71", rivals=("sunny", "snowy", "stormy")),),
)
PRICE = scene(
    "what does a share of toyota cost",
    "Toyota (TM) is at 199.84 dollars, down 1.22 percent today, after opening at 201.75.",
    rows=({"symbol": "TM", "company": "Toyota", "price": 199.84, "change_percent": -1.22},),
    asked=(fact("199.84"),),
)
MEETING = scene(
    "when is my meeting with anna",
    "You have one event: meeting with Anna on Friday, March 20 at 14:30.",
    rows=({"event": "meeting with Anna", "date": "2026-03-20", "time": "14:30"},),
    asked=(fact("2026-03-20"), fact("14:30")),
)
UMBRELLA = scene(
    "will it rain tomorrow",
    "No, rain is unlikely. New York, New York: Saturday, March 14: cloudy, an 8 percent chance of"
    " rain.",
    rows=({"place": "New York, New York", "date": "2026-03-14", "rain_percent": 8},),
    asked=(fact("no", rivals=("yes",)),),
    negative=True,
)
EMPTY = scene(
    "do i have any meetings on monday",
    "There is nothing in your calendar on Monday, March 16.",
    asked=(fact("none"),),
    negative=True,
)
FORECASTS = scene(
    "how warm is it in dallas and in boston",
    "Dallas, Texas: 71 degrees; Boston, Massachusetts: 48 degrees.",
    rows=({"place": "Dallas, Texas", "high": 71}, {"place": "Boston, Massachusetts", "high": 48}),
    asked=(fact("71"), fact("48")),
)
ALARMS = scene(
    "when is my medicine alarm",
    "You have 2 alarms: 07:00 every weekday (get up) and 21:00 every day (medicine).",
    rows=({"label": "medicine", "time": "21:00"}, {"label": "get up", "time": "07:00"}),
    asked=(fact("21:00"),),
    rivals=("07:00",),
)
WAKE = scene(
    "wake me up at half past seven tomorrow",
    "Your alarm is set for 07:30 tomorrow.",
    changed=({"time": "07:30", "date": "2026-03-14"},),
    domains=frozenset({"alarm", "alarm.alarms"}),
)
EMAIL = scene(
    "email sarah that dinner is at 7",
    'Your email to Sarah Johnson is sent: "dinner is at 7".',
    changed=({"to": "Sarah Johnson", "content": "dinner is at 7"},),
    domains=frozenset({"email", "email.emails"}),
    names=frozenset({"sarah johnson", "peter miller", "ben carter"}),
)
MILK = scene(
    "put milk on my shopping list",
    "Now your shopping list has eggs and milk.",
    changed=({"item": "milk", "list": "shopping"},),
    domains=frozenset({"lists", "lists.items"}),
    names=frozenset({"milk", "eggs", "bread", "shopping", "packing"}),
)
REMOVED = scene(
    "take the eggs off my shopping list",
    "I have taken eggs off your shopping list.",
    changed=({"item": "eggs", "list": "shopping"},),
    domains=frozenset({"lists", "lists.items"}),
    removed=True,
)
LAMP = scene(
    "turn off the kitchen light",
    "Done: the kitchen ceiling light is now off.",
    changed=({"state": "off"},),
    domains=frozenset({"iot", "iot.devices"}),
    names=frozenset({"kitchen ceiling light", "bedroom bedside lamp", "kitchen oven"}),
)
LOUDER = scene(
    "crank up the volume in the kitchen by twenty percent",
    "Done: the kitchen speaker is now 20 % louder.",
    changed=({"volume": 60},),
    domains=frozenset({"iot", "iot.devices"}),
)
NO_RAIN = scene(
    "if it rains tomorrow, book me a taxi to the airport",
    "No, rain is unlikely. New York, New York: Saturday, March 14: cloudy, an 8 percent chance of"
    " rain.",
    rows=({"place": "New York, New York", "date": "2026-03-14", "rain_percent": 8},),
    left=stems("book taxi airport"),
    found=True,
    negative=True,
)


def cases(table):
    """Return the parameters of a test: each reply of a table by its rule."""
    return [
        pytest.param(done, reply, id=f"{rule}: {reply[:60]}")
        for rule, replies in table.items()
        for done, reply in replies
    ]
