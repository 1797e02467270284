"""LlamaIndex's tools of MCP servers: `path/to/server [its arguments]`."""

import asyncio
import sys

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


async def main() -> None:
    client = BasicMCPClient(sys.argv[1], args=sys.argv[2:])
    tools = await McpToolSpec(client=client).to_tool_list_async()
    (add,) = (tool for tool in tools if tool.metadata.name == "add")
    print(await add.acall(a=2, b=40))


asyncio.run(main())
