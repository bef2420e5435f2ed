"""Two servers that share the worlds answer as one: real HTTP at both, one socket between them."""

import asyncio
import socket
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia_servers.app import build_app
from ossia_servers.body import MAX_BODY
from ossia_servers.catalogue import load_domains
from ossia_servers.serving import serve
from ossia_servers.sharding import ServerProcess
from ossia_servers.worlds import Shard, WorldStore

NEW = {"now": "2026-03-13T10:00", "home": "chicago"}
TAKEN = frozenset(name for name in "abcdefgh" if Shard(0, 2).holds(name))


@asynccontextmanager
async def pair(app_of=None):
    """Serve by two processes in one; yield a client for each, and the stores."""
    ends = socket.socketpair()
    stores = [WorldStore(load_domains(), shard=Shard(number, 2)) for number in (0, 1)]
    async with AsyncExitStack() as stack:
        clients = []
        joining = []
        for number, store in enumerate(stores):
            stack.callback(store.close)
            ends[number].setblocking(False)
            process = ServerProcess(Shard(number, 2), {1 - number: ends[number]})
            app = build_app(load_domains(), store) if app_of is None else app_of(number)
            joined = await stack.enter_async_context(process.joined(app))
            url = await stack.enter_async_context(serve(joined.app))
            client = httpx.AsyncClient(base_url=url, trust_env=False, timeout=30)
            clients.append(await stack.enter_async_context(client))
            joining.append(joined)
        await asyncio.gather(*(joined.all_up() for joined in joining))
        yield clients, stores, ends


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["make", "add", "query", "diff", "records", "delete", "clock"]),
        st.sampled_from("abcdefgh"),
        st.integers(0, 1),
    ),
    max_size=25,
)


async def do(client, step, name):
    world = {"X-Ossia-World": name}
    if step == "make":
        return await client.post("/worlds", json={"id": name, **NEW})
    if step == "add":
        params = {"intent": "lists_createoradd", "list_name": "trip", "item_name": "a tent"}
        return await client.post("/lists", params=params, headers=world)
    if step == "query":
        params = {"intent": "lists_query", "list_name": "trip"}
        return await client.get("/lists", params=params, headers=world)
    if step == "clock":
        return await client.get("/clock", headers=world)
    if step == "delete":
        return await client.delete(f"/worlds/{name}")
    part = "diff" if step == "diff" else "requests"
    return await client.get(f"/worlds/{name}/{part}")


@given(STEPS)
@settings(max_examples=30)
def test_whoever_is_asked_answers_as_one_server_alone(steps):
    async def play():
        whole = WorldStore(load_domains())
        async with (
            pair() as (clients, _, _),
            serve(build_app(load_domains(), whole)) as url,
            httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as alone,
        ):
            for step, name, asked in steps:
                shared = await do(clients[asked], step, name)
                single = await do(alone, step, name)
                assert (shared.status_code, shared.content) == (single.status_code, single.content)
                assert shared.headers["content-type"] == single.headers["content-type"]
        whole.close()

    asyncio.run(play())


def test_each_world_lies_where_it_belongs():
    async def play():
        async with pair() as (clients, stores, _):
            for name in "abcdefgh":
                await do(clients[0], "make", name)
            for number, store in enumerate(stores):
                for name in "abcdefgh":
                    held = (number == 0) == (name in TAKEN)
                    if held:
                        assert store.get(name).id == name
                    else:
                        with pytest.raises(LookupError):
                            store.get(name)

    assert TAKEN
    assert len(TAKEN) < 8
    asyncio.run(play())


def test_a_world_without_an_id_is_made_where_it_is_asked_for():
    async def play():
        async with pair() as (clients, _, _):
            made = [(await client.post("/worlds", json=NEW)).json()["id"] for client in clients]
            assert [name[:8] for name in made] == ["world-1-", "world-2-"]
            for client in clients:
                for name in made:
                    assert (await do(client, "clock", name)).json()["home"] == "chicago"

    asyncio.run(play())


def test_a_header_does_not_say_where_a_new_world_belongs():
    own = sorted(TAKEN)
    foreign = [name for name in "abcdefgh" if name not in TAKEN]

    async def play():
        async with pair() as (clients, _, _):
            for header, new in zip((own[0], foreign[0]), (foreign[1], own[1]), strict=True):
                world = {"X-Ossia-World": header}
                made = await clients[0].post("/worlds", json={"id": new, **NEW}, headers=world)
                assert made.status_code == 201
                for client in clients:
                    assert (await do(client, "clock", new)).status_code == 200

    asyncio.run(play())


def test_wrong_bodies_are_refused_as_ever():
    foreign = next(name for name in "abcdefgh" if name not in TAKEN)

    async def play():
        async with pair() as (clients, _, _):
            client = clients[0]
            client.headers["Content-Type"] = "application/json"
            for body, status in (
                (b"{", 400),
                (b"[]", 400),
                (b'{"id": 5}', 400),
                (b"x" * (MAX_BODY + 1), 413),
            ):
                assert (await client.post("/worlds", content=body)).status_code == status
            await do(client, "make", foreign)
            world = {"X-Ossia-World": foreign}
            large = await client.post("/lists", content=b"x" * (MAX_BODY + 1), headers=world)
            assert large.status_code == 413
            # No body belongs there, and one server alone does not read it.
            huge = b"x" * (MAX_BODY + 1)
            looked = await client.request("GET", "/clock", content=huge, headers=world)
            assert looked.status_code == 200

    asyncio.run(play())


def test_a_server_that_breaks_is_an_error_of_the_server(caplog):
    async def broken(scope, receive, send):
        if scope["type"] == "lifespan":
            return
        raise ZeroDivisionError

    async def play():
        async with pair(lambda number: broken) as (clients, _, _):
            foreign = next(name for name in "abcdefgh" if name not in TAKEN)
            own = min(TAKEN)
            answers = [await do(clients[0], "clock", name) for name in (foreign, own)]
            assert [each.status_code for each in answers] == [500, 500]
            assert answers[0].text == answers[1].text
            assert answers[0].headers["content-type"] == answers[1].headers["content-type"]

    asyncio.run(play())
    assert "ZeroDivisionError" in caplog.text


def test_a_lost_process_is_an_error_of_the_server():
    async def play():
        async with pair() as (clients, _, ends):
            ends[1].shutdown(socket.SHUT_RDWR)
            await asyncio.sleep(0.05)
            foreign = next(name for name in "abcdefgh" if name not in TAKEN)
            answer = await do(clients[0], "clock", foreign)
            assert answer.status_code == 503
            assert answer.json()["code"] == "UNAVAILABLE"
            own = await do(clients[0], "clock", min(TAKEN))
            assert own.status_code == 404

    asyncio.run(play())
