"""The office has no servers and worlds of its own: all that holds for the others holds for it."""

import asyncio
import threading

import pytest
import schemathesis
from hypothesis import given

from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import serve
from ossia_servers.workbench import COMPAT_2024, office_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.world import World

from ..http.test_openapi import CHECKS, FUZZING

DOMAINS = office_domains(generated_database)
SEED = office_seed(1)


@pytest.fixture(scope="module")
def schema():
    """The description as the running servers give it."""
    ready, stop = threading.Event(), threading.Event()
    found = []

    async def run():
        store = WorldStore(DOMAINS)
        store.create("fuzzed", seed=SEED, now=NOW, home="x")
        async with serve(build_app(DOMAINS, store)) as url:
            found.append(url)
            ready.set()
            while not stop.is_set():
                await asyncio.sleep(0.05)
        store.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        assert ready.wait(30)
        yield schemathesis.openapi.from_url(f"{found[0]}/openapi.json")
    finally:
        stop.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("domain", [domain.name for domain in DOMAINS])
def test_a_toolkit_keeps_its_description(schema, domain):
    operations = [found.ok() for found in schema.include(path=f"/{domain}").get_all_operations()]
    assert {operation.method.upper() for operation in operations} == {"GET", "POST"}
    for operation in operations:

        @FUZZING
        @given(case=operation.as_strategy())
        def fuzz(case):
            case.headers["X-Ossia-World"] = "fuzzed"
            case.call_and_validate(checks=CHECKS)

        fuzz()


@pytest.mark.parametrize("compat", [None, COMPAT_2024])
def test_the_office_is_made_of_the_common_domains_and_worlds(compat):
    domains = office_domains(generated_database, compat)
    assert all(type(domain) is Domain for domain in domains)
    store = WorldStore(domains)
    world = store.create("a", seed=SEED, now=NOW, home="x")
    assert type(world) is World
    with world.transaction():
        world.remove("calendar.events", next(iter(world.rows("calendar.events")))["id"])
    assert [change.kind for change in world.diff().changes] == ["removed"]
    store.delete("a")
    assert not store.create("a", seed=SEED, now=NOW, home="x").diff()
