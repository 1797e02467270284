"""OpenAI's Agents SDK: `path/to/server [its arguments]`."""

import asyncio
import sys

from agents.mcp import MCPServerStdio


async def main() -> None:
    async with MCPServerStdio(params={"command": sys.argv[1], "args": sys.argv[2:]}) as server:
        names = [tool.name for tool in await server.list_tools()]
        assert "add" in names, names
        print(await server.call_tool("add", {"a": 2, "b": 40}))


asyncio.run(main())
