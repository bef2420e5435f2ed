"""Getting around: taxis, tickets, timetables, directions and traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from ossia_dataset.normalise import TimeValue
from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.assistant.domains import _travel as travel
from ossia_servers.assistant.moments import date_fits, next_day_at, time_fits
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Asked, Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

TAXIS: Final = "transport.taxis"
TICKETS: Final = "transport.tickets"

SHOWN: Final = 3
"""How many departures are told at once."""

_PLAIN_TAXIS: Final = meanings("taxi taxicab cab minicab car ride driver")
_CANCEL: Final = meanings("cancel cancelled delete remove")
_TIMETABLE: Final = meanings(
    "schedule timetable departure depart departing leave leaving arrive arrival fare price cost"
    " ticket"
)
_OWN_ROADS: Final = meanings(
    "downtown uptown midtown center expressway highway freeway motorway interstate route road"
    " street avenue boulevard lane bridge tunnel wharf district quarter area suburb town city here"
)
"""Words for roads and parts of a town, of which the traffic itself is asked."""
_BOOKED: Final = meanings("booked booking reservation reserved mine bought")
_CHEAP: Final = meanings("cheap cheapest low lowest price economy")
_LAST: Final = meanings("last latest")
_NEXT: Final = meanings("next first earliest soonest last latest cheapest")


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    def day(ahead: int) -> str:
        return (context.now + timedelta(days=ahead)).date().isoformat()

    def ticket(kind: str, agency: str, to: str, ahead: int, at: str, price: float) -> Row:
        return {
            "type": kind,
            "agency": agency,
            "from_place": context.home,
            "to_place": to,
            "date": day(ahead),
            "time": at,
            "price": price,
        }

    taxi = {
        "agency": "City Cab",
        "from_place": context.home,
        "to_place": "Airport",
        "date": day(9),
        "time": "05:30",
    }
    return {
        TAXIS: [taxi],
        TICKETS: [
            ticket("train", "Amtrak", "Philadelphia, Pennsylvania", 5, "08:15", 42.0),
            ticket("flight", "Delta", "Miami, Florida", 9, "07:40", 219.0),
            ticket("bus", "Greyhound", "Boston, Massachusetts", 16, "09:00", 31.5),
        ],
    }


def _target(world: World, params: Params, *names: str) -> str:
    """Return where the user wants to go, or the empty string.

    Args:
        world: whose home "nearby" means.
        params: the request.
        names: parameters that may name a business to go to.
    """
    business = simulated.title(params.first(*names or ("business_name", "business_type")) or "")
    text = params.first("to_place_name", "place_name")
    if text is None:
        return business
    where = simulated.place(world, text)
    if business:
        return business if where == world.home else f"{business}, {where}"
    # Who names only where the way begins goes somewhere else.
    return "" if "to_place_name" not in params and where == _origin(world, params) else where


def _origin(world: World, params: Params) -> str:
    if "to_place_name" in params and "from_place_name" not in params and "place_name" in params:
        # Beside a destination, a plain place is where the way begins.
        return simulated.place(world, params.text("place_name"))
    return simulated.place(world, params.text("from_place_name"))


def _said(params: Params, *names: str) -> frozenset[str]:
    return meanings(" ".join(params.text(name) or "" for name in names))


def _not_past(world: World, day: date | None) -> None:
    if day is not None and day < world.today:
        raise Refusal.conflict("That day is over; nothing can be booked for the past.")


_WHICH_BOOKING: Final = Ask(
    "Which booking shall I cancel?", ("to_place_name", "date"), when=Asked.MAYBE
)
# A taxi for today comes at once.
_WHEN: Final = Ask("At what time shall the taxi come?", ("time",), when=Asked.MAYBE)
_WHERE: Final = Ask(
    "Where do you want to go?",
    ("to_place_name", "place_name", "business_name", "business_type"),
    missing=("to_place_name",),
    # Whoever cancels a ticket goes nowhere.
    unless=("descriptor", "query"),
    when=Asked.LATER,
)


def _cancelled(world: World, table: str, params: Params) -> Reply:
    rows = _booked(world, table, params)
    if not rows:
        raise Refusal.not_found("You have no such booking.")
    if len(rows) > 1 and "all" not in (params.text("descriptor") or "").casefold().split():
        return _WHICH_BOOKING.reply()
    removed = [world.remove(table, row["id"]) for row in rows]
    return Reply(f"Cancelled: {'; '.join(map(_booking_told, removed))}.", removed)


def _booked(world: World, table: str, params: Params) -> list[Row]:
    """Return the bookings that a request points at."""
    rows = world.rows(table)
    target = _target(world, params)
    if target:
        rows = find(rows, target.split(",")[0], "to_place")
    kind = travel.kind_of(params.text("transport_type"))
    if table == TICKETS and kind is not None:
        rows = [row for row in rows if row["type"] == kind]
    day, at = params.date(), simulated.time_asked(world, params)
    if day is not None:
        rows = [row for row in rows if date_fits(row["date"], day)]
    if at is not None:
        rows = [row for row in rows if time_fits(row["time"], at)]
    return rows


def _taxi(world: World, params: Params) -> Reply:
    if _said(params, "descriptor", "query") & _CANCEL:
        return _cancelled(world, TAXIS, params)
    day, at = params.date(), simulated.time_asked(world, params)
    _not_past(world, None if day is None else day.end)
    if at is None and day is not None and not day.contains(world.today):
        return _WHEN.reply()
    if day is None:
        when = world.today if at is None else next_day_at(world.now, at)
        if at is not None and at.is_range and at.contains(world.now.time().replace(second=0)):
            when = world.today
        booked_day = when.isoformat()
    else:
        booked_day = str(day)
    agency = params.first("transport_agency", "business_name")
    kind = params.text("transport_type")
    if agency is None and kind is not None and not meanings(kind) & _PLAIN_TAXIS:
        # People call a ride by the name of its company: "get me an uber".
        agency = kind
    row = world.add(
        TAXIS,
        agency=simulated.title(agency or "City Cab"),
        from_place=_origin(world, params),
        # The name of a business may be the cab company's.
        to_place=_target(world, params, "business_type"),
        date=booked_day,
        time=str(at) if at is not None else world.now.strftime("%H:%M"),
    )
    return Reply(f"Booked: {_booking_told(row)}.", [row])


def _booking_told(row: Row) -> str:
    way = f" to {row['to_place']}" if row["to_place"] else ""
    what = f"{row['type']} ticket" if "type" in row else "taxi"
    return f"{row['agency']} {what} from {row['from_place']}{way} on {row['date']} at {row['time']}"


def _offered(world: World, params: Params, kind: str, target: str) -> list[travel.Departure]:
    """Return the departures that suit a request, first what comes first or is cheapest."""
    origin, agency = _origin(world, params), params.text("transport_agency")
    runs_it = simulated.title(agency) if agency else None
    at = simulated.time_asked(world, params)
    found = [
        leaving
        for day in _days(world, params)
        for leaving in travel.departures(world, kind, runs_it, origin, target, day)
        if day != world.today or leaving.time >= world.now.strftime("%H:%M")
    ]
    if at is not None:
        found = _from(found, at)
    said = _said(params, "descriptor", "query")
    if said & _CHEAP and found:
        first_day = [leaving for leaving in found if leaving.date == found[0].date]
        return sorted(first_day, key=lambda leaving: leaving.price)
    if said & _LAST and found:
        return [leaving for leaving in found if leaving.date == found[0].date][::-1]
    return found


def _days(world: World, params: Params) -> list[date]:
    """Return the days whose departures may suit a request."""
    wanted, at = params.date(), simulated.time_asked(world, params)
    if wanted is not None:
        return simulated.days(world, wanted, most=3)
    if at is None:
        return simulated.days(world, None, default=2)
    return [simulated.time_of_day(world, at) if at.is_range else next_day_at(world.now, at)]


def _from(found: list[travel.Departure], at: TimeValue) -> list[travel.Departure]:
    """Return the departures within a range of times, or from a time on."""
    if at.is_range:
        return [leaving for leaving in found if time_fits(leaving.time, at)]
    return [leaving for leaving in found if leaving.time >= str(at)]


def _ticket(world: World, params: Params) -> Reply:
    if _said(params, "descriptor", "query") & _CANCEL:
        return _cancelled(world, TICKETS, params)
    day = params.date()
    _not_past(world, None if day is None else day.end)
    target = _target(world, params)
    if not target:
        return _WHERE.reply()
    kind = travel.kind_of(params.text("transport_type")) or "train"
    offered = _offered(world, params, kind, target)
    if not offered:
        raise Refusal.not_found(f"No {kind} to {target} leaves then.")
    chosen = offered[0].row()
    del chosen["minutes"]
    row = world.add(TICKETS, **chosen)
    return Reply(f"Booked: {_booking_told(row)}, for {row['price']:.2f} dollars.", [row])


def _query(world: World, params: Params) -> Reply:
    said = _said(params, "descriptor", "query")
    kind = travel.kind_of(params.text("transport_type")) or travel.kind_of(params.text("query"))
    target = _target(world, params)
    taxi = _said(params, "transport_type") & _PLAIN_TAXIS - meanings("car")
    if said & _BOOKED or taxi or not (kind or target or said & _TIMETABLE):
        tables = (TAXIS,) if taxi else (TICKETS,) if kind else (TAXIS, TICKETS)
        rows = [row for table in tables for row in _booked(world, table, params)]
        told = "; ".join(map(_booking_told, rows)) or "You have no such booking"
        return Reply(f"{told}.", rows)
    if kind is None and target and not said & _TIMETABLE:
        way = travel.directions(world, _origin(world, params), target)
        return Reply(_way_told(way), [way])
    offered = _offered(world, params, kind or "train", target or "Downtown")
    rows_told = [leaving.row() for leaving in offered[: 1 if said & _NEXT else SHOWN]]
    if not rows_told:
        return Reply(f"No {kind or 'train'} leaves then.", [])
    return Reply("; ".join(map(_departure_told, rows_told)) + ".", rows_told)


def _way_told(way: Mapping[str, Any]) -> str:
    return (
        f"From {way['from_place']} to {way['to_place']} it is {way['miles']} miles via"
        f" {' and '.join(way['via'])}: {way['drive_minutes']} minutes by car,"
        f" {way['transit_minutes']} by public transport."
    )


def _departure_told(row: Mapping[str, Any]) -> str:
    return (
        f"{row['agency']} {row['type']} from {row['from_place']} to {row['to_place']} on"
        f" {row['date']} at {row['time']}, {row['minutes']} minutes, {row['price']:.2f} dollars"
    )


def _roads(world: World, params: Params) -> str:
    """Return the place, or the way to it, whose roads a request is about."""
    text = params.first("to_place_name", "place_name", "business_name")
    if text is None:
        return simulated.place(world, params.text("from_place_name"))
    where, origin = simulated.place(world, text), _origin(world, params)
    if origin == world.home and ("," in where or meanings(where) & _OWN_ROADS):
        # "The traffic to downtown" is that of downtown: a town or a road has traffic of its own.
        return where
    return where if where == origin else f"{origin} to {where}"


def _traffic(world: World, params: Params) -> Reply:
    where = _roads(world, params)
    day, at = params.date(), simulated.time_asked(world, params)
    moment = world.now.time().replace(second=0, microsecond=0)
    if at is not None:
        moment = at.start or at.end or moment
    if day is None and at is not None:
        days = [simulated.time_of_day(world, at)]
    else:
        days = simulated.days(world, day, most=7)
    rows = [travel.traffic(world, where, each, moment) for each in days]
    told = "; ".join(
        f"{row['date']} {row['time']}: {row['level']} traffic, {row['delay_minutes']} minutes delay"
        + (f" because of {row['incident']}" if row["incident"] else "")
        for row in rows
    )
    return Reply(f"{where}: {told}.", rows)


_BOOKING: Final = {
    "agency": Match.CASEFOLD,
    "from_place": Match.ALIAS,
    "to_place": Match.ALIAS,
    "date": Match.DATETIME,
    "time": Match.DATETIME,
}
"""Columns of a taxi and of a ticket."""

DOMAIN = Domain(
    name="transport",
    description="Taxis, tickets, timetables, directions and traffic.",
    fields=(
        Field("transport_agency", Kind.NAME, "company, such as uber"),
        Field("transport_type", Kind.NAME, "train, bus, flight, taxi", example="train"),
        Field("business_type", Kind.NAME, "kind of place to go to, such as a bar"),
        Field("business_name", Kind.NAME, "name of a business"),
        Field("place_name", Kind.PLACE, "where to go, or where the traffic is"),
        Field("to_place_name", Kind.PLACE, "where to go"),
        Field("from_place_name", Kind.PLACE, "where from"),
        Field("query", Kind.TEXT, "what is asked, such as schedule or directions"),
        Field("date", Kind.DATE, "day of the journey"),
        Field("time", Kind.TIME, "when to leave"),
        Field("descriptor", Kind.TEXT, "which one, such as next or cheapest"),
    ),
    intents=(
        Intent("transport_taxi", "Book a taxi.", _taxi, writes=True, asks=(_WHEN, _WHICH_BOOKING)),
        Intent(
            "transport_ticket",
            "Book a ticket.",
            _ticket,
            writes=True,
            asks=(_WHERE, _WHICH_BOOKING),
        ),
        Intent("transport_query", "Tell timetables, directions, bookings.", _query, writes=False),
        Intent("transport_traffic", "Tell how the roads are.", _traffic, writes=False),
    ),
    tables=(
        Table(TAXIS, "taxi", _BOOKING),
        Table(TICKETS, "ticket", {"type": Match.CASEFOLD, **_BOOKING, "price": Match.NUMBER}),
    ),
    seed=_seed,
)
