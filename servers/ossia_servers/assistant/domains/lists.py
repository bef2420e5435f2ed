"""Lists: make them, put items on them, read them and cross items off."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from ossia_dataset.normalise.values import DateValue
from ossia_servers.assistant.domains._occurrence import is_all
from ossia_servers.assistant.domains._speech import counted
from ossia_servers.assistant.moments import date_fits, time_fits
from ossia_servers.assistant.positions import LAST, amount_after, position
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing, meanings, same_name, split_items
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Asked, Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

LISTS: Final = "lists.lists"
ITEMS: Final = "lists.items"

DEFAULT_LIST: Final = "shopping"
"""The list meant by "my list" where an item is put on it."""

# A list of one kind goes by several names.
_SAME_LIST: Final = (
    frozenset({"shopping", "grocery", "food", "buy", "supermarket"}),
    frozenset({"to do", "todo", "task", "chore", "things to do"}),
    frozenset({"packing", "travel", "vacation", "trip"}),
)
_LISTS: Final = (
    # name, made how many days ago, items with the day on which they are due (days from today)
    ("shopping", 3, (("milk", None), ("eggs", None), ("bread", None), ("red peppers", None))),
    (
        "to do",
        10,
        (
            ("wash the car", 1),
            ("pay the electricity bill", 0),
            ("call the plumber", 3),
            ("return the library books", 1),
            ("clean the gutters", None),
        ),
    ),
    ("packing", 5, (("passport", 1), ("sunscreen", None), ("phone charger", None))),
    ("guest", 7, (("tom", None), ("sarah", None), ("alice", None), ("uncle frank", None))),
    ("christmas gifts", 20, (("scarf for mom", None), ("chess set", None))),
    ("movies", 14, (("the third man", None), ("arrival", None), ("amelie", None))),
)
# Items have places on a list; lists are older or newer than one another.
_LAST: Final = frozenset({"last", "final", "bottom"})
_FIRST: Final = frozenset({"first", "top"})
_NEWEST: Final = frozenset({"latest", "newest", "recent"})
_OLDEST: Final = frozenset({"oldest", "earliest"})
_POINTING: Final = frozenset({"this", "that", "it"})
_ITEM_WORDS: Final = frozenset({"item", "entry", "thing", "content", "everything"})


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    today = context.now.date()
    lists = [
        {"name": name, "made": (today - timedelta(days=age)).isoformat()} for name, age, _ in _LISTS
    ]
    items = [
        {
            "list": name,
            "item": item,
            "date": "" if due is None else (today + timedelta(days=due)).isoformat(),
            "time": "",
        }
        for name, _, content in _LISTS
        for item, due in content
    ]
    # The newest list is the last row, as if they had been made one after the other.
    return {LISTS: sorted(lists, key=lambda row: row["made"]), ITEMS: items}


def _plain(name: str) -> str:
    """The name of a list without "my", "list" and the like."""
    bare = re.sub(r"\blists?\b|^(?:my|the|a|an|our|new)\b", " ", name, flags=re.IGNORECASE)
    bare = re.sub(r"^\s*(?:of|for|called|named|my|the|a|an|our|new)\b", " ", bare)
    return " ".join(bare.split()) or " ".join(name.split())


def _kinds(name: str) -> list[frozenset[str]]:
    said = name.casefold().replace("-", " ")
    return [kind for kind in _SAME_LIST if said in kind or meanings(said) & kind]


def _same(world: World, name: str) -> list[Row]:
    """The lists of exactly that name."""
    return [row for row in world.rows(LISTS) if same_name(row["name"], _plain(name))]


def _list(world: World, name: str) -> Row | None:
    """The list of that name, or of another name for the same."""
    rows, bare, exact = world.rows(LISTS), _plain(name), _same(world, name)
    alike = [row for row in rows if any(kind in _kinds(row["name"]) for kind in _kinds(bare))]
    found = exact or find(rows, bare, "name") or alike
    return found[0] if found else None


def _default(world: World) -> Row | None:
    """The list meant where none is named: the one for shopping, else the newest."""
    rows = world.rows(LISTS)
    return _list(world, DEFAULT_LIST) or (rows[-1] if rows else None)


def _items(world: World, owner: Row) -> list[Row]:
    return [row for row in world.rows(ITEMS) if row["list"] == owner["name"]]


def _read(world: World, owner: Row) -> str:
    items = _items(world, owner)
    if not items:
        return f"your {owner['name']} list is empty"
    return f"your {owner['name']} list has {listing([row['item'] for row in items])}"


_ADDING: Final = (
    Ask("What shall the list be called?", ("list_name", "item_name"), missing=("list_name",)),
    # A list that is there already can only be added to.
    Ask("What shall I put on the list?", ("item_name",), when=Asked.MAYBE),
)
_REMOVING: Final = (
    Ask(
        "Which list or item shall I remove?",
        ("list_name", "item_name"),
        unless=("descriptor", "date"),
    ),
    # The same may be on several lists.
    Ask("From which list shall I remove it?", ("list_name",), when=Asked.MAYBE),
)


def _add(world: World, params: Params) -> Reply:
    name, text = params.text("list_name"), params.text("item_name")
    if text is None:
        # The intent asks where neither is given.
        name = name or ""
        if _same(world, name):
            return Reply.ask(f"What shall I put on your {_plain(name)} list?", "item_name")
        made = world.add(LISTS, name=_plain(name), made=world.today.isoformat())
        return Reply(f"I have made a new list called {made['name']}.", [made])
    owner = _list(world, name) if name is not None else _default(world)
    changed = []
    if owner is None:
        wanted = _plain(name) if name is not None else DEFAULT_LIST
        owner = world.add(LISTS, name=wanted, made=world.today.isoformat())
        changed.append(owner)
    there = _items(world, owner)
    date, time = params.date(), params.time()
    for item in split_items(text) or [text]:
        if not any(same_name(row["item"], item) for row in there):
            row = world.add(
                ITEMS,
                list=owner["name"],
                item=item,
                date=str(date) if date is not None else "",
                time=str(time) if time is not None else "",
            )
            changed.append(row)
    if not changed:
        raise Refusal.conflict(f"{text} is on your {owner['name']} list already.")
    return Reply(f"Now {_read(world, owner)}.", changed)


def _due(rows: list[Row], params: Params) -> list[Row]:
    """Of items, those due when the request says."""
    date, time = params.date(), params.time()
    if date is not None:
        rows = [row for row in rows if date_fits(row["date"], date)]
    # A part of the day says little of items that have a day alone.
    if time is not None and any(row["time"] for row in rows):
        rows = [row for row in rows if time_fits(row["time"], time)]
    return rows


def _at(rows: list[Row], descriptor: str | None) -> list[Row]:
    """Of items, the one at the position that a descriptor names ("last item", "item two")."""
    said, number = meanings(descriptor or ""), position(descriptor or "")
    if (several := amount_after(descriptor or "", "first", "top")) is not None:
        return rows[:several]
    if (several := amount_after(descriptor or "", "last", "latest")) is not None:
        return rows[-several:]
    if number is None:
        number = LAST if said & (_LAST | _NEWEST) else 1 if said & (_FIRST | _OLDEST) else None
    if number is None or abs(number) > len(rows):
        return rows
    return [rows[number if number < 0 else number - 1]]


def _picks(descriptor: str | None) -> bool:
    """Whether a descriptor picks items rather than lists."""
    said, number = meanings(descriptor or ""), position(descriptor or "")
    placed = said & (_ITEM_WORDS | _LAST | _FIRST) or number not in (None, LAST)
    return bool(placed) and "list" not in said


def _query(world: World, params: Params) -> Reply:
    name, item = params.text("list_name"), params.text("item_name")
    descriptor = params.text("descriptor")
    lists = world.rows(LISTS)
    if name is not None:
        owner = _list(world, name)
        if owner is None:
            return Reply(f"You have no {_plain(name)} list.", [])
        lists = [owner]
    items = [row for owner in lists for row in _items(world, owner)]
    if item is not None:
        items = [row for part in split_items(item) or [item] for row in find(items, part, "item")]
    dated = params.date() is not None or params.time() is not None
    if dated:
        items = _due(items, params)
    if descriptor is not None and (name is not None or _picks(descriptor)):
        items = _at(items, descriptor)
    elif descriptor is not None and name is None and item is None:
        lists = _at(lists, descriptor)
        items = [row for row in items if row["list"] in {owner["name"] for owner in lists}]
    if name is None and item is None and not dated and not _picks(descriptor):
        told = "; ".join(_read(world, owner) for owner in lists)
        found = [{**row, "items": [i["item"] for i in _items(world, row)]} for row in lists]
        if not lists:
            return Reply("You have no lists.", [])
        return Reply(f"You have {counted(len(lists), 'list')}: {told}.", found)
    if not items:
        return Reply("There is nothing like that on your lists.", [])
    told = listing([f"{row['item']} ({row['list']})" for row in items])
    return Reply(f"I found {counted(len(items), 'item')}: {told}.", items)


def _remove(world: World, params: Params) -> Reply:
    name, item = params.text("list_name"), params.text("item_name")
    descriptor, date = params.text("descriptor"), params.date()
    owner = _list(world, name) if name is not None else None
    if name is not None and owner is None:
        raise Refusal.not_found(f"You have no {_plain(name)} list.")
    if item is not None and not find(world.rows(ITEMS), item, "item") and _picks(item):
        item, descriptor = None, item
    if item is not None:
        return _remove_items(world, owner, item)
    if _picks(descriptor):
        return _clear(world, owner or _default(world), descriptor, params)
    if owner is not None:
        due = _due(_items(world, owner), params) if date is not None else []
        if due:
            return _gone([world.remove(ITEMS, row["id"]) for row in due])
        if date is not None and not date_fits(owner["made"], date):
            raise Refusal.not_found(f"Nothing of your {owner['name']} list is of that day.")
        return _drop(world, [owner])
    if date is None and (descriptor is None or _POINTING & set(descriptor.casefold().split())):
        return _REMOVING[0].reply()
    return _drop(world, _lists_meant(world, descriptor, date))


def _lists_meant(world: World, descriptor: str | None, date: DateValue | None) -> list[Row]:
    """The lists that a request without a name points at."""
    lists = world.rows(LISTS)
    if date is not None:
        lists = [row for row in lists if date_fits(row["made"], date)]
    if descriptor is not None and not is_all(descriptor):
        chosen = _at(lists, descriptor)
        if len(chosen) == len(lists) and len(lists) > 1:
            raise Refusal.not_found(f"You have no list that is '{descriptor}'.")
        lists = chosen
    if not lists:
        raise Refusal.not_found("You have no such list.")
    return lists


def _remove_items(world: World, owner: Row | None, text: str) -> Reply:
    rows = _items(world, owner) if owner is not None else world.rows(ITEMS)
    gone = []
    for part in split_items(text) or [text]:
        same = [row for row in rows if same_name(row["item"], part)] or find(rows, part, "item")
        if not same:
            where = f"your {owner['name']} list" if owner is not None else "any of your lists"
            raise Refusal.not_found(f"'{part}' is not on {where}.")
        if len({row["list"] for row in same}) > 1:
            return Reply.ask(f"From which list shall I remove {part}?", "list_name")
        gone.append(same[0])
    unique = {row["id"]: row for row in gone}
    return _gone([world.remove(ITEMS, row_id) for row_id in unique])


def _clear(world: World, owner: Row | None, descriptor: str | None, params: Params) -> Reply:
    """Take items off a list that stays."""
    rows = _due(_items(world, owner), params) if owner is not None else []
    if not is_all(descriptor):
        rows = _at(rows, descriptor)
    if not rows:
        raise Refusal.not_found("There is nothing like that on your list.")
    return _gone([world.remove(ITEMS, row["id"]) for row in rows])


def _gone(rows: list[Row]) -> Reply:
    told = listing([row["item"] for row in rows])
    return Reply(f"I have taken {told} off your {rows[0]['list']} list.", rows)


def _drop(world: World, lists: list[Row]) -> Reply:
    """Remove lists together with what is on them."""
    items = [row for owner in lists for row in _items(world, owner)]
    gone = [world.remove(LISTS, row["id"]) for row in lists]
    gone += [world.remove(ITEMS, row["id"]) for row in items]
    names = listing([row["name"] for row in lists])
    return Reply(f"I have removed the {names} list{'s' * (len(lists) > 1)}.", gone)


DOMAIN = Domain(
    name="lists",
    description="The user's lists.",
    fields=(
        Field("list_name", Kind.NAME, "the list", Match.THING, "shopping"),
        Field("item_name", Kind.NAME, "an item, or several", Match.THING, "milk and eggs"),
        Field("descriptor", Kind.TEXT, "which list or item, such as all or last item"),
        Field("time", Kind.TIME, "when an item is due"),
        Field("date", Kind.DATE, "day on which an item is due, or a list was made"),
    ),
    intents=(
        Intent("lists_query", "Read lists.", _query, writes=False),
        Intent(
            "lists_createoradd",
            "Make a list or put items on one.",
            _add,
            writes=True,
            asks=_ADDING,
        ),
        Intent("lists_remove", "Remove items or lists.", _remove, writes=True, asks=_REMOVING),
    ),
    tables=(
        Table(LISTS, "list", {"name": Match.THING, "made": Match.DATETIME}),
        Table(
            ITEMS,
            "item",
            {
                "list": Match.THING,
                "item": Match.THING,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
            },
        ),
    ),
    seed=_seed,
)
