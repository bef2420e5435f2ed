"""The people the user knows: seed rows, and who is meant by a name or a relation.

The table belongs to the email domain; phone, calendar and social look people up in it, because
they are the same people of the same world.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ossia_servers.worlds.lookup import find, meanings, split_items
from ossia_servers.worlds.schema import Match, Row, Table
from ossia_servers.worlds.world import World

CONTACTS: Final = "email.contacts"

CONTACT_TABLE: Final = Table(
    CONTACTS,
    "contact",
    {
        "name": Match.CASEFOLD,
        "relation": Match.CASEFOLD,
        "email": Match.CASEFOLD,
        "work_email": Match.CASEFOLD,
        "phone": Match.NUMBER,
        "home_phone": Match.NUMBER,
        "work_phone": Match.NUMBER,
        "address": Match.CASEFOLD,
        "birthday": Match.CASEFOLD,
        "company": Match.CASEFOLD,
    },
)

ME: Final = "me"
"""The relation of the user's own row."""

_ALIASES: Final[Mapping[str, str]] = {
    "mother": "mother mom mum mommy mummy mama",
    "father": "father dad daddy papa",
    "partner": "partner husband wife spouse girlfriend boyfriend fiance fiancee",
    "sister": "sister sis",
    "brother": "brother bro",
    "grandmother": "grandmother grandma granny nana",
    "mother in law": "mother-in-law",
    "aunt": "aunt auntie aunty",
    "uncle": "uncle",
    "cousin": "cousin",
    "boss": "boss manager supervisor chief",
    "colleague": "colleague coworker co-worker workmate",
    "friend": "friend buddy",
    "doctor": "doctor physician",
    "dentist": "dentist",
    "landlord": "landlord landlady",
    "neighbor": "neighbor neighbour",
    "accountant": "accountant",
    "daughter": "daughter",
    "son": "son",
    "teacher": "teacher",
    "client": "client customer",
    "plumber": "plumber",
    ME: "me myself i mine",
}

_GROUPS: Final[Mapping[str, frozenset[str]]] = {
    "family": frozenset(
        "mother father partner daughter son sister brother grandmother aunt uncle cousin".split()
    ),
    "parents": frozenset({"mother", "father"}),
    "kids": frozenset({"daughter", "son"}),
    "children": frozenset({"daughter", "son"}),
    "friends": frozenset({"friend"}),
    "colleagues": frozenset({"colleague"}),
    "coworkers": frozenset({"colleague"}),
    "team": frozenset({"colleague"}),
    "clients": frozenset({"client"}),
    "neighbors": frozenset({"neighbor"}),
    "work": frozenset({"colleague", "boss", "client"}),
    "office": frozenset({"colleague", "boss"}),
}

_RELATIONS: Final = sorted(
    [
        *((alias, relation) for relation, text in _ALIASES.items() for alias in text.split()),
        ("mother in law", "mother in law"),
    ],
    # Longer first, so that "mother in law" is not read as "mother".
    key=lambda pair: -len(pair[0]),
)
_NAMED_RELATIONS: Final = tuple(
    (re.compile(rf"\b{re.escape(alias)}\b(?:'s\b)?"), relation) for alias, relation in _RELATIONS
)

_PEOPLE: Final = (
    ("Robin Hayes", ME, "214 Willow Street, Apartment 5", "October 9", "Bluestone Design"),
    ("Linda Hayes", "mother", "88 Orchard Lane, Albany", "May 22", ""),
    ("George Hayes", "father", "88 Orchard Lane, Albany", "January 30", ""),
    ("Sam Reyes", "partner", "214 Willow Street, Apartment 5", "June 14", "City Hospital"),
    ("Megan Hayes", "sister", "17 Harbor View, Boston", "August 3", "Harbor Books"),
    ("Peter Hayes", "brother", "1420 Mesa Drive, Denver", "December 11", "Summit Solar"),
    ("Rose Hayes", "grandmother", "3 Maple Court, Albany", "April 1", ""),
    ("Carol Reyes", "mother in law", "59 Bay Road, Tampa", "July 19", ""),
    ("Ruth Palmer", "aunt", "7 Chapel Hill, Portland", "November 2", ""),
    ("Frank Palmer", "uncle", "7 Chapel Hill, Portland", "September 27", ""),
    ("Nina Palmer", "cousin", "630 Pine Street, Seattle", "February 8", "Fjord Coffee"),
    ("Michael Chen", "boss", "", "March 17", "Bluestone Design"),
    ("John Smith", "colleague", "", "", "Bluestone Design"),
    ("Alice Novak", "colleague", "", "May 5", "Bluestone Design"),
    ("Sarah Johnson", "friend", "41 King Street, Brooklyn", "July 2", "Metro Radio"),
    ("Tom Baker", "friend", "902 Elm Avenue, Chicago", "October 23", "Baker and Sons"),
    ("David Okafor", "friend", "12 Station Road, Newark", "April 18", "Okafor Law"),
    ("Emma Larsen", "friend", "", "January 6", "North Gallery"),
    ("Priya Patel", "dentist", "300 Main Street, Suite 2", "", "Patel Dental"),
    ("Henry Walsh", "doctor", "310 Main Street", "", "Walsh Family Practice"),
    ("Victor Stone", "landlord", "1 Stone Plaza", "", "Stone Properties"),
    ("Nancy Wright", "neighbor", "214 Willow Street, Apartment 6", "", ""),
    ("Jane Doe", "client", "", "", "Acme Supplies"),
    ("Omar Haddad", "accountant", "77 Market Street", "", "Haddad Tax"),
    ("Mia Hayes", "daughter", "214 Willow Street, Apartment 5", "September 5", ""),
    ("Leo Hayes", "son", "214 Willow Street, Apartment 5", "February 20", ""),
    ("Laura Bennett", "colleague", "", "", "Bluestone Design"),
    ("James Carter", "colleague", "", "November 14", "Bluestone Design"),
    ("Anna Rossi", "friend", "25 Garden Street, Hoboken", "March 29", "Rossi Bakery"),
    ("Mike Turner", "friend", "808 Lake Road, Buffalo", "June 30", "Metro Gym"),
    ("Emily Clark", "teacher", "", "", "Park School"),
    ("Chris Lindgren", "client", "", "", "Lindgren Furniture"),
)


def seed_contacts() -> Sequence[Row]:
    """Return the contacts of the start state, without ids."""
    return [_person(number, *facts) for number, facts in enumerate(_PEOPLE, start=10)]


def _person(
    number: int, name: str, relation: str, address: str, birthday: str, company: str
) -> Row:
    first, last = name.casefold().split()
    domain = f"{company.casefold().replace(' ', '')}.example"
    home = address and relation not in ("dentist", "doctor", "landlord", "accountant")
    return {
        "name": name,
        "relation": relation,
        "email": f"{first}.{last}@mail.example",
        "work_email": f"{first}@{domain}" if company else "",
        # Numbers of 555-01xx belong to nobody.
        "phone": f"212-555-01{number}",
        "home_phone": f"518-555-01{number}" if home else "",
        "work_phone": f"646-555-01{number}" if company else "",
        "address": address,
        "birthday": birthday,
        "company": company,
    }


@lru_cache(maxsize=4096)
def split_relation(text: str) -> tuple[str, str]:
    """Return the relation that a text names, or "", and the words that are left.

    "my aunt ruth" gives `("aunt", "ruth")`, "tom" gives `("", "tom")`.
    """
    flat = " ".join(re.sub(r"[^\w\s@.'-]", " ", text.casefold()).split())
    flat = re.sub(r"^(?:my|our|the)\s+", "", flat)
    flat = flat.replace("mother-in-law", "mother in law").replace("co worker", "coworker")
    for named, relation in _NAMED_RELATIONS:
        left, found = named.subn(" ", flat, count=1)
        if found:
            return relation, " ".join(left.split())
    return "", flat


def group(world: World, text: str) -> list[Row] | None:
    """Return the members of a group such as "my family", or None where the text names no group."""
    relations = _GROUPS.get(" ".join(word for word in text.casefold().split() if word not in _MY))
    if relations is None:
        return None
    return [row for row in world.rows(CONTACTS) if row["relation"] in relations]


def people(world: World, *texts: str | None) -> list[Row]:
    """Return the contacts that all of some texts mean.

    Args:
        world: where the contacts are.
        texts: names, relations or both in one ("aunt ruth"), the surest first; None says nothing.
            Where they contradict one another, the first counts.

    Returns:
        The rows in the table's order; all contacts where nothing is said.
    """
    said = [text for text in texts if text is not None]
    rows = world.rows(CONTACTS)
    if not said:
        return rows
    meant = [{row["id"] for row in _meant(world, text)} for text in said]
    chosen = set.intersection(*meant) or meant[0]
    return [row for row in rows if row["id"] in chosen]


def _meant(world: World, text: str) -> list[Row]:
    members = group(world, text)
    if members is not None:
        return members
    everyone = world.rows(CONTACTS)
    relation, rest = split_relation(text)
    if not relation:
        return find(everyone, rest, "name")
    related = [row for row in everyone if row["relation"] == relation]
    if not meanings(rest):
        return related
    return find(related, rest, "name") or find(everyone, rest, "name")


@dataclass(frozen=True, slots=True)
class Recipients:
    """Who a message goes to."""

    found: tuple[Row, ...]
    unknown: tuple[str, ...]
    """What the user called people who are no contacts."""
    unclear: tuple[str, ...]
    """What fits more than one contact."""


def recipients(world: World, person: str | None, relation: str | None) -> Recipients:
    """Return who is meant by the receiver of a message; several may be listed."""
    if person is not None and relation is not None:
        together = people(world, person, relation)
        if len(together) == 1:
            return Recipients(tuple(together), (), ())
    found: dict[str, Row] = {}
    unknown: list[str] = []
    unclear: list[str] = []
    for text in split_items(person or relation or ""):
        rows = people(world, text)
        if not rows:
            unknown.append(text)
        elif len(rows) > 1 and group(world, text) is None:
            unclear.append(text)
        else:
            found.update({row["id"]: row for row in rows})
    return Recipients(tuple(found.values()), tuple(unknown), tuple(unclear))


_MY: Final = frozenset({"my", "our", "the", "whole", "entire", "all"})
