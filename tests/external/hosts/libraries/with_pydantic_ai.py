"""Pydantic AI: `path/to/server [its arguments]`."""

import asyncio
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai.mcp import MCPToolset


async def main() -> None:
    async with MCPToolset(StdioTransport(sys.argv[1], sys.argv[2:])) as server:
        names = [tool.name for tool in await server.list_tools()]
        assert "add" in names, names
        print(await server.direct_call_tool("add", {"a": 2, "b": 40}))


asyncio.run(main())
