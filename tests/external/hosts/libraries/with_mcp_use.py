"""mcp-use: `path/to/server [its arguments]`."""

import asyncio
import sys

from mcp_use import MCPClient


async def main() -> None:
    client = MCPClient({"mcpServers": {"checked": {"command": sys.argv[1], "args": sys.argv[2:]}}})
    session = await client.create_session("checked")
    print(await session.call_tool("add", {"a": 2, "b": 40}))
    await client.close_all_sessions()


asyncio.run(main())
