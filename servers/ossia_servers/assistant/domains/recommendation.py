"""What to do: events, movies and places to go, in any town.

The published catalogue has no time here, but "tonight" is a day and a time, so it is taken as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from ossia_dataset.normalise import TimeValue
from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.assistant.moments import time_fits
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, meanings, same_words
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.synonyms import PLACES, TOPICS
from ossia_servers.worlds.world import World

MOVIES: Final = "recommendation.movies"

SHOWN: Final = 5
"""How many recommendations are told at once."""

AHEAD: Final = 60
"""How many days an event of a special kind is looked for when no day is said."""

_SATURDAY: Final = 5

_PLAIN: Final = meanings(
    "event thing things happening going anything something fun activity activities do happen what"
    " next upcoming latest local good best meetups stuff interesting nearby tonight nice city town"
    " recommend show near you"
)
"""Words that tell no kind of event apart."""

_EATING: Final = meanings("restaurant eatery food")

_PLACE_PLAIN: Final = meanings(
    "place places good best nice great near nearby nearest closest close local around restaurant"
    " restaurants food eat dinner lunch somewhere recommend spot top rated cheap inexpensive"
    " affordable expensive fancy reasonably priced low price open decent cuisine"
)
"""Words that tell no kind of place apart; a place of no kind is a restaurant."""

_SCREENS: Final = meanings("movie cinema theater show showing playing screening")
_CHEAP: Final = meanings("cheap cheapest inexpensive affordable reasonable reasonably budget low")
_FANCY: Final = meanings("fancy expensive upscale romantic fine")
_BEST: Final = meanings("best top rated popular recommended highest favorite")
_NEW: Final = meanings("new latest newest newly release released recent now")
_NEW_WORD: Final = frozenset({"new"})
_NEAR: Final = meanings("near nearby nearest closest close walking")


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    return {
        MOVIES: [
            {"name": name, "genre": genre, "rating": rating, "weeks": weeks, "minutes": minutes}
            for name, genre, rating, weeks, minutes in simulated.data("venues")["movies"]
        ]
    }


def _events_of(world: World, where: str, day: date) -> list[dict[str, Any]]:
    source = simulated.data("venues")
    stream = world.random("events", simulated.key(where), day)
    found: list[dict[str, Any]] = []
    for kind in stream.sample(sorted(source["events"]), 5 if day.weekday() >= 4 else 4):
        price = stream.choice([0, 0, 10, 15, 20, 35])
        found.append(
            {
                "name": stream.choice(source["events"][kind]),
                "kind": kind,
                "venue": stream.choice(source["halls"]),
                "place": where,
                "date": day.isoformat(),
                "time": f"{stream.choice([11, 14, 18, 19, 20])}:{stream.choice(['00', '30'])}",
                "price": price,
            }
        )
    if day.weekday() == _SATURDAY:
        found.append(
            {
                "name": "Farmers Market",
                "kind": "market",
                "venue": "City Hall",
                "place": where,
                "date": day.isoformat(),
                "time": "09:00",
                "price": 0,
            }
        )
    over = world.now.strftime("%H:%M") if day == world.today else ""
    return sorted((row for row in found if row["time"] >= over), key=lambda row: row["time"])


def _events(world: World, params: Params) -> Reply:
    where = simulated.place(world, params.text("place_name"))
    named = " ".join(filter(None, (params.text("event_name"), params.text("business_type"))))
    said = meanings(params.text("descriptor") or "", TOPICS)
    if "free" in (wished := meanings(named, TOPICS) - _PLAIN):
        said |= {"free"}
    kind = wished - {"free"}
    wanted = params.date()
    ahead = AHEAD if kind and wanted is None else 7
    days = simulated.days(world, wanted, default=ahead, most=AHEAD)
    rows = _during(
        [row for day in days for row in _events_of(world, where, day)],
        simulated.time_asked(world, params),
    )
    if kind:
        rows = _of_kind(rows, kind)
    if "free" in said:
        rows = [row for row in rows if row["price"] == 0]
    elif special := [row for row in rows if _telling(row) & (said - _PLAIN)]:
        rows = special
    rows = rows[: 1 if "next" in said else SHOWN]
    if not rows:
        return Reply(f"There is nothing of that kind in {where} then.", [])
    return Reply(f"In {where} there is: {'; '.join(map(_event_told, rows))}.", rows)


def _during(rows: list[dict[str, Any]], wanted: TimeValue | None) -> list[dict[str, Any]]:
    """Return the events at a time of the day; those that begin at another time follow no wish."""
    return rows if wanted is None else [row for row in rows if time_fits(row["time"], wanted)]


def _telling(row: Mapping[str, Any]) -> frozenset[str]:
    return meanings(f"{row['name']} {row['kind']}", TOPICS)


def _of_kind(rows: list[dict[str, Any]], kind: frozenset[str]) -> list[dict[str, Any]]:
    """Return the events of a kind, or those that have at least something of it."""
    exact = [row for row in rows if kind <= _telling(row)]
    return exact or [row for row in rows if kind & _telling(row)]


def _event_told(row: Mapping[str, Any]) -> str:
    day = simulated.spoken_date(date.fromisoformat(row["date"]))
    price = f"{row['price']} dollars" if row["price"] else "free"
    return f"{row['name']} at {row['venue']} on {day} at {row['time']} ({price})"


def _films(world: World, params: Params) -> list[Row]:
    rows = world.rows(MOVIES)
    name, kind = params.text("movie_name"), params.text("movie_type")
    descriptor = params.text("descriptor") or ""
    # "New" says nothing of a thing's name, so it is no content word; of movies it says much.
    said = meanings(descriptor, TOPICS) | (_NEW_WORD & set(descriptor.casefold().split()))
    if name is not None:
        known = find(rows, name, "name")
        if known:
            return known[:1]
        stream = world.random("movie", simulated.key(name))
        # Theatres show more than what is recommended: any film can be asked for by name.
        return [
            {
                "name": simulated.title(name),
                "genre": "",
                "rating": round(stream.uniform(5.5, 8.5), 1),
                "weeks": stream.randrange(1, 8),
                "minutes": stream.randrange(85, 140),
            }
        ]
    genre = (meanings(kind or "", TOPICS) | said) - _BEST - _NEW - _NEW_WORD - _SCREENS
    fitting = [row for row in rows if meanings(row["genre"], TOPICS) & genre]
    if kind is not None or fitting:
        rows = fitting
    if said & (_NEW | _NEW_WORD):
        return sorted(rows, key=lambda row: (row["weeks"], -row["rating"]))
    return sorted(rows, key=lambda row: -row["rating"])


def _showing(world: World, film: Row, where: str, day: date) -> dict[str, Any]:
    stream = world.random("showing", simulated.key(where), film["name"], day)
    hours = sorted(stream.sample([13, 15, 17, 18, 19, 20, 21, 22], 3))
    return {
        "name": film["name"],
        "genre": film["genre"],
        "rating": film["rating"],
        "theatre": stream.choice(simulated.data("venues")["theatres"]),
        "place": where,
        "date": day.isoformat(),
        "times": [f"{hour}:{stream.choice(['00', '15', '30', '45'])}" for hour in hours],
    }


def _movies(world: World, params: Params) -> Reply:
    where = simulated.place(world, params.text("place_name"))
    films = _films(world, params)[:SHOWN]
    days = simulated.days(world, params.date(), most=3)
    rows = [_showing(world, film, where, day) for day in days for film in films]
    if (wanted := simulated.time_asked(world, params)) is not None:
        for row in rows:
            row["times"] = [moment for moment in row["times"] if time_fits(moment, wanted)]
        rows = [row for row in rows if row["times"]]
    if not rows:
        return Reply(f"No such movie is showing in {where}.", [])
    told = "; ".join(
        f"{row['name']} at {row['theatre']} on {row['date']} at {', '.join(row['times'])}"
        for row in rows
    )
    return Reply(f"Showing in {where}: {told}.", rows)


def _spots(world: World, where: str, kind: str, *, eating: bool) -> list[dict[str, Any]]:
    source = simulated.data("venues")
    stream = world.random("places", simulated.key(where), kind, eating)
    what = simulated.title(f"{kind} restaurant".strip() if eating else kind)
    return [
        {
            "name": f"{surname}'s {what}",
            "kind": what,
            "place": where,
            "address": f"{stream.randrange(1, 400)} {stream.choice(source['streets'])}",
            "miles": round(0.2 + stream.random() ** 2 * 6, 1),
            "rating": round(stream.uniform(3.2, 4.9), 1),
            "price": stream.randrange(1, 5),
            "closes": stream.choice(["18:00", "20:00", "22:00", "23:00"]),
        }
        for surname in stream.sample(source["surnames"], 8)
    ]


def _kind_of_place(text: str) -> str:
    """Return what kind of place is meant: singular words in their order, without praise."""
    kept = same_words(simulated.key(text), PLACES).split()
    return " ".join(word for word in kept if meanings(word) - _PLACE_PLAIN)


def _locations(world: World, params: Params) -> Reply:
    where = simulated.place(world, params.text("place_name"))
    said = meanings(
        " ".join(params.text(name) or "" for name in ("descriptor", "business_type", "food_type"))
    )
    text = params.text("business_type") or params.text("event_name") or ""
    food, business = _kind_of_place(params.text("food_type") or ""), _kind_of_place(text)
    if not food and meanings(text) & _EATING:
        # A steak restaurant is where to eat steak.
        food = business
    rows = _spots(world, where, food or business, eating=bool(food) or not business)
    if (wanted := simulated.time_asked(world, params)) is not None and wanted.start is not None:
        # Nothing closes after midnight, and what opens early is open by day.
        rows = [row for row in rows if row["closes"] > wanted.start.strftime("%H:%M")]
    if said & _CHEAP:
        rows = [row for row in rows if row["price"] <= 2] or rows
    elif said & _FANCY:
        rows = [row for row in rows if row["price"] >= 3] or rows
    if said & _NEAR:
        rows.sort(key=lambda row: row["miles"])
    elif said & _BEST:
        rows.sort(key=lambda row: -row["rating"])
    rows = rows[: 1 if said & meanings("nearest closest") else SHOWN]
    told = "; ".join(
        f"{row['name']}, {row['address']}, {row['miles']} miles, {row['rating']} stars"
        for row in rows
    )
    return Reply(f"In {where} you could try: {told}.", rows)


DOMAIN = Domain(
    name="recommendation",
    description="Events, movies and places to go.",
    fields=(
        Field("business_type", Kind.NAME, "kind of place, such as bar or movie theater"),
        Field("food_type", Kind.NAME, "kind of food", example="mexican"),
        Field("movie_type", Kind.NAME, "kind of movie", example="comedy"),
        Field("movie_name", Kind.NAME, "title of a movie"),
        Field("date", Kind.DATE, "day or days of the event"),
        Field("time", Kind.TIME, "time or part of the day", example="18:00..22:00"),
        Field("place_name", Kind.PLACE, "town", example="Boston, Massachusetts"),
        Field("event_name", Kind.NAME, "kind of event", Match.THING, "jazz concert"),
        Field("descriptor", Kind.TEXT, "which ones, such as cheap, free, new or best"),
    ),
    intents=(
        Intent("recommendation_events", "Find events.", _events, writes=False),
        Intent("recommendation_movies", "Find movies and where they show.", _movies, writes=False),
        Intent("recommendation_locations", "Find places to go.", _locations, writes=False),
    ),
    tables=(
        Table(
            MOVIES,
            "movie",
            {
                "name": Match.CASEFOLD,
                "genre": Match.CASEFOLD,
                "rating": Match.NUMBER,
                "weeks": Match.NUMBER,
                "minutes": Match.NUMBER,
            },
        ),
    ),
    seed=_seed,
)
