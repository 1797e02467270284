"""LangChain's adapter: `path/to/server [its arguments]`."""

import asyncio
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main() -> None:
    server = {"transport": "stdio", "command": sys.argv[1], "args": sys.argv[2:]}
    tools = await MultiServerMCPClient({"checked": server}).get_tools()
    (add,) = (tool for tool in tools if tool.name == "add")
    print(await add.ainvoke({"a": 2, "b": 40}))


asyncio.run(main())
