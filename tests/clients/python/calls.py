"""Calls in flight: many at once, told of, and cancelled."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp import Client
from session import Session, check, error_text, expect, only_text, same


@check("a call that is cancelled ends for the client at once, and the server goes on")
async def cancellation(s: Session) -> None:
    scope = anyio.CancelScope()

    async def slow() -> None:
        with scope:
            # It returns a result, which nobody is to get: the last check looks for it once more.
            await s.client.call_tool("block_until_cancelled", {})
            raise AssertionError("the call was answered before it was cancelled")

    async with anyio.create_task_group() as group:
        group.start_soon(slow)
        request = await s.wire.until_sent(lambda m: _calls(m, "block_until_cancelled"))
        same(only_text(await s.client.call_tool("add", {"a": 1, "b": 1})), "2", "a call beside it")
        scope.cancel()
    cancelled = [m["params"]["requestId"] for m in s.wire.sent if m["method"] == "notifications/cancelled"]
    same(cancelled.count(request["id"]), 1, "cancellations sent")
    same(only_text(await s.client.call_tool("add", {"a": 2, "b": 3})), "5", "the call after it")


@check("cancelling a call ends it on the server, too")
async def cut_short(s: Session) -> None:
    scope, begun = anyio.CancelScope(), anyio.Event()

    async def begins(*_: Any) -> None:
        begun.set()

    async def waiting() -> None:
        with scope:
            await s.client.call_tool("wait_under", {"label": "a lamp"}, progress_callback=begins)

    async with anyio.create_task_group() as group:
        group.start_soon(waiting)
        await begun.wait()
        scope.cancel()
    same(only_text(await s.client.call_tool("cut_short", {"label": "a lamp"})), "a lamp was cut short", "text")


@check("progress is told while the call runs, in order and growing")
async def progress(s: Session) -> None:
    told: list[tuple[float, float | None]] = []
    counted = anyio.Event()

    async def tell(progress: float, total: float | None, _: str | None) -> None:
        told.append((progress, total))
        if progress == total:
            counted.set()

    async def counting() -> None:
        arguments = {"label": "a shelf", "to": 50}
        same(only_text(await s.client.call_tool("count_under", arguments, progress_callback=tell)), "50", "text")

    async with anyio.create_task_group() as group:
        group.start_soon(counting)
        await counted.wait()
        await s.client.call_tool("release", {"label": "a shelf"})
    same(told, [(number, 50) for number in range(1, 51)], "what was told")


@check("log messages come only to who asks, from the level on that it asks for")
async def logging(s: Session) -> None:
    await s.client.call_tool("log_all", {})
    told: list[tuple[str, Any]] = []

    async def tell(message: types.LoggingMessageNotificationParams) -> None:
        told.append((message.level, message.data))

    async with Client(s.connect(), log_level="error", logging_callback=tell) as client:
        same(only_text(await client.call_tool("log_all", {})), "logged", "text")
    same(told, [("error", 5), ("critical", 6), ("alert", 7), ("emergency", 8)], "messages")
    same([m for m in s.wire.received if m.get("method") == "notifications/message"], [], "messages that were not asked for")


@check("64 calls at once: each gets its own answer")
async def many_calls(s: Session) -> None:
    texts: dict[int, str] = {}

    async def one(number: int) -> None:
        texts[number] = only_text(await s.client.call_tool("add", {"a": number, "b": 1000 * number}))

    async with anyio.create_task_group() as group:
        for number in range(64):
            group.start_soon(one, number)
    same(texts, {number: str(1001 * number) for number in range(64)}, "answers")


@check("64 quick calls overtake a waiting one and a blocking one")
async def overtaking(s: Session) -> None:
    async def slow(tool: str) -> None:
        await s.client.call_tool(tool, {})
        raise AssertionError(f"{tool} was answered")

    async def quick(number: int) -> None:
        text = f"quick {number}"
        same(only_text(await s.client.call_tool("echo", {"text": text})), text, "echo")

    async with anyio.create_task_group() as group:
        begun = len(s.wire.sent)
        for tool in ("block_until_cancelled", "wait_for_ever"):
            group.start_soon(slow, tool)
            await s.wire.until_sent(lambda m, tool=tool: _calls(m, tool) and m in s.wire.sent[begun:])
        async with anyio.create_task_group() as calls:
            for number in range(64):
                calls.start_soon(quick, number)
        group.cancel_scope.cancel()


def _calls(message: dict[str, Any], tool: str) -> bool:
    return message.get("params", {}).get("name") == tool


@check("a panic is a failed call, and the server goes on")
async def panicking(s: Session) -> None:
    same(error_text(await s.client.call_tool("panic_now", {})), "Error: the tool failed", "text")
    same(only_text(await s.client.call_tool("add", {"a": 20, "b": 3})), "23", "the call after it")
