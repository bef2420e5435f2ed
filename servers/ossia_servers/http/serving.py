"""Serve an ASGI application inside the running asyncio loop, and stop it without leftovers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import uvicorn

from ossia_servers.http.connection import Limits, limited
from ossia_servers.http.guard import Told, guarded, hosts_of, plainly

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

# A client that reuses a pooled connection just as the server drops it sees a connection error,
# which would count against a framework; so idle connections stay open far longer than any pause.
_KEEP_ALIVE_SECONDS = 600

# Connections that wait to be accepted, as many as uvicorn lets wait.
_BACKLOG = 2048

# Answers that are already being made may leave before the connections are cut.
_GRACE_SECONDS = 0.1


@asynccontextmanager
async def serve(
    app: AsgiApp,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    listener: socket.socket | None = None,
    told: Told = plainly,
    limits: Limits | None = None,
) -> AsyncIterator[str]:
    """Serve `app` while the block runs, to agents and not to web pages (see `guarded`).

    The server lives in the caller's loop, installs no signal handlers and writes no access log.
    On exit it stops at once: requests still being answered are cancelled after a tenth of a
    second, and open connections are cut.

    Args:
        app: Any ASGI application; its lifespan is run if it has one.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        listener: A socket from `listening` in place of the address; it is closed at the end.
        told: Writes what a request is told that is refused before the application sees it.
        limits: What is asked of connections; `Limits()` when left out.

    Yields:
        The base URL, such as `http://127.0.0.1:40123`.

    Raises:
        OSError: If the address cannot be listened on (a port in use, an unknown host).
        RuntimeError: If the application's own start-up fails.
    """
    if listener is None:
        listener = listening(host, port)
    address, port = listener.getsockname()[:2]
    guard = _StopGuard(guarded(app, hosts_of(address, port), told))
    server = uvicorn.Server(_config(guard, limits or Limits()))
    with ExitStack() as unstarted:
        unstarted.callback(listener.close)
        unstarted.callback(guard.stop)
        await _start(server, listener)
        unstarted.pop_all()
    try:
        yield _base_url(listener)
    finally:
        guard.stop()
        await _stop(server, listener)


def _config(app: AsgiApp, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=limited(limits),
        ws="none",
        lifespan="auto",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        date_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )


class _StopGuard:
    """Passes everything to an application, and ends what the stop cancels quietly."""

    def __init__(self, app: AsgiApp) -> None:
        self._stopping = False
        self._app = app

    def stop(self) -> None:
        """Take note that the server is being stopped."""
        self._stopping = True

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def told(message: Message) -> None:
            # Starlette reports a lifespan that is cancelled as a failed one, with its trace.
            if not (self._stopping and message["type"].endswith(".failed")):
                await send(message)

        try:
            await self._app(scope, receive, told if scope["type"] == "lifespan" else send)
        except asyncio.CancelledError:
            if not self._stopping:
                raise


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; who connects waits until it is served.

    Args:
        host: Address.
        port: Port; 0 takes a free one.

    Raises:
        OSError: The address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only on sockets that name their protocol; with it on,
    # an answer's body waits some 40 ms for the client to acknowledge the headers.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # At once: until then another process could bind the port, too.
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except (OSError, OverflowError) as error:
        listener.close()
        number = error.errno if isinstance(error, OSError) else None
        text = f"Cannot listen on {host} port {port}: {getattr(error, 'strerror', None) or error}."
        raise OSError(number, text) from error
    return listener


def _base_url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _start(server: uvicorn.Server, listener: socket.socket) -> None:
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    try:
        # `startup` and not `serve`: that takes the signals and polls for its end, which comes 0.2 s
        # later, with requests cancelled before their connections are cut.
        await server.startup(sockets=[listener])
    except SystemExit as error:
        raise RuntimeError("The application's start-up failed; see the log.") from error


async def _stop(server: uvicorn.Server, listener: socket.socket) -> None:
    state = server.server_state
    for asyncio_server in server.servers:
        asyncio_server.close()
    listener.close()
    for connection in list(state.connections):
        connection.shutdown()
    if state.tasks:
        await asyncio.wait(state.tasks, timeout=_GRACE_SECONDS)
    # Connections are cut before their tasks are cancelled, so no answer is attempted on them.
    for connection in list(state.connections):
        connection.transport.abort()
    await asyncio.sleep(0)
    for task in state.tasks:
        task.cancel()
    if state.tasks:
        await asyncio.wait(state.tasks)
    for asyncio_server in server.servers:
        await asyncio_server.wait_closed()
    await server.lifespan.shutdown()
