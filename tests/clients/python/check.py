"""Drives a server over stdio with the official Python SDK, in revision 2026-07-28.

    python3 check.py -- path/to/server [its arguments]

The server must offer these tools:

    add(a: i64, b: i64) -> i64
    structured(count: u32) -> { rows: [{ id, name, price }] }
    fail(message: String) -> Result<String, String>     always Err(message)
    echo(text: String) -> String
    sleep_ms(ms: u64)                                   async
    block_ms(ms: u64)                                   blocks its thread
    panic_now()

One line is printed for each check, and a summary. The exit status is 0 only if all hold.
"""

from __future__ import annotations

import copy
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from wire import Wire

REVISION = "2026-07-28"
TOOLS = ["add", "block_ms", "echo", "fail", "panic_now", "sleep_ms", "structured"]
CHECK_SECONDS = 30.0
"""A check that has not ended by then has failed."""
SDK_PATIENCE_SECONDS = 2.0
"""How long the SDK waits after closing the server's input before it sends SIGTERM."""


@dataclass
class Session:
    """What a check gets: a connected client, and the record of its wire."""

    client: Client
    wire: Wire
    parameters: StdioServerParameters


Check = Callable[[Session], Awaitable[None]]
CHECKS: list[tuple[str, Check]] = []


def check(title: str) -> Callable[[Check], Check]:
    def register(run: Check) -> Check:
        CHECKS.append((title, run))
        return run

    return register


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def same(found: Any, wanted: Any, what: str) -> None:
    expect(found == wanted, f"{what}: expected {_short(wanted)}, found {_short(found)}")


def only_text(result: Any) -> str:
    """The text of a result whose content is exactly one text block."""
    same([block.type for block in result.content], ["text"], "content blocks")
    return result.content[0].text


def error_text(result: Any) -> str:
    expect(result.is_error, f"expected isError, found {_short(result)}")
    return only_text(result)


async def refused(call: Awaitable[Any]) -> MCPError:
    """The protocol error that a call, or connecting, ends with."""
    try:
        result = await call
    except Exception as error:
        if isinstance(cause := _innermost(error), MCPError):
            return cause
        raise
    raise AssertionError(f"expected a protocol error, found {_short(result)}")


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 300 else f"{shown[:300]}… ({len(shown)} characters)"


@check("discover names the revision, the tools capability and the server")
async def discover(s: Session) -> None:
    same([m["method"] for m in s.wire.sent], ["server/discover"], "messages sent to connect")
    same(s.client.protocol_version, REVISION, "protocol version")
    expect(s.client.server_capabilities.tools is not None, "no tools capability")
    expect(s.client.server_capabilities.resources is None, "a resources capability without resources")
    expect(s.client.server_capabilities.logging is not None, "no logging capability, though functions log")
    expect(s.client.server_info is not None, "no serverInfo in the result's _meta")
    expect(bool(s.client.server_info.name and s.client.server_info.version), "an empty name or version")


@check("tools/list: sorted, described, and schemas that close the object")
async def tools_list(s: Session) -> None:
    tools = (await s.client.list_tools()).tools
    names = [tool.name for tool in tools]
    same(names, sorted(names), "order")
    same([name for name in TOOLS if name not in names], [], "missing tools")
    for tool in tools:
        expect(bool(tool.description), f"{tool.name} has no description")
        same(tool.input_schema.get("type"), "object", f"{tool.name}: root type")
        same(tool.input_schema.get("additionalProperties"), False, f"{tool.name}: additionalProperties")
    add = next(tool for tool in tools if tool.name == "add")
    same(list(add.input_schema["properties"]), ["a", "b"], "add: properties")
    same(add.input_schema["required"], ["a", "b"], "add: required")


@check("add: the sum as text, and a success")
async def add(s: Session) -> None:
    result = await s.client.call_tool("add", {"a": 2, "b": 40})
    same(result.is_error, False, "isError")
    same(only_text(result), "42", "text")
    big = await s.client.call_tool("add", {"a": 2**62, "b": -(2**61) + 1})
    same(only_text(big), str(2**61 + 1), "text")


@check("structured: content that the SDK validates against the output schema")
async def structured(s: Session) -> None:
    tools = (await s.client.list_tools()).tools
    schema = next(tool for tool in tools if tool.name == "structured").output_schema
    expect(schema is not None, "no outputSchema, so that the SDK validates nothing")
    for count in (0, 3, 1000):
        result = await s.client.call_tool("structured", {"count": count})
        same(result.is_error, False, "isError")
        rows = result.structured_content["rows"]
        same(len(rows), count, "rows")
        for row in rows:
            same(sorted(row), ["id", "name", "price"], "keys of a row")
        same(json.loads(only_text(result)), result.structured_content, "the JSON text")


@check("structured: the output schema refuses a broken row")
async def output_schema(s: Session) -> None:
    result = await s.client.call_tool("structured", {"count": 2})
    await s.client.session.validate_tool_result("structured", result)
    for key, value in (("name", None), ("price", "free"), ("id", [])):
        broken = copy.deepcopy(result)
        broken.structured_content["rows"][1][key] = value
        try:
            await s.client.session.validate_tool_result("structured", broken)
        except RuntimeError:
            continue
        raise AssertionError(f"a row with {key} = {value!r} passed the advertised schema")


@check("fail: isError with the text of the error")
async def failing(s: Session) -> None:
    for message in ("out of stock", "", "não há 🐚"):
        same(error_text(await s.client.call_tool("fail", {"message": message})), f"Error: {message}", "text")


@check("a missing argument: isError that names it")
async def missing_argument(s: Session) -> None:
    for arguments, missing in (({"a": 1}, "b"), ({"b": 1}, "a"), ({}, "a"), (None, "a")):
        text = error_text(await s.client.call_tool("add", arguments))
        expect(text.startswith(f"Missing required argument: {missing}"), f"text for {arguments}: {text!r}")


@check("arguments of a wrong type: isError with a line for each fault")
async def wrong_arguments(s: Session) -> None:
    text = error_text(await s.client.call_tool("add", {"a": "five", "b": [1]}))
    faults = ['`a`: expected an integer, found the string "five"', "`b`: expected an integer, found an array"]
    same(text.splitlines(), faults, "lines")
    text = error_text(await s.client.call_tool("add", {"a": 1, "b": 2, "carry": 3}))
    expect("`carry`" in text, f"the unknown argument is not named in {text!r}")


@check("an unknown tool: −32602 that names it")
async def unknown_tool(s: Session) -> None:
    error = await refused(s.client.call_tool("no_such_tool", {}))
    same((error.code, error.message), (-32602, "Unknown tool: no_such_tool"), "error")


@check("a method that is not served: −32601")
async def unknown_method(s: Session) -> None:
    same((await refused(s.client.list_prompts())).code, -32601, "code")


@check("unicode comes back unchanged")
async def unicode(s: Session) -> None:
    texts = {
        "emoji": "🦀 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽",
        "right to left": "שלום עולם \u202eمرحبا\u202c \u2067עברית\u2069",
        "combining": "e\u0301 é ｱ か\u3099 Z͑ͫ̓",
        "NUL": "\0a\0\0b\0",
        "control characters": "".join(map(chr, range(0x20))) + "\x7f\x80\x9f",
        "line ends": "a\nb\r\nc\rd\u0085e\u2028f\u2029g",
        "quotes": '"\\" \\u0041 \\n </script> a<b && c>d',
        "edges of the planes": "\ud7ff\ue000\ufeff\ufffd\ufffe\uffff\U00010000\U0010ffff",
        "empty": "",
    }
    for kind, text in texts.items():
        same(only_text(await s.client.call_tool("echo", {"text": text})), text, kind)


@check("1 MiB of text comes back unchanged")
async def one_mebibyte(s: Session) -> None:
    pattern = 'plain "quoted" back\\slash é 🦀\n'
    for text in ("x" * 2**20, (pattern * (2**20 // len(pattern.encode()) + 1))):
        expect(only_text(await s.client.call_tool("echo", {"text": text})) == text, "the text changed")


@check("a cancelled call is never answered, and the server goes on")
async def cancellation(s: Session) -> None:
    scope = anyio.CancelScope()

    async def slow() -> None:
        with scope:
            await s.client.call_tool("sleep_ms", {"ms": 1000})
            raise AssertionError("the call was answered before it was cancelled")

    async with anyio.create_task_group() as group:
        group.start_soon(slow)
        request = await s.wire.until_sent(lambda m: _calls(m, "sleep_ms", 1000))
        same(only_text(await s.client.call_tool("add", {"a": 1, "b": 1})), "2", "a call beside it")
        scope.cancel()
    cancelled = [m["params"]["requestId"] for m in s.wire.sent if m["method"] == "notifications/cancelled"]
    same(cancelled.count(request["id"]), 1, "cancellations sent")
    same(only_text(await s.client.call_tool("add", {"a": 2, "b": 3})), "5", "the call after it")
    # The server's own clock: when this answer is here, the cancelled call's time is long over.
    await s.client.call_tool("sleep_ms", {"ms": 1500})
    expect(request["id"] not in s.wire.answers(), "the cancelled call was answered")


@check("64 calls at once: each gets its own answer")
async def many_calls(s: Session) -> None:
    texts: dict[int, str] = {}

    async def one(number: int) -> None:
        texts[number] = only_text(await s.client.call_tool("add", {"a": number, "b": 1000 * number}))

    async with anyio.create_task_group() as group:
        for number in range(64):
            group.start_soon(one, number)
    same(texts, {number: str(1001 * number) for number in range(64)}, "answers")


@check("64 quick calls overtake a sleeping one and a blocking one")
async def overtaking(s: Session) -> None:
    async def slow(tool: str) -> None:
        same((await s.client.call_tool(tool, {"ms": 3000})).is_error, False, tool)

    async def quick(number: int) -> None:
        text = f"quick {number}"
        same(only_text(await s.client.call_tool("echo", {"text": text})), text, "echo")

    async with anyio.create_task_group() as group:
        slow_ids = []
        for tool in ("block_ms", "sleep_ms"):
            group.start_soon(slow, tool)
            slow_ids.append((await s.wire.until_sent(lambda m, tool=tool: _calls(m, tool, 3000)))["id"])
        async with anyio.create_task_group() as calls:
            for number in range(64):
                calls.start_soon(quick, number)
        early = [i for i in slow_ids if i in s.wire.answers()]
        same(early, [], "slow calls answered before the quick ones were")


def _calls(message: dict[str, Any], tool: str, ms: int) -> bool:
    params = message.get("params", {})
    return params.get("name") == tool and params.get("arguments") == {"ms": ms}


@check("a panic is a failed call, and the server goes on")
async def panicking(s: Session) -> None:
    same(error_text(await s.client.call_tool("panic_now", {})), "Error: the tool failed", "text")
    same(only_text(await s.client.call_tool("add", {"a": 20, "b": 3})), "23", "the call after it")


@check("a client that pins the revision needs no discover")
async def pinned(s: Session) -> None:
    wire = Wire(s.parameters)
    async with Client(wire, mode=REVISION) as client:
        same(only_text(await client.call_tool("add", {"a": 1, "b": 2})), "3", "text")
    same(wire.sent[0]["method"], "tools/call", "first message")


@check("a client of an older revision is told why: −32601 and the version served")
async def older_client(s: Session) -> None:
    async def connect() -> str:
        async with Client(Wire(s.parameters), mode="legacy") as client:
            return client.protocol_version

    error = await refused(connect())
    same(error.code, -32601, "code")
    expect(REVISION in error.message, f"{REVISION} is not named in {error.message!r}")
    same((error.data or {}).get("supported"), [REVISION], "data.supported")


@check("everything the server wrote was an answer, once, to a request")
async def clean_wire(s: Session) -> None:
    same(s.wire.unreadable, [], "lines that are no message")
    asked = {m["id"] for m in s.wire.sent if "id" in m}
    answers = s.wire.answers()
    same([i for i in answers if i not in asked], [], "answers to nothing")
    same(len(answers), len(set(answers)), "answers, each id once")
    same([m for m in s.wire.received if "method" in m], [], "requests and notifications from the server")


async def attempt(title: str, run: Callable[[], Awaitable[None]]) -> bool:
    """Runs one check and prints its line."""
    try:
        with anyio.fail_after(CHECK_SECONDS):
            await run()
    except TimeoutError:
        print(f"FAIL  {title}: no end within {CHECK_SECONDS:.0f} s", flush=True)
        return False
    except Exception as error:
        print(f"FAIL  {title}: {_reason(error)}", flush=True)
        return False
    print(f"ok    {title}", flush=True)
    return True


def _innermost(error: BaseException) -> BaseException:
    """The first cause inside the groups that the SDK's task groups wrap around an error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _reason(error: BaseException) -> str:
    cause = _innermost(error)
    return str(cause) if isinstance(cause, AssertionError) else f"{type(cause).__name__}: {cause}"


async def run_all(parameters: StdioServerParameters) -> bool:
    results = []
    wire = Wire(parameters)
    async with Client(wire) as client:
        session = Session(client, wire, parameters)
        for title, run in CHECKS:
            results.append(await attempt(title, lambda run=run: run(session)))
        closed = time.monotonic()

    async def exits() -> None:
        seconds = time.monotonic() - closed
        expect(seconds < SDK_PATIENCE_SECONDS, f"the SDK had to end it, after {seconds:.1f} s")

    results.append(await attempt("the server exits when its input ends", exits))
    print(f"{results.count(True)} passed, {results.count(False)} failed", flush=True)
    return all(results)


def main() -> int:
    if len(sys.argv) < 3 or sys.argv[1] != "--":
        print("usage: check.py -- path/to/server [its arguments]", file=sys.stderr)
        return 2
    parameters = StdioServerParameters(command=sys.argv[2], args=sys.argv[3:])
    try:
        return 0 if anyio.run(run_all, parameters) else 1
    except Exception as error:
        print(f"FAIL  connecting: {_reason(error)}", flush=True)
        return 1


if __name__ == "__main__":
    sys.exit(main())
