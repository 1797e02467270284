"""How a connection begins, and what may come over it."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp import Client
from session import REVISION, Session, check, expect, only_text, refused, same


@check("discover names the revision, the capabilities and the server")
async def discover(s: Session) -> None:
    same(s.wire.sent[0]["method"], "server/discover", "the first message")
    same(s.client.protocol_version, REVISION, "protocol version")
    capabilities = s.client.server_capabilities
    for name in ("tools", "resources", "prompts", "completions", "logging"):
        expect(getattr(capabilities, name) is not None, f"no capability {name}")
    for name in ("tools", "resources", "prompts"):
        expect(getattr(capabilities, name).list_changed is True, f"no word of changes of the list of {name}")
    expect(capabilities.resources.subscribe is True, "no word of changes of resources")
    expect(s.client.server_info is not None, "no serverInfo in the result's _meta")
    expect(bool(s.client.server_info.name and s.client.server_info.version), "an empty name or version")


@check("a method that is not served: −32601")
async def unknown_method(s: Session) -> None:
    unknown = types.Request[None, str](method="library/burn", params=None)
    same((await refused(s.client.session.send_request(unknown, types.EmptyResult))).code, -32601, "code")


@check("a client that pins the revision needs no discover")
async def pinned(s: Session) -> None:
    wire = s.connect()
    async with Client(wire, mode=REVISION) as client:
        same(only_text(await client.call_tool("add", {"a": 1, "b": 2})), "3", "text")
    same(wire.sent[0]["method"], "tools/call", "first message")


@check("a client that opens with initialize is served over stdio, and over HTTP told the version served")
async def older_client(s: Session) -> None:
    async def connect() -> tuple[str, str]:
        async with Client(s.connect(), mode="legacy") as client:
            return client.protocol_version, only_text(await client.call_tool("add", {"a": 1, "b": 2}))

    if not s.over_http:
        same(await connect(), ("2025-11-25", "3"), "version and text")
        return
    error = await refused(connect())
    # Its request lacks the headers of this revision, which is found first.
    same(error.code, -32020, "code")
    expect(REVISION in error.message, f"{REVISION} is not named in {error.message!r}")
    same((error.data or {}).get("supported"), [REVISION], "data.supported")


@check("everything the server wrote was an answer, once, or what it was asked to tell")
async def clean_wire(s: Session) -> None:
    same(s.wire.unreadable, [], "what is no message")
    asked = {m["id"] for m in s.wire.sent if "id" in m}
    answers = s.wire.answers()
    same([i for i in answers if i not in asked], [], "answers to nothing")
    same(len(answers), len(set(answers)), "answers, each id once")
    cancelled = [m["id"] for m in s.wire.sent if m.get("params", {}).get("name") == "block_until_cancelled"]
    same(len(cancelled), 2, "cancelled calls")
    same([i for i in answers if i in cancelled], [], "answers to cancelled calls")
    same([m for m in s.wire.received if "method" in m and "id" in m], [], "requests from the server")
    tokens = [m.get("params", {}).get("_meta", {}).get("progressToken") for m in s.wire.sent]
    listening = [m["id"] for m in s.wire.sent if m["method"] == "subscriptions/listen"]
    unasked = [m for m in s.wire.received if "method" in m and not _asked_for(m["params"], tokens, listening)]
    same(unasked, [], "notifications that nobody asked for")


def _asked_for(params: dict[str, Any], tokens: list[Any], listening: list[Any]) -> bool:
    if "progressToken" in params:
        return params["progressToken"] in tokens
    return params["_meta"]["io.modelcontextprotocol/subscriptionId"] in listening
