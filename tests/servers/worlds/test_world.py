"""A world: overlay, transactions and diff, against a plain copy of all rows as a model."""

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.worlds import WorldStore
from ossia_servers.worlds import store as store_module
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Match, Table

NOW = datetime(2026, 3, 13, 10)
DOMAIN = Domain(
    name="shop",
    description="A test domain.",
    fields=(),
    intents=(),
    tables=(
        Table("shop.things", "thing", {"name": Match.EXACT, "size": Match.NUMBER}),
        Table("shop.empty", "none", {"name": Match.EXACT}),
    ),
    seed=lambda context: {"shop.things": [{"name": n, "size": 1} for n in ("a", "b", "c")]},
)


def new_world(store, name="w"):
    return store.create(name, seed="home", now=NOW, home="New York, New York")


operations = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.text(max_size=5), st.integers(0, 3)),
        st.tuples(st.just("change"), st.integers(0, 9), st.integers(0, 3)),
        st.tuples(st.just("remove"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("abort"), st.text(max_size=5), st.just(0)),
    ),
    max_size=25,
)


def apply(store, world, model, operation):
    kind, what, size = operation
    rows = world.rows("shop.things")
    with world.transaction() as touched:
        if kind == "add":
            row = world.add("shop.things", name=what, size=size)
            model[row["id"]] = dict(row)
        elif kind in ("change", "remove") and rows:
            row_id = rows[what % len(rows)]["id"]
            if kind == "change":
                model[row_id] = dict(world.change("shop.things", row_id, size=size))
            else:
                world.remove("shop.things", row_id)
                del model[row_id]
    store.commit(world, touched.after, b"{}")


@given(operations)
def test_a_world_is_its_rows_and_its_diff_leads_there(plan):
    store = WorldStore([DOMAIN])
    world = new_world(store)
    start = {row["id"]: dict(row) for row in world.rows("shop.things")}
    model = dict(start)
    for operation in plan:
        if operation[0] == "abort":
            with pytest.raises(ZeroDivisionError), world.transaction():
                world.add("shop.things", name=operation[1], size=0)
                _ = 1 / 0
        else:
            apply(store, world, model, operation)
    assert {row["id"]: dict(row) for row in world.rows("shop.things")} == model
    replayed = dict(start)
    for change in world.diff().changes:
        assert replayed.get(change.id) == change.before
        replayed.pop(change.id, None)
        if change.after is not None:
            replayed[change.id] = change.after
    assert replayed == model
    store.close()


@given(operations)
def test_a_world_comes_back_from_its_file(tmp_path_factory, plan):
    path = tmp_path_factory.mktemp("worlds") / "w.sqlite"
    store = WorldStore([DOMAIN], path)
    world, model = new_world(store), {}
    with world.transaction() as touched:
        world.remove("shop.things", "thing-2")
    store.commit(world, touched.after, b'{"n": 0}')
    store.rebase(world)
    for operation in plan:
        if operation[0] != "abort":
            apply(
                store,
                world,
                model | {r["id"]: dict(r) for r in world.rows("shop.things")},
                operation,
            )
    rows, diff, records = world.rows("shop.things"), world.diff(), store.records("w")
    store.close()
    again = WorldStore([DOMAIN], path)
    back = again.get("w")
    assert back.rows("shop.things") == rows
    assert back.diff() == diff
    assert again.records("w") == records
    added = None
    with back.transaction():
        added = back.add("shop.things", name="new", size=1)
    assert added["id"] not in {row["id"] for row in rows}
    again.close()


def test_changes_need_a_transaction_and_declared_columns():
    world = new_world(WorldStore([DOMAIN]))
    with pytest.raises(RuntimeError, match="inside a transaction"):
        world.add("shop.things", name="x", size=1)
    with world.transaction(), pytest.raises(TypeError, match="exactly the columns"):
        world.add("shop.things", name="x")
    with world.transaction(), pytest.raises(KeyError):
        world.change("shop.things", "thing-9", name="x")


def test_a_taken_id_is_refused_and_a_free_one_cannot_be_guessed():
    store = WorldStore([DOMAIN])
    new_world(store, "world-1")
    with pytest.raises(ValueError, match="already exists"):
        new_world(store, "world-1")
    free = [store.free_id() for _ in range(100)]
    assert len(set(free)) == 100
    assert all(len(name) > len("world-") + 20 for name in free)


def test_a_deleted_world_is_gone_with_its_requests():
    from ossia_servers.worlds import UnknownWorld

    store = WorldStore([DOMAIN])
    new_world(store)
    store.delete("w")
    with pytest.raises(UnknownWorld):
        store.records("w")
    new_world(store)
    assert store.records("w") == []


def test_start_states_are_kept_for_a_limited_number_of_clocks(monkeypatch):
    built = []
    monkeypatch.setattr(store_module, "STARTS_KEPT", 2)
    domain = replace(DOMAIN, seed=lambda context: built.append(context.now) or {})
    store = WorldStore([domain])

    def create(day):
        world = f"w{len(built)}-{day}-{store.free_id()}"
        return store.create(world, seed="home", now=NOW.replace(day=day), home="New York, New York")

    first = create(1)
    create(1), create(2), create(3), create(2)
    assert [now.day for now in built] == [1, 2, 3]
    create(1)
    assert [now.day for now in built] == [1, 2, 3, 1]
    assert first.now.day == 1, "a world keeps the start that it has"


def test_no_other_user_reads_the_ids_of_worlds(tmp_path):
    path = tmp_path / "worlds.sqlite"
    store = WorldStore([], path)
    store.create(store.free_id(), seed="home", now=NOW, home="Paris")
    try:
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    finally:
        store.close()
    assert set(modes) >= {"worlds.sqlite", "worlds.sqlite-wal"}
    assert set(modes.values()) == {0o600}
