"""What agents may do with the domain servers, as tools of the Model Context Protocol.

Needs the extra `ossia[mcp]`, so only who asks for it imports this module.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ossia_servers.http.agents import AgentOperation, agent_operations
from ossia_servers.http.app import WORLD_HEADER
from ossia_servers.http.body import MAX_BODY
from ossia_servers.worlds.domain import Domain

__all__ = ["MCP_PATH", "McpTools"]

MCP_PATH: Final = "/mcp"
"""Where the tools are."""

_INSTRUCTIONS: Final = (
    "Simulated services over one world. Tools named read_... change nothing, tools named change_..."
    " do. A result with the code CLARIFICATION asks back."
)
_ONLY_POST: Final = Response(status_code=405, headers={"Allow": "POST"})


class McpTools:
    """An application with tools before it: each does what one operation for agents does."""

    def __init__(self, domains: Sequence[Domain], app: ASGIApp) -> None:
        """Stand before an application.

        Args:
            domains: What the tools are made of.
            app: Answers for the domains; is asked for what else comes, too.
        """
        self._app = app
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://ossia", trust_env=False
        )
        self._operations = {each.name: each for each in agent_operations(domains)}
        self._tools = [_tool(operation) for operation in self._operations.values()]
        server: Server[Any] = Server(
            "ossia",
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        self._manager = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            # The same bound as for a request's body, and room for what is about it.
            max_request_body_size=2 * MAX_BODY,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve tools while the block runs; once."""
        try:
            async with self._client, self._manager.run():
                yield
        except BaseExceptionGroup as group:
            # The SDK's group of tasks wraps what the block itself raised.
            if len(group.exceptions) > 1:
                raise
            raise group.exceptions[0] from None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"] != MCP_PATH:
            await self._app(scope, receive, send)
        elif scope["method"] == "POST":
            await self._manager.handle_request(scope, receive, send)
        else:
            # Without sessions there is nothing to end by DELETE, nor to tell by GET: the SDK would
            # hold its stream open for nothing.
            await _ONLY_POST(scope, receive, send)

    async def _list(
        self, context: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=self._tools)

    async def _call(
        self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        operation = self._operations.get(params.name)
        if operation is None:
            return _refused(f"There is no tool {params.name!a}.")
        given = params.arguments or {}
        if operation.needs and given.get("intent") not in list(operation.needs):
            # The server would do what a reading tool must not.
            named = ", ".join(operation.needs)
            return _refused(f"The tool {operation.name} takes one of these as intent: {named}.")
        try:
            body = orjson.dumps(given) if operation.needs else b""
        except TypeError:
            # Half a character, or an endless number.
            return _refused("The arguments hold what cannot be written as JSON again.")
        told = await self._client.request(
            # Reads come as a POST, too: what has no place in a query is refused there in words.
            "POST" if operation.needs else operation.method,
            operation.path,
            content=body,
            headers={
                WORLD_HEADER.encode(): _world(context),
                b"Content-Type": b"application/json",
            },
        )
        return _result(told.content, wrong=told.is_error)


def _tool(operation: AgentOperation) -> Tool:
    return Tool(
        name=operation.name,
        description=operation.description,
        input_schema=dict(operation.schema),
        annotations=ToolAnnotations(
            read_only_hint=not operation.writes,
            destructive_hint=operation.writes,
            open_world_hint=False,
        ),
    )


def _world(context: ServerRequestContext[Any, Any]) -> bytes:
    """Return what the header of the HTTP request names; empty without one."""
    named = context.request.headers.get(WORLD_HEADER, "") if context.request else ""
    return str(named).encode("latin-1")


def _refused(message: str) -> CallToolResult:
    return _result(orjson.dumps({"code": "BAD_REQUEST", "msg": message, "data": None}), wrong=True)


def _result(body: bytes, *, wrong: bool) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=body.decode("utf-8", "replace"))], is_error=wrong
    )
