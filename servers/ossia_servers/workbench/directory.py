"""The company directory: addresses of the colleagues."""

from __future__ import annotations

from ossia_servers.workbench.forms import SEARCH
from ossia_servers.workbench.patterns import read_pattern
from ossia_servers.workbench.tool import Given, Parameter, Tool, Toolkit, bad
from ossia_servers.worlds.schema import Match, Reply, Table
from ossia_servers.worlds.world import World

PEOPLE = Table("company_directory.people", "person", {"email_address": Match.LOWER})


def find_email_address(world: World, given: Given) -> Reply:
    """Every address that holds the name: none, one or several."""
    name = given.get("name", "")
    if not name:
        raise bad("Name not provided.")
    wanted = read_pattern(name.lower(), ignore_case=False)
    found = [row["email_address"] for row in world.rows(PEOPLE.name)]
    found = [address for address in found if wanted.found_in(address)]
    return Reply(f"{len(found)} addresses found.", found)


def directory_toolkit() -> Toolkit:
    """Return the directory."""
    tools = (
        Tool(
            "find_email_address",
            "Tells every address that holds a name.",
            (Parameter("name", "first or last name of a colleague", SEARCH),),
            find_email_address,
            needed=("name",),
        ),
    )
    return Toolkit("company_directory", "Addresses of the colleagues.", tools, (PEOPLE,))
