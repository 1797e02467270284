#!/usr/bin/env python3
"""FastMCP's client, with the options that it has by default.

It opens with `server/discover`, and with `initialize` if the answer is late.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from mcp import MCPError
from mcp.client.subscriptions import ResourceUpdated, Subscription, listen

sys.path.insert(0, str(Path(__file__).parents[1]))
from conversation import Operations, Progress, Session, converse  # noqa: E402

REVISION = "2026-07-28"
METHODS = {
    "ToolsListChanged": "notifications/tools/list_changed",
    "PromptsListChanged": "notifications/prompts/list_changed",
    "ResourcesListChanged": "notifications/resources/list_changed",
    "ResourceUpdated": "notifications/resources/updated",
}
"""The SDK's events of a subscription, and the notifications that they stand for."""


def _wire(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Fast(Operations):
    def __init__(self, client: Client[Any], session: Session) -> None:
        self.era = "discover" if client.protocol_version == REVISION else "initialize"
        self._client = client
        self._conversation = session

    async def tools(self) -> list[str]:
        return [tool.name for tool in await self._client.list_tools()]

    async def call(self, tool: str, arguments: dict[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        async def tell(value: float, total: float | None, _: str | None) -> None:
            if progress is not None:
                progress(value, total)

        return _wire(await self._client.call_tool_mcp(tool, arguments, progress_handler=tell))

    async def resources(self) -> list[str]:
        return [str(resource.uri) for resource in await self._client.list_resources()]

    async def templates(self) -> list[str]:
        return [template.uri_template for template in await self._client.list_resource_templates()]

    async def read(self, uri: str) -> list[dict[str, Any]]:
        return [_wire(contents) for contents in await self._client.read_resource(uri)]

    async def prompts(self) -> list[str]:
        return [prompt.name for prompt in await self._client.list_prompts()]

    async def prompt(self, name: str, arguments: dict[str, str]) -> list[dict[str, Any]]:
        return [_wire(message) for message in (await self._client.get_prompt(name, arguments)).messages]

    async def complete(
        self, kind: str, name: str, argument: dict[str, str], context: dict[str, str] | None
    ) -> list[str]:
        reference: types.PromptReference | types.ResourceTemplateReference
        reference = types.PromptReference(name=name) if kind == "prompt" else types.ResourceTemplateReference(uri=name)
        return (await self._client.complete(reference, argument, context)).values

    @asynccontextmanager
    async def watching(self, uri: str | None) -> AsyncIterator[None]:
        if self.era == "initialize":
            if uri is not None:
                await self._client.session.subscribe_resource(uri)
            yield
            return

        async def hear(subscription: Subscription) -> None:
            async for event in subscription:
                uri = event.uri if isinstance(event, ResourceUpdated) else None
                self._conversation.notified(METHODS[type(event).__name__], uri)

        lists = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
        uris = [] if uri is None else [uri]
        async with (
            listen(self._client.session, **lists, resource_subscriptions=uris) as subscription,
            anyio.create_task_group() as group,
        ):
            group.start_soon(hear, subscription)
            yield
            group.cancel_scope.cancel()

    async def cancelled_call(self, tool: str, arguments: dict[str, Any]) -> None:
        scope, begun = anyio.CancelScope(), anyio.Event()

        async def calling() -> None:
            with scope:
                await self.call(tool, arguments, lambda *_: begun.set())
                raise AssertionError("the call was answered before it was cancelled")

        async with anyio.create_task_group() as group:
            group.start_soon(calling)
            await begun.wait()
            scope.cancel()

    def error_code(self, error: Exception) -> int | None:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, MCPError):
            cause = cause.__cause__
        return None if cause is None else cause.code


@asynccontextmanager
async def connect(session: Session, server: list[str] | str) -> AsyncIterator[Fast]:
    async def answer(message: str, *_: Any) -> ElicitResult[dict[str, Any]]:
        return ElicitResult.model_validate(session.answer(message))

    async def notified(message: Any) -> None:
        """The notifications of a connection that began with `initialize`."""
        if isinstance(message, Exception):
            raise message
        sent = _wire(message)
        session.notified(sent["method"], (sent.get("params") or {}).get("uri"))

    transport = server if isinstance(server, str) else StdioTransport(server[0], server[1:])
    async with Client(transport, elicitation_handler=answer, message_handler=notified) as client:
        yield Fast(client, session)


if __name__ == "__main__":
    sys.exit(converse(connect))
