"""Takeaway: order food, ask who has it, and where an order is.

Beside the published catalogue this takes how many portions are ordered (`count`) and what is asked
(`query`, the same as a descriptor): the published data uses both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.assistant.moments import date_fits, next_day_at, time_fits
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing, meanings, singular, split_items
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.synonyms import FOOD
from ossia_servers.worlds.world import World

RESTAURANTS: Final = "takeaway.restaurants"
ORDERS: Final = "takeaway.orders"

DELIVERY: Final = "delivery"
PICKUP: Final = "pickup"

SHOWN: Final = 5
"""How many restaurants are told at once."""

_STATUS: Final = meanings(
    "status order ordered arrive arrived arriving track tracking late eta ready coming long way"
    " progress delivered mine pickup"
)
"""Words that ask for an order that was made."""

_PICKUP: Final = meanings(
    "pickup pick up to go takeout take out collect collection carryout carry takeaway away"
)
_DELIVERY: Final = meanings("delivery deliver delivered delivers home bring brought house door")

_PLAIN: Final = meanings(
    "food meal dish something takeaway takeout delivery delivered good some nearby place order"
    " restaurant eat large small medium big hot fresh one two three low priced cheap delicacies"
)
"""Words that say nothing of what the food is."""

_SIZES: Final = frozenset({"large", "medium", "small"})
_COUNTS: Final = meanings("one two three four five six seven eight nine ten dozen half couple pair")


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    restaurants = [
        {
            "name": item["name"],
            "kind": item["kind"],
            "menu": list(item["menu"]),
            "prices": list(item["menu"].values()),
            "delivers": item["delivers"],
            "pickup": True,
            "minutes": item["minutes"],
            "rating": item["rating"],
            "address": f"{item['street']}, {context.home}",
            "closes": item["closes"],
        }
        for item in simulated.data("restaurants")
    ]
    return {RESTAURANTS: restaurants, ORDERS: _seed_orders(context)}


def _seed_orders(context: SeedContext) -> list[Row]:
    soon, past = context.now + timedelta(minutes=15), context.now - timedelta(days=2)
    made = (
        ("Corner Diner", "breakfast", DELIVERY, soon, "on its way"),
        ("Golden Dragon", "dumplings", PICKUP, past, "collected"),
    )
    return [
        {
            "restaurant": restaurant,
            "food": food,
            "type": way,
            "date": moment.date().isoformat(),
            "time": moment.strftime("%H:%M"),
            "place": context.home,
            "status": status,
        }
        for restaurant, food, way, moment, status in made
    ]


def _asked(params: Params) -> frozenset[str]:
    """Return the words that say what is asked about an order or a restaurant."""
    return meanings(f"{params.text('descriptor') or ''} {params.text('query') or ''}")


def _way(params: Params) -> str | None:
    """Return how the food shall come, None where nothing is said of it."""
    said = meanings(params.text("order_type") or "") | _asked(params)
    if said & _DELIVERY:
        return DELIVERY
    return PICKUP if said & _PICKUP else None


def _serving(rows: Sequence[Row], food: str) -> list[Row]:
    """Return the restaurants that have a food, those with just this on the menu first."""
    said = meanings(food, FOOD) - _PLAIN - _COUNTS
    if not said:
        return list(rows)
    scored = []
    for row in rows:
        dishes = [meanings(dish, FOOD) for dish in row["menu"]]
        if any(said == dish for dish in dishes):
            scored.append((0, row))
        elif any(said <= dish for dish in dishes) or said <= meanings(row["kind"], FOOD):
            scored.append((1, row))
        elif any(dish - _PLAIN and dish - _PLAIN <= said for dish in dishes):
            scored.append((2, row))
    return [row for _, row in sorted(scored, key=lambda item: item[0])]


def _candidates(world: World, params: Params) -> list[Row]:
    """Return the restaurants that name, kind and food of a request point at, best first."""
    rows = world.rows(RESTAURANTS)
    name, kind, food = (params.text(key) for key in ("business_name", "business_type", "food_type"))
    if name is not None and not meanings(name) <= meanings("restaurant place"):
        return find(rows, name, "name")
    if kind is not None and meanings(kind) - _PLAIN:
        rows = find(rows, kind, "kind", same=(FOOD,)) or _serving(rows, kind)
    for item in split_items(food or ""):
        rows = _serving(rows, item) or rows
    return rows


def _elsewhere(world: World, name: str) -> dict[str, Any]:
    """Return what the directory says of a restaurant that is not in the user's list."""
    stream = world.random("restaurant", simulated.key(name))
    return {
        "name": simulated.title(name),
        "kind": "restaurant",
        "menu": [],
        "prices": [],
        "delivers": stream.random() < 0.6,
        "pickup": True,
        "minutes": stream.choice([20, 30, 40]),
        "rating": round(stream.uniform(3.4, 4.8), 1),
        "address": f"{stream.randrange(1, 400)} Main Street, {world.home}",
        "closes": stream.choice(["21:00", "22:00", "23:00"]),
    }


def _chosen(world: World, params: Params, way: str | None) -> Mapping[str, Any]:
    """Return the restaurant that gets the order.

    Raises:
        Refusal: the restaurant does not bring food, but that is wanted.
    """
    name, food = params.text("business_name"), params.text("food_type")
    rows: Sequence[Mapping[str, Any]] = _candidates(world, params)
    if not rows:
        rows = [_elsewhere(world, name or params.text("business_type") or "restaurant")]
    elif food is not None and name is None and not _serving(rows, food):
        # The diner cooks on demand what no menu has.
        rows = find(rows, "diner", "kind") or rows
    fitting = [row for row in rows if row["delivers"] or way != DELIVERY]
    if not fitting:
        raise Refusal.conflict(f"{rows[0]['name']} does not deliver; you can pick the food up.")
    return fitting[0]


def _moment(world: World, params: Params, minutes: int) -> tuple[str, str]:
    """Return day and time of an order; without a word about it the food comes when it is ready.

    Raises:
        Refusal: the time is over.
    """
    day, at = params.date(), simulated.time_asked(world, params)
    ready = world.now + timedelta(minutes=minutes)
    if day is None and at is None:
        return ready.date().isoformat(), ready.strftime("%H:%M")
    if at is None and day is not None and day.contains(world.today):
        return str(day), ready.strftime("%H:%M")
    clock = (at.start or at.end) if at is not None else time(18)
    if day is None and at is not None:
        over = at.end is not None and at.is_range and at.end >= world.now.time()
        start = world.today if over else next_day_at(world.now, at)
        return start.isoformat(), str(at)
    last = day.end if day is not None else None
    if last is not None and datetime.combine(last, clock or time(23, 59)) < world.now:
        raise Refusal.conflict("That time is over; food cannot be ordered for the past.")
    return str(day), str(at) if at is not None else "18:00"


def _portions(params: Params) -> str:
    """Return what is ordered and how often."""
    food, count = params.text("food_type") or "the usual", params.number("count")
    size = meanings(params.text("descriptor") or "") & _SIZES
    if size and not size <= meanings(food):
        food = f"{min(size)} {food}"
    food = listing(split_items(food)) or food
    if count is None:
        return food
    # Two burgers are "2 x burger", whichever form was said.
    *before, last = food.split()
    return f"{count:g} x {' '.join([*before, singular(last)])}"


_WHAT_TO_ORDER: Final = Ask(
    "What shall I order, and where?",
    ("food_type", "business_name", "business_type"),
    missing=("food_type", "business_name"),
)


def _order(world: World, params: Params) -> Reply:
    way = _way(params)
    shop = _chosen(world, params, way)
    day, at = _moment(world, params, shop["minutes"])
    row = world.add(
        ORDERS,
        restaurant=shop["name"],
        food=_portions(params),
        type=way or (DELIVERY if shop["delivers"] else PICKUP),
        date=day,
        time=at,
        place=simulated.place(world, params.text("place_name")),
        status="ordered",
    )
    verb = "brings it" if row["type"] == DELIVERY else "has it ready for pickup"
    return Reply(
        f"Ordered {row['food']} from {row['restaurant']}, which {verb} on {day} at {at}.", [row]
    )


def _orders(world: World, params: Params) -> list[Row]:
    rows = world.rows(ORDERS)
    for name, column in (("business_name", "restaurant"), ("food_type", "food")):
        text = params.text(name)
        if text is not None and meanings(text) - _PLAIN:
            rows = find(rows, text, column)
    day, at = params.date(), simulated.time_asked(world, params)
    if day is not None:
        return [row for row in rows if date_fits(row["date"], day)]
    if at is not None:
        return [row for row in rows if time_fits(row["time"], at)]
    ahead = [row for row in rows if row["status"] in ("ordered", "on its way")]
    return ahead or rows


def _about_orders(params: Params) -> bool:
    descriptor = _asked(params)
    named = any(name in params for name in ("business_name", "business_type", "order_type"))
    if descriptor & _STATUS:
        return True
    return not named and "food_type" not in params and not descriptor


def _query(world: World, params: Params) -> Reply:
    if _about_orders(params):
        orders = _orders(world, params)
        if not orders:
            return Reply("You have no such order.", [])
        return Reply("; ".join(map(_order_told, orders)) + ".", orders)
    rows: Sequence[Mapping[str, Any]] = _candidates(world, params)
    name, food = params.text("business_name"), params.text("food_type")
    if name is not None and not rows:
        rows = [_elsewhere(world, name)]
    elif food is not None and name is None:
        rows = _serving(rows, food)
    if name is None and _way(params) == DELIVERY:
        rows = [row for row in rows if row["delivers"]]
    said = _asked(params)
    if said & meanings("best top rated recommended good review"):
        rows = sorted(rows, key=lambda row: -row["rating"])
    elif said & meanings("fast fastest quick quickest soonest"):
        rows = sorted(rows, key=lambda row: row["minutes"])
    where = simulated.place(world, params.text("place_name"))
    found = [_in_town(world, row, where) for row in rows[:SHOWN]]
    if not found:
        return Reply(f"No takeaway in {where} has that.", [])
    return Reply("; ".join(map(_shop_told, found)) + ".", found)


def _in_town(world: World, shop: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a restaurant, or its house in another town: they are all chains."""
    if where == world.home:
        return dict(shop)
    street = shop["address"].split(",")[0]
    kept = {name: value for name, value in shop.items() if name != "id"}
    return {**kept, "address": f"{street}, {where}"}


def _order_told(row: Row) -> str:
    day = simulated.spoken_date(date.fromisoformat(row["date"])) if _is_day(row) else row["date"]
    return (
        f"Your {row['food']} from {row['restaurant']} ({row['type']}) is {row['status']}, due {day}"
        f" at {row['time']}"
    )


def _is_day(row: Row) -> bool:
    return bool(row["date"][:1].isdigit() and ".." not in row["date"])


def _shop_told(row: Mapping[str, Any]) -> str:
    ways = "delivers and has takeout" if row["delivers"] else "has takeout, but does not deliver"
    dishes = f", serves {', '.join(row['menu'][:4])}" if row["menu"] else ""
    return (
        f"{row['name']}, {row['address']}, {row['rating']} stars, {ways}{dishes}, about"
        f" {row['minutes']} minutes"
    )


DOMAIN = Domain(
    name="takeaway",
    description="Ordering food, and restaurants that deliver or have takeout.",
    fields=(
        Field("food_type", Kind.NAME, "what to eat", example="pizza"),
        Field("order_type", Kind.NAME, "delivery, pickup, to go", example="delivery"),
        Field("business_type", Kind.NAME, "kind of restaurant", example="diner"),
        Field("business_name", Kind.NAME, "restaurant or delivery service"),
        Field("place_name", Kind.PLACE, "where to"),
        Field("date", Kind.DATE, "day of the order"),
        Field("time", Kind.TIME, "when the food is wanted"),
        Field("descriptor", Kind.TEXT, "which orders or restaurants, such as best or on its way"),
        Field("query", Kind.TEXT, "what is asked about them, such as the status"),
        Field("count", Kind.NUMBER, "how many portions", example="2"),
    ),
    intents=(
        Intent("takeaway_order", "Order food.", _order, writes=True, asks=(_WHAT_TO_ORDER,)),
        Intent(
            "takeaway_query",
            "Tell where an order is, or who has takeout of some kind.",
            _query,
            writes=False,
        ),
    ),
    tables=(
        Table(
            RESTAURANTS,
            "restaurant",
            {
                "name": Match.CASEFOLD,
                "kind": Match.CASEFOLD,
                "menu": Match.CASEFOLD,
                "prices": Match.NUMBER,
                "delivers": Match.EXACT,
                "pickup": Match.EXACT,
                "minutes": Match.NUMBER,
                "rating": Match.NUMBER,
                "address": Match.CASEFOLD,
                "closes": Match.DATETIME,
            },
        ),
        Table(
            ORDERS,
            "order",
            {
                "restaurant": Match.CASEFOLD,
                "food": Match.THING,
                "type": Match.EXACT,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
                "place": Match.ALIAS,
                "status": Match.EXACT,
            },
        ),
    ),
    seed=_seed,
)
