"""The facts of a task: derived once from its gold run, stored with it, and proven ever after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.reply.told import QUESTIONS, is_told
from ossia_evaluation.worlds.gold import GoldRun
from ossia_servers.worlds.records import ServerRequest

OF_ONE_ROW: Final = 4
"""Most facts of an answer that rests on one row."""

OF_SEVERAL_ROWS: Final = 6
"""Most facts of an answer that rests on several rows; each row tells as many as another."""

_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    domain: tuple(names.split())
    for domain, names in {
        "alarm": "time date name",
        "audiobook": "title creator collection",
        "calendar": "name date time people place",
        "cooking": "title minutes oven ingredients",
        "currency": "value",
        "datetime": "converted time date weekday days_away",
        "email": (
            "subject to sender content phone email birthday home_phone work_phone address "
            "work_email company name relation send_date send_time"
        ),
        "game": "game",
        "iot": "drink setting cups device place item room devices change date time",
        "lists": "item items name list date time",
        "music": "title name creator artist rating songs",
        "news": "headline topic source",
        "phone": "to text event sender person date time",
        "podcasts": "title name creator host",
        "qa": "answer",
        "radio": "station song title name host date time",
        "recommendation": "name venue theatre address date time times",
        "social": "content kind person media to",
        "stock": "price percent",
        "takeaway": "food restaurant name date time status minutes",
        "transport": (
            "level delay_minutes incident miles drive_minutes transit_minutes to_place date time "
            "price"
        ),
        "weather": "condition high low rain_chance snow_chance",
    }.items()
}
"""What of a row is worth telling, most important first."""

_HINTS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(words)
    for name, words in {
        "humidity": r"humid|muggy",
        "wind": r"\bwind|breez|gust",
        "rain_chance": r"\brain|umbrella|\bwet\b|shower|drizzl",
        "snow_chance": r"\bsnow",
        "low": r"\bcold|freez|frost|\blow\b|chilly|minimum",
        "high": r"\bhot\b|\bheat|\bhigh\b|maximum",
        "oven": r"\boven\b|bake .*at",
        "serves": r"how many (?:people|persons)|\bserves?\b|servings|portions",
        "ingredients": r"ingredient|what goes in|what do i need",
        "hours": r"difference|how many hours|how far (?:ahead|behind)",
        "time": r"what time|how late|\btime\b|\bwhen\b",
        "date": r"\bwhen\b|(?:which|what|what's the|today's) date",
        "days_away": r"how many days|how long (?:un)?til|days (?:until|till|left)",
        "weekday": r"\b(?:which|what) day\b|day of the week|weekday",
        "delay_minutes": r"delay|how long",
        "drive_minutes": r"how long|\bdrive\b|by car",
        "miles": r"how far|distance|miles",
        "price": r"how much|price|cost|cheap|fare",
        "rating": r"rating|stars|rated",
    }.items()
}
"""Words of a question that ask for one column alone."""

_FIRST_WORDS: Final = tuple(
    (word, re.compile(signs))
    for word, signs in {
        "when?": r"\b(?:when|(?:what|which) (?:time|day|date))\b",
        "who?": r"\b(?:who|whom|whose)\b",
        "where?": r"\bwhere\b",
        "which?": r"\bwhich (?!time|day|date)",
        "how?": r"\bhow\b|\bwhat (?:level|colou?r|setting|percent)\b",
        "what?": r"\bwhat\b(?! (?:time|day|date|level|colou?r|setting|percent))",
    }.items()
)
_COUNTED: Final = re.compile(r"^\d+ x ")
_STATE: Final = re.compile(
    r"(?:Done|All right): (?P<what>.+?) (?:is|are) now (?P<state>.+?)\."
    r"|All right: (?P<later>.+?) will be (?P<then>.+?)\."
)


def facts_of(task: WorldTask, run: GoldRun) -> tuple[str, ...]:
    """Return what a correct reply has to tell.

    Args:
        task: the task; for a question, what the user said already need not be told back.
        run: its gold run.

    Returns:
        Values of the servers' answers that their `response` texts tell, most important first;
        the word of the question for one that is asked back; nothing for chit-chat.
    """
    if task.gold.kind is GoldKind.CHAT:
        return ()
    found: dict[str, None] = {}
    for record in run.requests:
        if record.code == "CLARIFICATION":
            facts = _question(record.response)
        else:
            facts = _told(record, task)
        found.update(dict.fromkeys(facts))
    return tuple(found)


def unproven_facts(task: WorldTask, run: GoldRun) -> Iterator[str]:
    """Yield what is wrong with a task's stored facts, as sentences.

    Args:
        task: the task with its facts.
        run: its gold run, whose replies have to tell each of them.
    """
    reply = " ".join(record.response for record in run.requests)
    answers = [value for record in run.requests for value in _leaves(record.result)]
    for fact in task.gold.facts:
        if fact not in QUESTIONS and fact not in map(_value, answers):
            # What a sentence alone says, such as how much brighter a lamp is.
            if not is_told(fact, reply, task.now):
                yield f"the fact '{fact}' is not in the servers' answer"
        elif not is_told(fact, reply, task.now):
            yield f"the fact '{fact}' is not told by the servers' reply"


def _question(response: str) -> tuple[str, ...]:
    said = response.casefold()
    places = [
        (match.start(), word) for word, signs in _FIRST_WORDS if (match := signs.search(said))
    ]
    return () if not places else (min(places)[1],)


def _told(record: ServerRequest, task: WorldTask) -> tuple[str, ...]:
    """The telling values of one answer."""
    rows = list(_rows(record.result))
    per_row = OF_ONE_ROW if len(rows) == 1 else max(1, OF_SEVERAL_ROWS // max(1, len(rows)))
    asked = task.gold.kind is GoldKind.ANSWER
    found: dict[str, None] = {}
    for row in rows[:OF_SEVERAL_ROWS]:
        told = [
            (name, value)
            for name, value in _values(row, record.domain)
            if is_told(value, record.response, task.now)
        ]
        news = [pair for pair in told if not is_told(pair[1], task.utterance, task.now)]
        kept = _asked(news, task.utterance, record.domain) if asked else ()
        kept = kept or [pair for pair in told if pair[0] in _COLUMNS.get(record.domain, ())]
        found.update(dict.fromkeys([value for _, value in kept][:per_row]))
    if record.domain == "iot":
        found = dict.fromkeys([*_state(record.response, task.now), *found])
    return tuple(found)[:OF_SEVERAL_ROWS] or _said(record.response)


def _asked(
    values: Sequence[tuple[str, str]], utterance: str, domain: str
) -> Sequence[tuple[str, str]]:
    """The values of the columns that a question asks for; the telling ones otherwise."""
    wanted = [
        (name, value)
        for name, value in values
        if name in _HINTS and _HINTS[name].search(utterance.casefold())
    ]
    telling = _COLUMNS.get(domain, ())
    return wanted or [(name, value) for name, value in values if name in telling]


def _state(response: str, now: datetime) -> Iterator[str]:
    """What became of a device, which a row tells in other words than a sentence."""
    match = _STATE.search(response)
    if match is not None:
        state = (match["state"] or match["then"]).removeprefix("switched ")
        yield re.split(r" on \d{4}-| until | every | at \d\d:", state)[0]


def _said(response: str) -> tuple[str, ...]:
    """The numbers of a sentence, where no value of a row is told."""
    return tuple(dict.fromkeys(re.findall(r"\d+(?:\.\d+)?", response)))[:OF_ONE_ROW]


def _rows(result: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a result; rows inside a row are taken one by one."""
    for row in result if isinstance(result, list) else [result]:
        if not isinstance(row, Mapping):
            continue
        inner = [v for v in row.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
        if inner:
            yield from ({**row, **part} for part in inner[0])
        else:
            yield row


def _values(row: Mapping[str, Any], domain: str) -> Iterator[tuple[str, str]]:
    telling = _COLUMNS.get(domain, ())
    for name in (*telling, *(name for name in _HINTS if name in row and name not in telling)):
        for value in _leaves(row.get(name)):
            # How many of a dish are ordered is told in many ways: "2 x", "two".
            yield name, _COUNTED.sub("", _value(value))


def _leaves(value: Any) -> Iterator[str | int | float]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != "":
        yield value


def _value(value: str | float) -> str:
    """A value as a fact: whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
