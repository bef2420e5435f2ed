"""The intents of the email domain that look up and add contacts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ossia_servers.assistant.domains._contacts import (
    CONTACT_TABLE,
    CONTACTS,
    people,
    split_relation,
)
from ossia_servers.worlds.lookup import listing, meanings, same_name
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Asked, Refusal, Reply, Row
from ossia_servers.worlds.world import World

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DIGITS: Final = dict(
    zip("zero one two three four five six seven eight nine".split(), "0123456789", strict=True),
    oh="0",
)
_MIN_PHONE_DIGITS: Final = 7
# A sentence names no more than this many contacts.
_TOLD: Final = 6

# What a user calls a fact about a contact, surest words first.
_FACTS: Final = (
    ("work_email", {"work", "email"}),
    ("work_email", {"work", "mail"}),
    ("home_phone", {"home", "phone"}),
    ("home_phone", {"home", "number"}),
    ("home_phone", {"landline"}),
    ("work_phone", {"work", "phone"}),
    ("work_phone", {"work", "number"}),
    ("work_phone", {"office", "number"}),
    ("work_phone", {"office", "phone"}),
    ("work_phone", {"corporate", "number"}),
    ("email", {"email"}),
    ("email", {"mail"}),
    ("phone", {"phone"}),
    ("phone", {"number"}),
    ("phone", {"mobile"}),
    ("phone", {"cell"}),
    ("phone", {"telephone"}),
    ("phone", {"digit"}),
    ("birthday", {"birthday"}),
    ("birthday", {"birth"}),
    ("birthday", {"born"}),
    ("address", {"address"}),
    ("address", {"live"}),
    ("company", {"company"}),
    ("company", {"work"}),
)


def exact_address(text: str) -> str | None:
    """Return an address as it is written, also of a spoken one ("jack at mail dot com").

    Args:
        text: any words.

    Returns:
        The address in lower case, or None where the text is none.
    """
    flat = re.sub(r"\s+dot\s+", ".", re.sub(r"\s+at\s+", "@", text.casefold()))
    flat = flat.replace(" underscore ", "_").replace(" ", "")
    return flat if _ADDRESS.fullmatch(flat) else None


def owners(world: World, address: str) -> list[Row]:
    """Return the contacts that have an address, written or spoken."""
    exact = exact_address(address) or address.casefold()
    return [row for row in world.rows(CONTACTS) if exact in (row["email"], row["work_email"])]


def query_contact(world: World, params: Params) -> Reply:
    """Look up contacts, or one fact about them."""
    address = params.text("email_address")
    if address is not None:
        rows = owners(world, address)
    else:
        person = params.first("person", "to_person", "from_person")
        relation = params.first("relation", "to_relation", "from_relation")
        rows = people(world, person, relation)
    if not rows:
        return Reply("You have no such contact.", [])
    fact = _fact(params.text("personal_info"))
    if fact is None:
        told = listing([row["name"] for row in rows[:_TOLD]])
        if len(rows) == 1:
            told = "; ".join(f"{_label(key)} {value}" for key, value in _known(rows[0]).items())
            return Reply(f"{rows[0]['name']}: {told}.", rows)
        return Reply(f"You have {len(rows)} such contacts, among them {told}.", rows)
    facts = [{"id": row["id"], "name": row["name"], fact: row[fact]} for row in rows]
    told = listing(
        [
            f"the {_label(fact)} of {row['name']} is {row[fact] or 'not known'}"
            for row in facts[:_TOLD]
        ]
    )
    return Reply(f"As far as I know, {told}.", facts)


ADDING: Final = (
    Ask(
        "Whom shall I add to your contacts?",
        ("person", "to_person", "relation", "to_relation", "email_address"),
        missing=("person",),
    ),
    # Several may be called so, or the one who is meant may be known already.
    Ask("Whom of them do you mean?", ("person",), when=Asked.MAYBE),
    Ask("What shall I note?", ("email_address",), unless=("personal_info",), when=Asked.MAYBE),
)
"""What `add_contact` asks back."""


def add_contact(world: World, params: Params) -> Reply:
    """Add a contact, or complete one with an address or a number."""
    person, relation = params.first("person", "to_person"), params.first("relation", "to_relation")
    given = params.text("email_address")
    facts: dict[str, str] = {}
    if given is not None:
        address = exact_address(given)
        if address is None:
            raise Refusal(f"'{given}' is not an email address.")
        facts["email"] = address
    number = _number(params.text("personal_info") or "")
    if number:
        facts[_fact(params.text("personal_info")) or "phone"] = number
    known = _completed(world, person, relation, facts)
    if len(known) > 1:
        return Reply.ask(f"Which {relation} do you mean?", "person")
    if not known:
        name = person or relation or facts["email"].partition("@")[0]
        return _new(world, name, relation, facts)
    if not facts and person is None:
        return Reply.ask(f"What shall I note about {known[0]['name']}?", "email_address")
    if facts.items() <= known[0].items():
        raise Refusal.conflict(f"{known[0]['name']} is among your contacts already.")
    row = world.change(CONTACTS, known[0]["id"], **facts)
    return Reply(f"I have updated {row['name']}.", [row])


def _completed(
    world: World, person: str | None, relation: str | None, facts: Mapping[str, str]
) -> list[Row]:
    """The contacts that a request adds to, rather than making a new one."""
    if person is None:
        return owners(world, facts["email"]) if relation is None else people(world, relation)
    same = [row for row in world.rows(CONTACTS) if same_name(row["name"], person)]
    if same or not facts or len(meanings(person)) > 1:
        return same
    # A first name with a fact completes the one contact who is called so.
    called = people(world, person, relation)
    return called if len(called) == 1 else []


def _new(world: World, name: str, relation: str | None, facts: Mapping[str, str]) -> Reply:
    kinship = split_relation(relation)[0] or relation if relation is not None else ""
    empty = dict.fromkeys(CONTACT_TABLE.columns, "")
    row = world.add(CONTACTS, **{**empty, "name": _proper(name), "relation": kinship, **facts})
    return Reply(f"{row['name']} is now among your contacts.", [row])


def _proper(name: str) -> str:
    """A name with capitals, as spoken ones come without."""
    return name.title() if name.islower() else name


def _fact(text: str | None) -> str | None:
    """The column that the user's words for a fact mean."""
    said = meanings((text or "").replace("e-mail", "email"))
    return next((column for column, names in _FACTS if names <= said), None)


def _number(text: str) -> str:
    """The telephone number in a text, digits or spoken digits, or the empty string."""
    tokens = re.findall(r"[a-z]+|\d+", text.casefold())
    digits = "".join(_DIGITS.get(token, token if token.isdigit() else "") for token in tokens)
    return digits if len(digits) >= _MIN_PHONE_DIGITS else ""


def _known(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value and key not in ("id", "name")}


def _label(column: str) -> str:
    return column.replace("_", " ")
