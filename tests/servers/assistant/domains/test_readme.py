"""The example of the README is a domain that works."""

import re
from datetime import datetime
from pathlib import Path

from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import execute

README = Path(__file__).parents[4] / "servers" / "README.md"


def example() -> Domain:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, str(README), "exec"), names)
    domain = names["DOMAIN"]
    assert isinstance(domain, Domain)
    return domain


def test_the_example_remembers_asks_back_and_refuses() -> None:
    domain = example()
    store = WorldStore([domain])
    world = store.create("w", seed="home", now=datetime(2026, 3, 13, 10, 0), home="Dallas, Texas")

    def code(**params: str) -> str:
        return execute(store, world, domain, params).record.code

    assert code(intent="parking_query") == "SUCCESS"
    assert code(intent="parking_set") == "CLARIFICATION"
    assert code(intent="parking_query", date="2026-03-12") == "NOT_FOUND"
    assert not world.diff()
    assert code(intent="parking_set", spot_name="level two") == "SUCCESS"
    found = execute(store, world, domain, {"intent": "parking_query", "date": "2026-03-13"})
    assert found.record.result == [{"id": "spot-2", "spot": "level two", "date": "2026-03-13"}]
