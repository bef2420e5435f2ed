"""News: headlines by topic, place, source and moment, and subscriptions to topics.

The published catalogue has no place and no time here; the published data uses both, and "tonight"
is a day and a time, so they are taken as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.assistant.moments import date_fits, time_fits
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing, meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

ARTICLES: Final = "news.articles"
SUBSCRIPTIONS: Final = "news.subscriptions"

SHOWN: Final = 5
"""How many headlines are told at once."""

_SURPLUS: Final = frozenset(
    "new news latest last newest recent top headline headlines story stories update updates"
    " breaking trending hot current today fresh about channel website online important"
    " main big".split()
)
"""Words of a request that say nothing of the topic: the latest news is what everybody gets."""

_PRESS: Final = frozenset("newspaper newspapers paper papers press media source sources tv".split())
"""Words that name no newspaper or channel in particular."""

_STOP: Final = meanings("stop cancel unsubscribe remove off end quit delete")

_TOPICS: Final[Mapping[str, frozenset[str]]] = {
    "world": meanings("world international global foreign"),
    "politics": meanings("politics political government congress senate policy policies"),
    "elections": meanings("election vote voting"),
    "business": meanings("business economy economic finance financial market money"),
    "technology": meanings("technology tech gadget computer"),
    "science": meanings("science space scientific"),
    "health": meanings("health medical medicine"),
    "sports": meanings("sport football baseball basketball soccer hockey"),
    "entertainment": meanings("entertainment celebrity celebrities movie music hollywood"),
    "environment": meanings("environment climate nature wildlife"),
    "migration": meanings("migration immigration immigrant"),
    "education": meanings("education school"),
    "weather": meanings("weather storm hurricane"),
}
"""Topics that the seed's articles have, and the words that mean them."""

_WORLD: Final = "world"

_HEADLINES: Final = (
    "What is known so far about {topic}",
    "{topic}: experts expect more in the coming weeks",
    "Officials answer questions about {topic}",
    "New figures on {topic} surprise observers",
    "{topic} draws attention around the country",
    "Five things to know about {topic}",
)
_SUBJECTS: Final = (
    "the city budget",
    "the new bus lanes",
    "the harbor cleanup",
    "rising rents",
    "the school lunch plan",
    "the railway strike",
    "the spring floods",
    "the museum robbery",
)
"""What is in the news when no topic is asked for."""

_SOURCES: Final = ("BBC", "CNN", "Reuters", "NPR", "New York Times")


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    articles = []
    for item in simulated.data("news"):
        moment = context.now - timedelta(hours=item["hours"])
        articles.append(
            {
                "topic": item["topic"],
                "headline": item["headline"],
                "source": item["source"],
                "date": moment.date().isoformat(),
                "time": moment.strftime("%H:%M"),
            }
        )
    subscriptions = [
        {"topic": "science", "source": ""},
        {"topic": "new york marathon", "source": "New York Times"},
    ]
    return {ARTICLES: articles, SUBSCRIPTIONS: subscriptions}


def _topic(params: Params, *names: str) -> str:
    """Return what the news shall be about, or the empty string for everything.

    Args:
        params: the request.
        names: parameters that may name the topic, the first that says something counts.
    """
    texts = (simulated.strip_words(params.text(name) or "", _SURPLUS) for name in names)
    topic = next((text for text in texts if meanings(text)), "").removeprefix("the ")
    where = _where(params)
    if not topic:
        return where or (_WORLD if "place_name" in params else "")
    return f"{topic} in {where}" if where else topic


def _where(params: Params) -> str:
    """Return the town or country that the news shall come from, empty for the whole world."""
    town = (params.text("place_name") or "").partition(",")[0]
    return "" if meanings(town) <= _TOPICS[_WORLD] else town


def _source(params: Params) -> str:
    return simulated.strip_words(params.text("media_type") or "", (_SURPLUS | _PRESS) - {"new"})


def _written(world: World, topic: str, source: str, days: list[date]) -> list[dict[str, Any]]:
    """Return simulated articles on anything: the newsroom has something about every topic."""
    found = []
    for day in days:
        stream = world.random("news", simulated.key(topic), day)
        minutes = world.now.hour * 60 + world.now.minute if day == world.today else 24 * 60 - 1
        for template in stream.sample(_HEADLINES, 2):
            subject = topic or stream.choice(_SUBJECTS)
            writer, minute = stream.choice(_SOURCES), int(stream.random() * (minutes + 1))
            headline = template.format(topic=subject)
            found.append(
                {
                    "topic": topic,
                    "headline": headline[:1].upper() + headline[1:],
                    "source": _written_source(source) or writer,
                    "date": day.isoformat(),
                    "time": f"{minute // 60:02}:{minute % 60:02}",
                }
            )
    return found


def _written_source(source: str) -> str:
    """Return a source as it is written: short names are mostly initials, such as NBC."""
    return source.upper() if len(source) <= 4 else simulated.title(source)


def _seeded(world: World, params: Params, topic: str) -> list[Row]:
    rows, date, source = world.rows(ARTICLES), params.date(), _source(params)
    if _where(params):
        # Only a headline tells which place it is about.
        rows = find(rows, topic, "headline")
    elif topic:
        said = meanings(topic)
        known = [name for name, names in _TOPICS.items() if said & names]
        about = [row for row in rows if row["topic"] in known]
        # Words beside the topic's own ask for something special: look at the headlines first.
        special = not any(said <= names for names in _TOPICS.values())
        rows = (special and find(rows, topic, "headline")) or about
    if source:
        rows = find(rows, source, "source")
    if date is not None:
        rows = [row for row in rows if date_fits(row["date"], date)]
    return rows


def _query(world: World, params: Params) -> Reply:
    topic, source, day = _topic(params, "news_topic", "descriptor"), _source(params), params.date()
    if day is not None and day.start is not None and day.start > world.today:
        return Reply("There is no news of the future yet.", [])
    rows = _seeded(world, params, topic)
    if not rows:
        days = [world.today] if day is None else simulated.days(world, day, most=3)
        rows = list(_written(world, topic, source, days))
    if (at := simulated.time_asked(world, params)) is not None:
        # "The news of tonight" is the newest there is while it is morning.
        rows = [row for row in rows if time_fits(row["time"], at)] or rows
    rows = sorted(rows, key=_moment, reverse=True)[:SHOWN]
    told = "; ".join(f"{row['headline']} ({row['source']})" for row in rows)
    about = f" about {topic}" if topic else ""
    return Reply(f"Here is the news{about}: {told}.", rows)


def _moment(row: Row) -> datetime:
    return datetime.fromisoformat(f"{row['date']}T{row['time']}")


def _subscribed(world: World, topic: str, source: str) -> list[Row]:
    rows = world.rows(SUBSCRIPTIONS)
    if topic:
        rows = find(rows, topic, "topic")
    if source:
        rows = find(rows, source, "source")
    return rows


_ABOUT: Final = Ask(
    "Which news shall that be about?",
    ("news_topic", "media_type", "place_name"),
    missing=("news_topic", "media_type"),
    unless=("descriptor",),
)


def _subscribe(world: World, params: Params) -> Reply:
    stop = meanings(params.text("descriptor") or "") & _STOP
    # What is to stop is said by the descriptor, which then names no topic.
    topic = _topic(params, "news_topic", *(() if stop else ("descriptor",)))
    source = _source(params)
    if not topic and not source:
        return _ABOUT.reply()
    if stop:
        rows = _subscribed(world, topic, source)
        if not rows:
            raise Refusal.not_found("You have no such news subscription.")
        removed = [world.remove(SUBSCRIPTIONS, row["id"]) for row in rows]
        return Reply(f"No more news about {_names(removed)}.", removed)
    for row in world.rows(SUBSCRIPTIONS):
        if (meanings(row["topic"]), meanings(row["source"])) == (meanings(topic), meanings(source)):
            return Reply(f"You are already told about {_names([row])}.", [row])
    row = world.add(SUBSCRIPTIONS, topic=topic, source=_written_source(source))
    return Reply(f"You will be told when there is news about {_names([row])}.", [row])


def _names(rows: Sequence[Row]) -> str:
    return listing([" from ".join(filter(None, (row["topic"], row["source"]))) for row in rows])


DOMAIN = Domain(
    name="news",
    description="Headlines, and being told when there are new ones.",
    fields=(
        Field("news_topic", Kind.TEXT, "what the news is about", example="technology"),
        Field("media_type", Kind.NAME, "newspaper, channel or site", example="bbc"),
        Field("place_name", Kind.PLACE, "where it happened", example="Boston, Massachusetts"),
        Field("date", Kind.DATE, "day of the news"),
        Field("time", Kind.TIME, "part of the day of the news", example="06:00..12:00"),
        Field("descriptor", Kind.TEXT, "which news, such as latest or local"),
    ),
    intents=(
        Intent("news_query", "Tell the news.", _query, writes=False),
        Intent(
            "news_subscription",
            "Tell the user of new articles from now on, or stop doing so.",
            _subscribe,
            writes=True,
            asks=(_ABOUT,),
        ),
    ),
    tables=(
        Table(
            ARTICLES,
            "article",
            {
                "topic": Match.CASEFOLD,
                "headline": Match.FREE_TEXT,
                "source": Match.CASEFOLD,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
            },
        ),
        Table(
            SUBSCRIPTIONS,
            "subscription",
            {"topic": Match.THING, "source": Match.CASEFOLD},
        ),
    ),
    seed=_seed,
)
