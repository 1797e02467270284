"""Tools: their list, their results, and what is wrong with a call."""

from __future__ import annotations

import copy
import json

from session import Session, check, error_text, expect, only_text, refused, same

TOOLS = ["add", "block_until_cancelled", "echo", "fail", "panic_now", "wait_for_ever", "structured"]


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
