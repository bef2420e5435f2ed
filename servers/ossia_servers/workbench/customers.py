"""Customer relationship management: customers, their status and who cares for them."""

from __future__ import annotations

from collections.abc import Mapping

from ossia_servers.workbench.extras import Invented, extras_table
from ossia_servers.workbench.forms import ADDRESS, DAY, SEARCH, TEXT, Form, digits, usually
from ossia_servers.workbench.patterns import read_pattern
from ossia_servers.workbench.records import Records, choices, within
from ossia_servers.workbench.tool import Given, Parameter, Tool, Toolkit, bad
from ossia_servers.worlds.schema import Match, Reply, Row, Table
from ossia_servers.worlds.world import World

CUSTOMERS = Table(
    "customer_relationship_manager.customers",
    "customer",
    {
        "customer_id": Match.IGNORABLE,
        "assigned_to_email": Match.LOWER,
        "customer_name": Match.LOWER,
        "customer_email": Match.LOWER,
        "customer_phone": Match.LOWER,
        "last_contact_date": Match.LOWER,
        "product_interest": Match.LOWER,
        "status": Match.EXACT,
        "follow_up_by": Match.LOWER,
        "notes": Match.LOWER,
    },
)
EXTRAS = extras_table("customer_relationship_manager.extras")
SHOWN = 5
"""Most customers of one search."""

STATUSES = ("Qualified", "Won", "Lost", "Lead", "Proposal")
PRODUCTS = ("Software", "Hardware", "Services", "Consulting", "Training")

_CONTAINED = (
    "customer_name",
    "customer_email",
    "product_interest",
    "status",
    "assigned_to_email",
)
_DATED = ("last_contact_date", "follow_up_by")
_ADDRESSES = ("customer_email", "assigned_to_email")
_NEEDED = ("customer_name", "assigned_to_email", "status")
_NEW = (
    "customer_name",
    "assigned_to_email",
    "status",
    "customer_email",
    "customer_phone",
    "last_contact_date",
    "product_interest",
    "notes",
    "follow_up_by",
)
_DESCRIBED = {
    "customer_name": "name of the customer",
    "customer_email": "address of the customer",
    "customer_phone": "telephone number of the customer",
    "product_interest": "one of: " + ", ".join(PRODUCTS),
    "status": "one of: " + ", ".join(STATUSES),
    "assigned_to_email": "address of the colleague who cares for the customer",
    "last_contact_date": "day of the last contact, YYYY-MM-DD",
    "follow_up_by": "day by which to follow up, YYYY-MM-DD",
    "notes": "notes about the customer",
}
_FORMS: Mapping[str, Form] = {
    "customer_email": ADDRESS,
    "product_interest": usually(PRODUCTS),
    "status": usually(STATUSES),
    "assigned_to_email": ADDRESS,
    "last_contact_date": DAY,
    "follow_up_by": DAY,
}
"""Of a new customer only presence is checked, as published."""

_BOUNDS = tuple(
    Parameter(f"{name}_{end}", f"{said} {name}, YYYY-MM-DD", DAY)
    for name in _DATED
    for end, said in (("min", "earliest"), ("max", "latest"))
)
_SOUGHT = (*(Parameter(name, _DESCRIBED[name], SEARCH) for name in _CONTAINED), *_BOUNDS)
RECORDS = Records(
    CUSTOMERS,
    "customer",
    "a customer",
    Parameter("customer_id", "8-digit id of the customer", digits(8)),
    fields="customer_id, " + ", ".join(_DESCRIBED),
    extras=EXTRAS,
)


def search(world: World, given: Given) -> Reply:
    """Customers whose columns hold the patterns and whose dates lie in the bounds."""
    if not any(given.get(parameter.name) for parameter in _SOUGHT):
        raise bad("No search parameters provided. Please provide at least one parameter.")
    wanted = {
        name: read_pattern(text, ignore_case=True)
        for name in _CONTAINED
        if (text := given.get(name))
    }

    def keep(row: Row) -> bool:
        return all(item.found_in(row[name]) for name, item in wanted.items()) and all(
            # Dates are in one notation, so that they compare as texts.
            within(row[name], given.get(f"{name}_min"), given.get(f"{name}_max"))
            for name in _DATED
        )

    found = RECORDS.search(world, keep, SHOWN)
    return Reply(f"{len(found)} customers found.", found)


def add(world: World, given: Given) -> Reply:
    """Add a customer; only name, colleague and status are needed."""
    if not all(given.get(name) for name in _NEEDED):
        raise bad(f"Please provide all required fields: {', '.join(_NEEDED)}.")
    values = {name: given.get(name) for name in _NEW}
    values["notes"] = given.get("notes", "")
    values |= {name: text.lower() for name in _ADDRESSES if (text := values[name])}
    customer_id = RECORDS.add(world, values)
    return Reply(f"Customer {customer_id} added.", customer_id)


def _stored(world: World, field: str, value: str) -> str:
    """Return what a field becomes; refuse a status and a product that there is not."""
    if field == "status" and value not in STATUSES:
        raise bad(f"Status not valid. Please choose from: {choices(STATUSES)}")
    if field == "product_interest" and value not in PRODUCTS:
        raise bad(f"Product interest not valid. Please choose from: {choices(PRODUCTS)}")
    return value.lower() if field in _ADDRESSES else value


SEARCH_CUSTOMERS = Tool(
    "search_customers",
    "Finds customers by parts of their fields; tells the first 5.",
    _SOUGHT,
    search,
)
ADD_CUSTOMER = Tool(
    "add_customer",
    "Adds a customer and tells the id.",
    tuple(Parameter(name, _DESCRIBED[name], _FORMS.get(name, TEXT)) for name in _NEW),
    add,
    writes=True,
    needed=_NEEDED,
)


def customers_toolkit(invented: Invented) -> Toolkit:
    """Return the customer relationship management.

    Args:
        invented: what an update does with a field that customers do not have.
    """
    tools = (
        SEARCH_CUSTOMERS,
        RECORDS.update(_stored, invented),
        ADD_CUSTOMER,
        RECORDS.delete(),
    )
    return Toolkit(
        "customer_relationship_manager", "The company's customers.", tools, (CUSTOMERS, EXTRAS)
    )
