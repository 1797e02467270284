#!/usr/bin/env python3
"""The official Python SDK of the first generation, which opens with `initialize` and knows nothing else."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp.types as types
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

sys.path.insert(0, str(Path(__file__).parents[1]))
from conversation import Operations, Progress, Session, converse  # noqa: E402


def _wire(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class First(Operations):
    era = "initialize"

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self._session.list_tools()).tools]

    async def call(self, tool: str, arguments: dict[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        async def tell(value: float, total: float | None, _: str | None) -> None:
            if progress is not None:
                progress(value, total)

        callback = None if progress is None else tell
        return _wire(await self._session.call_tool(tool, arguments, progress_callback=callback))

    async def resources(self) -> list[str]:
        return [str(resource.uri) for resource in (await self._session.list_resources()).resources]

    async def templates(self) -> list[str]:
        return [t.uriTemplate for t in (await self._session.list_resource_templates()).resourceTemplates]

    async def read(self, uri: str) -> list[dict[str, Any]]:
        return _wire(await self._session.read_resource(AnyUrl(uri)))["contents"]

    async def prompts(self) -> list[str]:
        return [prompt.name for prompt in (await self._session.list_prompts()).prompts]

    async def prompt(self, name: str, arguments: dict[str, str]) -> list[dict[str, Any]]:
        return _wire(await self._session.get_prompt(name, arguments))["messages"]

    async def complete(
        self, kind: str, name: str, argument: dict[str, str], context: dict[str, str] | None
    ) -> list[str]:
        reference: types.PromptReference | types.ResourceTemplateReference
        if kind == "prompt":
            reference = types.PromptReference(type="ref/prompt", name=name)
        else:
            reference = types.ResourceTemplateReference(type="ref/resource", uri=name)
        return (await self._session.complete(reference, argument, context)).completion.values

    @asynccontextmanager
    async def watching(self, uri: str | None) -> AsyncIterator[None]:
        if uri is not None:
            await self._session.subscribe_resource(AnyUrl(uri))
        yield

    async def cancelled_call(self, tool: str, arguments: dict[str, Any]) -> None:
        """The SDK sends no cancellation by itself, so this client names the request, whose id counts up from 0."""
        scope, begun = anyio.CancelScope(), anyio.Event()
        request = self._session._request_id

        async def calling() -> None:
            with scope:
                await self.call(tool, arguments, lambda *_: begun.set())
                raise AssertionError("the call was answered before it was cancelled")

        async with anyio.create_task_group() as group:
            group.start_soon(calling)
            await begun.wait()
            params = types.CancelledNotificationParams(requestId=request)
            await self._session.send_notification(
                types.ClientNotification(types.CancelledNotification(params=params))
            )
            scope.cancel()

    def error_code(self, error: Exception) -> int | None:
        return error.error.code if isinstance(error, McpError) else None


@asynccontextmanager
async def connect(session: Session, server: list[str] | str) -> AsyncIterator[First]:
    async def answer(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult.model_validate(session.answer(params.message))

    async def notified(message: Any) -> None:
        if isinstance(message, Exception):
            raise message
        if isinstance(message, types.ServerNotification):
            sent = _wire(message)
            session.notified(sent["method"], (sent.get("params") or {}).get("uri"))

    if isinstance(server, str):
        transport: Any = streamable_http_client(server)
    else:
        transport = stdio_client(StdioServerParameters(command=server[0], args=server[1:]))
    async with transport as (read, write, *_):
        async with ClientSession(read, write, elicitation_callback=answer, message_handler=notified) as client:
            await client.initialize()
            yield First(client)


if __name__ == "__main__":
    sys.exit(converse(connect))
