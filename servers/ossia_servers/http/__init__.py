"""Serving worlds over HTTP: for agents with a token, as OpenAPI and as MCP tools."""
