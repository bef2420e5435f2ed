"""Customer relationship management: customers, their status and who cares for them."""

from __future__ import annotations

from collections.abc import Mapping

from ossia_servers.domain import Match, Refusal, Reply, Row, Table
from ossia_servers.workbench.extras import Invented, extras_table
from ossia_servers.workbench.forms import ADDRESS, DAY, SEARCH, TEXT, Form, digits, one_of, usually
from ossia_servers.workbench.texts import holds, pattern
from ossia_servers.workbench.tool import (
    Given,
    Parameter,
    Tool,
    Toolkit,
    bad,
    find,
    next_id,
    visible,
)
from ossia_servers.worlds.state import World

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
_ID = Parameter("customer_id", "8-digit id of the customer", digits(8))
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


def search(world: World, given: Given) -> Reply:
    """Customers whose columns hold the patterns and whose dates lie in the bounds."""
    bounds = [f"{name}_{end}" for name in _DATED for end in ("min", "max")]
    if not any(given.get(name) for name in (*_CONTAINED, *bounds)):
        raise bad("No search parameters provided. Please provide at least one parameter.")
    wanted = {name: pattern(text) for name in _CONTAINED if (text := given.get(name))}
    found = []
    for row in world.rows(CUSTOMERS.name):
        if not all(holds(item, row[name]) for name, item in wanted.items()):
            continue
        if all(_within(row[name], given, name) for name in _DATED):
            found.append(visible(row))
            if len(found) == SHOWN:
                break
    return Reply(f"{len(found)} customers found.", found)


def _within(value: object, given: Given, name: str) -> bool:
    first, last = given.get(f"{name}_min"), given.get(f"{name}_max")
    if not first and not last:
        return True
    # Dates are in one notation, so that they compare as texts; a customer without one is left out.
    return isinstance(value, str) and (not first or value >= first) and (not last or value <= last)


def add(world: World, given: Given) -> Reply:
    """Add a customer; only name, colleague and status are needed."""
    if not all(given.get(name) for name in ("customer_name", "assigned_to_email", "status")):
        raise bad("Please provide all required fields: customer_name, assigned_to_email, status.")
    values = {name: given.get(name) for name in _NEW}
    values["notes"] = given.get("notes", "")
    values["assigned_to_email"] = given["assigned_to_email"].lower()
    if values["customer_email"]:
        values["customer_email"] = values["customer_email"].lower()
    customer_id = next_id(world, CUSTOMERS.name, "customer_id", 8)
    world.add(CUSTOMERS.name, customer_id=customer_id, **values)
    return Reply(f"Customer {customer_id} added.", customer_id)


def delete(world: World, given: Given) -> Reply:
    """Remove a customer."""
    customer_id = given.get("customer_id")
    if not customer_id:
        raise bad("Customer ID not provided.")
    world.remove(CUSTOMERS.name, _customer(world, customer_id)["id"])
    return Reply("Customer deleted successfully.")


def _customer(world: World, customer_id: str) -> Row:
    row = find(world, CUSTOMERS.name, "customer_id", customer_id)
    if row is None:
        raise Refusal.not_found("Customer not found.")
    return row


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def customers_toolkit(invented: Invented) -> Toolkit:
    """Return the customer relationship management.

    Args:
        invented: what an update does with a field that customers do not have.
    """

    def update(world: World, given: Given) -> Reply:
        customer_id, field, value = (given.get(n) for n in ("customer_id", "field", "new_value"))
        if not customer_id or not field or not value:
            raise bad("Customer ID, field, or new value not provided.")
        # Published order: status and product are checked before the id.
        if field == "status" and value not in STATUSES:
            raise bad(f"Status not valid. Please choose from: {_quoted(STATUSES)}")
        if field == "product_interest" and value not in PRODUCTS:
            raise bad(f"Product interest not valid. Please choose from: {_quoted(PRODUCTS)}")
        if field in ("customer_email", "assigned_to_email"):
            value = value.lower()
        row = _customer(world, customer_id)
        if field in visible(row):
            world.change(CUSTOMERS.name, row["id"], **{field: value})
        else:
            invented(world, row, field, value)
        return Reply("Customer updated successfully.")

    bounds = tuple(
        Parameter(f"{name}_{end}", f"{said} {name}, YYYY-MM-DD", DAY)
        for name in _DATED
        for end, said in (("min", "earliest"), ("max", "latest"))
    )
    tools = (
        Tool(
            "search_customers",
            "Finds customers by parts of their fields; tells the first 5.",
            (*(Parameter(name, _DESCRIBED[name], SEARCH) for name in _CONTAINED), *bounds),
            search,
        ),
        Tool(
            "update_customer",
            "Changes one field of a customer.",
            (
                _ID,
                Parameter(
                    "field",
                    "customer_id, " + ", ".join(_DESCRIBED),
                    one_of(tuple(CUSTOMERS.columns)),
                ),
                Parameter("new_value", "the field's new value"),
            ),
            update,
            writes=True,
            needed=("customer_id", "field", "new_value"),
        ),
        Tool(
            "add_customer",
            "Adds a customer and tells the id.",
            tuple(Parameter(name, _DESCRIBED[name], _FORMS.get(name, TEXT)) for name in _NEW),
            add,
            writes=True,
            needed=("customer_name", "assigned_to_email", "status"),
        ),
        Tool(
            "delete_customer",
            "Deletes a customer.",
            (_ID,),
            delete,
            writes=True,
            needed=("customer_id",),
        ),
    )
    return Toolkit(
        "customer_relationship_manager", "The company's customers.", tools, (CUSTOMERS, EXTRAS)
    )
