#!/usr/bin/env python3
"""Checks a server against the contract profile, by real requests over its standard input and output.

    python3 examples/mcp-server/verify.py starter           builds and checks examples/mcp-server/starter
    python3 examples/mcp-server/verify.py path/to/crate     the same for any other crate folder
    python3 examples/mcp-server/verify.py --command prog …  checks a program that is there already

The server reads one JSON request a line and writes one JSON answer a line.
One line is printed for each clause of the contract. The exit status is 0 only if all hold, 1 if one
does not, 2 if there was nothing to check. Only the standard library is needed.

The server registers these tools, in this order, with the schemas of `TOOLS` and the descriptions of `DESCRIPTIONS` below:

    echo(text)              gives the text back, or whatever other JSON value came instead
    add(a, b)               the sum of two integers, as a number
    pair(first, second)     the object {"first": …, "second": …}
    confirm_delete(path)    needs input, with the requests
                            {"confirm": {"type": "boolean", "message": "Delete <path>?"}}, unless the
                            input responses have "confirm": true gives "deleted <path>", false "kept <path>"
    fail(message)           fails with that message
    panic()                 panics
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ANSWER_SECONDS = 20
"""How long the answer to one request, or the exit after the last one, may take."""
REVISION = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NEEDS_INPUT = "Additional client input is required before this tool can finish."


def _schema(**types: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    return {"type": "object", "properties": properties, "required": list(types)}


TOOLS = {
    "echo": _schema(text="string"),
    "add": _schema(a="integer", b="integer"),
    "pair": _schema(first="string", second="string"),
    "confirm_delete": _schema(path="string"),
    "fail": _schema(message="string"),
    "panic": _schema(),
}

DESCRIPTIONS = {
    "echo": "Give a text back.",
    "add": "Add two integers.",
    "pair": "Make an object of two texts.",
    "confirm_delete": "Delete a file after asking the user.",
    "fail": "Fail with a message.",
    "panic": "Panic, which is a failed call and no more.",
}

NOT_STRINGS = [None, True, False, 0, 7, 1.5, [], ["echo"], {}, {"name": "echo"}]
NOT_OBJECTS = [True, False, 0, 7, 1.5, "", "{}", '{"text":"x"}', [], [{"text": "x"}]]
IDS = [1, 0, -1, 2**31, 9007199254740993, 2**63 - 1, 2**64 - 1, "a", "", "0", "null", "é 🦀", "x" * 1000]
TEXTS = [
    *("plain", "", " ", "null", "5", '"quoted" \\ back\\slash', "line\nbreak\r\ttab", "\0\x1f\x7f"),
    *("שלום 🦀 👩‍👩‍👧‍👦\u2028", "\ud7ff\ue000\uffff\U0010ffff", "é" * 100_000),
]


class Mismatch(Exception):
    """What the server did instead of what a clause says."""


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Mismatch(otherwise)


def same(found: Any, wanted: Any, what: str) -> None:
    """Equality as JSON sees it: 0 is not false, and 1 is not 1.0."""
    if json.dumps(found, sort_keys=True) != json.dumps(wanted, sort_keys=True):
        raise Mismatch(f"{what}: expected {_short(wanted)}, found {_short(found)}")


def _short(value: Any) -> str:
    """A value for a message, as JSON; a line of bytes as it is."""
    shown = value.decode(errors="replace") if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 300 else f"{shown[:300]}… ({len(shown)} characters)"


class Server:
    """A running server: a line in, a line out."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._status: int | None = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, line: bytes) -> Any:
        """The answer to one line, whatever it is."""
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise Mismatch(f"the server is gone; it did not take {_short(line)}") from None
        try:
            answer = self._lines.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            raise Mismatch(f"no answer within {ANSWER_SECONDS} s to {_short(line)}") from None
        expect(answer != b"", f"the server ended instead of answering {_short(line)}")
        try:
            return json.loads(answer)
        except ValueError:
            raise Mismatch(f"not JSON: {_short(answer)}") from None

    def end(self) -> int:
        """Closes the server's input; its exit status, once it has ended without another word."""
        if self._status is not None:
            return self._status
        try:
            self._process.stdin.close()
            leftover = self._lines.get(timeout=ANSWER_SECONDS)
            expect(leftover == b"", f"a line that answers nothing: {_short(leftover)}")
            self._status = self._process.wait(timeout=ANSWER_SECONDS)
        except OSError:
            raise Mismatch("the server is gone before its input ended") from None
        except (queue.Empty, subprocess.TimeoutExpired):
            raise Mismatch(f"still running {ANSWER_SECONDS} s after its input ended") from None
        return self._status

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def ask(self, message: Any) -> dict[str, Any]:
        """The answer to a message, checked to be a JSON-RPC answer with the message's id (else null)."""
        answer = self.send(json.dumps(message).encode())
        has_id = isinstance(message, dict) and "id" in message
        same_envelope(answer, message["id"] if has_id else None, _short(message))
        return answer

    def result(self, method: str, params: Any = None, **members: Any) -> Any:
        answer = self.ask(request(method, params, **members))
        expect("result" in answer, f"expected a result of {method}, found {_short(answer)}")
        return answer["result"]

    def call(self, name: str, arguments: Any, **params: Any) -> Any:
        return self.result("tools/call", {"name": name, "arguments": arguments, **params})

    def succeeds(self, text: str, name: str, arguments: Any, **params: Any) -> None:
        found = self.call(name, arguments, **params)
        same(found, {"content": [{"type": "text", "text": text}]}, f"result of {name}")

    def fails(self, text: str, name: str, arguments: Any, **params: Any) -> None:
        found = self.call(name, arguments, **params)
        same(found, {"content": [{"type": "text", "text": text}], "isError": True}, f"result of {name}")

    def refuses(self, code: int, message: Any) -> dict[str, Any]:
        answer = self.ask(message)
        expect("error" in answer, f"expected error {code} to {_short(message)}, found {_short(answer)}")
        same(answer["error"]["code"], code, f"code for {_short(message)}")
        return answer["error"]


def same_envelope(answer: Any, id: Any, asked: str) -> None:
    expect(isinstance(answer, dict), f"not an object: {_short(answer)}")
    kind = "error" if "error" in answer else "result"
    same(sorted(answer), sorted(["jsonrpc", "id", kind]), f"members of the answer to {asked}")
    same(answer["jsonrpc"], "2.0", "jsonrpc")
    same(answer["id"], id, f"id of the answer to {asked}")
    if kind == "error":
        error = answer["error"]
        expect(isinstance(error, dict) and set(error) - {"data"} == {"code", "message"}, f"error: {_short(error)}")
        expect(isinstance(error["message"], str) and error["message"] != "", f"error without a message: {_short(error)}")


def request(method: Any, params: Any = None, **members: Any) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, **members}
    return message if params is None else {**message, "params": params}


def without(message: dict[str, Any], member: str) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != member}


Clause = Callable[[Server], None]
CLAUSES: list[tuple[str, Clause]] = []


def clause(text: str) -> Callable[[Clause], Clause]:
    def register(run: Clause) -> Clause:
        CLAUSES.append((text, run))
        return run

    return register


@clause("a line that is not JSON: -32700 with the id that can be read, else null, and the server goes on")
def not_json(server: Server) -> None:
    readable = b'{"jsonrpc":"2.0","id":7,"method":"tools/list"} x'
    for line in (b"hello", b"{", b"{'a': 1}", readable, b'"\xff\xfe"', b"\x00"):
        answer = server.send(line)
        same_envelope(answer, 7 if line is readable else None, _short(line))
        same(answer.get("error", {}).get("code"), -32700, f"code for {_short(line)}")
    server.succeeds("on", "echo", {"text": "on"})


@clause("not an object: -32600 with id null")
def not_an_object(server: Server) -> None:
    for message in ([], [request("tools/list")], "tools/list", 7, 1.5, True, None):
        server.refuses(-32600, message)


@clause("no method, or one that is not a string: -32600, id kept, else null")
def no_method(server: Server) -> None:
    for message in (without(request(""), "method"), *(request(method) for method in NOT_STRINGS)):
        server.refuses(-32600, message)
        server.refuses(-32600, without(message, "id"))
    server.refuses(-32600, {})


@clause('jsonrpc is not "2.0": -32600, id kept, else null')
def wrong_jsonrpc(server: Server) -> None:
    others = ("1.0", "2", "2.00", "", 2, 2.0, None, [], True)
    for message in (without(request("tools/list"), "jsonrpc"), *(request("tools/list", jsonrpc=other) for other in others)):
        server.refuses(-32600, message)
        server.refuses(-32600, without(message, "id"))


@clause("initialize: -32601, removed by the stateless 2026-07-28 specification")
def initialize(server: Server) -> None:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    for message in (request("initialize", params), request("initialize")):
        text = server.refuses(-32601, message)["message"]
        for words in ("removed", "stateless", REVISION, "specification"):
            expect(words in text, f"{words!r} is not in the message {text!r}")


@clause("a plain _meta.protocolVersion that is not 2026-07-28, at top level or in params: -32600, before anything else")
def plain_version(server: Server) -> None:
    echo = ("tools/call", {"name": "echo", "arguments": {"text": "x"}})
    for version in ("2025-11-25", "2026-07-29", "", " 2026-07-28", 20260728, [REVISION], {}, True, None):
        meta = {"protocolVersion": version}
        for method, params in (("tools/list", {}), echo, ("no/such", {}), ("tools/call", {"name": 7})):
            server.refuses(-32600, request(method, params, _meta=meta))
            server.refuses(-32600, request(method, {**params, "_meta": meta}))


@clause("a plain _meta.protocolVersion of 2026-07-28 is served")
def plain_version_served(server: Server) -> None:
    meta = {"protocolVersion": REVISION}
    server.result("tools/list", _meta=meta)
    server.result("tools/list", {"_meta": meta})
    server.succeeds("x", "echo", {"text": "x"}, _meta=meta)


@clause("_meta's io.modelcontextprotocol/protocolVersion that is not served: -32600")
def version_not_served(server: Server) -> None:
    for version in ("2025-11-25", "1900-01-01", ""):
        server.refuses(-32600, request("tools/list", {"_meta": {VERSION_KEY: version}}))
        server.refuses(-32600, request("tools/call", {"name": "echo", "arguments": {"text": "x"}, "_meta": {VERSION_KEY: version}}))


@clause("the protocol's _meta keys may be missing or there")
def meta_optional(server: Server) -> None:
    capabilities = {"io.modelcontextprotocol/clientCapabilities": {}}
    for meta in ({}, {VERSION_KEY: REVISION}, capabilities, {VERSION_KEY: REVISION, **capabilities}, {"com.example/mine": [1]}):
        server.succeeds("x", "echo", {"text": "x"}, _meta=meta)
        server.result("tools/list", {"_meta": meta})


@clause("an unknown method: -32601")
def unknown_method(server: Server) -> None:
    for method in ("no/such", "tools/List", "tools/list ", "tools", "tools/call/echo", "resources/list", "prompts/get", "\0"):
        server.refuses(-32601, request(method, {}))


@clause("tools/call without a name, or with one that is not a string: -32602, id kept")
def name_not_a_string(server: Server) -> None:
    for params in (None, {}, {"arguments": {"text": "x"}}, *({"name": name, "arguments": {}} for name in NOT_STRINGS)):
        server.refuses(-32602, request("tools/call", params))
        server.refuses(-32602, request("tools/call", params, id="kept"))


@clause("params that is not an object: -32602, id kept")
def params_not_an_object(server: Server) -> None:
    for params in ([], ["echo", {"text": "x"}], "echo", 7, True):
        server.refuses(-32602, request("tools/call", params))


@clause("arguments absent or null are {}")
def no_arguments(server: Server) -> None:
    wanted = {"content": [{"type": "text", "text": "Missing required argument: text"}], "isError": True}
    same(server.result("tools/call", {"name": "echo"}), wanted, "arguments absent")
    same(server.result("tools/call", {"name": "echo", "arguments": None}), wanted, "arguments null")


@clause("arguments that are any other non-object: -32602, id kept")
def arguments_not_an_object(server: Server) -> None:
    for arguments in NOT_OBJECTS:
        for name in ("echo", "panic"):
            server.refuses(-32602, request("tools/call", {"name": name, "arguments": arguments}, id="kept"))


@clause("an unknown tool: isError, Tool not found")
def unknown_tool(server: Server) -> None:
    for name in ("no_such_tool", "", "Echo", "echo ", "echo\0", "tools/call"):
        server.fails("Tool not found", name, {})
        server.fails("Tool not found", name, {"text": "x"})
        for arguments in NOT_OBJECTS:
            server.fails("Tool not found", name, arguments)


@clause("a required argument is missing: isError, Missing required argument: x, the first in the schema's order")
def missing_argument(server: Server) -> None:
    for name, schema in TOOLS.items():
        if schema["required"]:
            server.fails(f"Missing required argument: {schema['required'][0]}", name, {})
            server.fails(f"Missing required argument: {schema['required'][0]}", name, {"other": 1})
    server.fails("Missing required argument: second", "pair", {"first": "x"})
    server.fails("Missing required argument: first", "pair", {"second": "x"})
    server.fails("Missing required argument: first", "pair", {"First": "x", "first ": "x", "fir\0st": "x"})


@clause("other arguments that break the schema reach a registered handler")
def left_to_the_handler(server: Server) -> None:
    server.succeeds("x", "echo", {"text": "x", "unknown": [1]})
    server.succeeds("3", "add", {"unknown": None, "b": 2, "a": 1})
    for value in (5, False, None, [1, "a"], [], {"b": {}, "c": None}):
        server.succeeds(json.dumps(value, separators=(",", ":")), "echo", {"text": value})
    server.succeeds("4", "add", {"a": 2, "b": 2, "A": "one"})


@clause("a handler needs input: input_required with its requests and the text, no requestState")
def input_required(server: Server) -> None:
    for path in ("notes/a.txt", "", "é 🦀"):
        wanted = {
            "resultType": "input_required",
            "requests": {"confirm": {"type": "boolean", "message": f"Delete {path}?"}},
            "content": [{"type": "text", "text": NEEDS_INPUT}],
        }
        for more in ({}, {"inputResponses": {}}, {"inputResponses": {"other": True}}):
            same(server.call("confirm_delete", {"path": path}, **more), wanted, f"result with {_short(more)}")


@clause("the call resent with inputResponses completes, and nothing is remembered")
def input_responses(server: Server) -> None:
    for confirm, text in ((True, "deleted a"), (False, "kept a"), (True, "deleted a")):
        server.succeeds(text, "confirm_delete", {"path": "a"}, inputResponses={"confirm": confirm})
    same(server.call("confirm_delete", {"path": "a"})["resultType"], "input_required", "the next call")


@clause("a handler fails: isError, Error: and its message")
def handler_fails(server: Server) -> None:
    for message in TEXTS:
        server.fails(f"Error: {message}", "fail", {"message": message})


@clause("a handler panics: isError, Error: the tool failed, and the server goes on")
def handler_panics(server: Server) -> None:
    for count in range(3):
        server.fails("Error: the tool failed", "panic", {})
        server.succeeds(str(count + 1), "add", {"a": count, "b": 1})


@clause("success: one text block and nothing else; a string as it is")
def success_text(server: Server) -> None:
    for text in TEXTS:
        server.succeeds(text, "echo", {"text": text})


@clause("success: anything but a string as compact JSON")
def success_json(server: Server) -> None:
    for a, b in ((2, 40), (-1, 1), (2**53, 1), (-(2**62), -1)):
        server.succeeds(str(a + b), "add", {"a": a, "b": b})
    for first, second in (("x", "y"), ("", "null"), ('"', "\\\n"), ("é", "🦀")):
        wanted = json.dumps({"first": first, "second": second}, ensure_ascii=False, separators=(",", ":"))
        server.succeeds(wanted, "pair", {"second": second, "first": first})


@clause("tools/list: name, description and inputSchema as registered, in registration order, and nothing else")
def tools_list(server: Server) -> None:
    for params in (None, {}, {"_meta": {}}):
        result = server.result("tools/list", params)
        same(list(result), ["tools"], "members of the result")
        for tool in result["tools"]:
            same(sorted(tool), ["description", "inputSchema", "name"], "members of a tool")
        same([tool["name"] for tool in result["tools"]], list(TOOLS), "order")
        for tool in result["tools"]:
            same(tool["description"], DESCRIPTIONS[tool["name"]], f"description of {tool['name']}")
            same(tool["inputSchema"], TOOLS[tool["name"]], f"schema of {tool['name']}")


@clause("a notification (no id) is answered with id null")
def notifications(server: Server) -> None:
    listing = server.ask(without(request("tools/list"), "id"))
    same(len(listing["result"]["tools"]), len(TOOLS), "tools listed")
    echoed = server.ask(without(request("tools/call", {"name": "echo", "arguments": {"text": "x"}}), "id"))
    same(echoed["result"], {"content": [{"type": "text", "text": "x"}]}, "result")
    server.refuses(-32601, without(request("notifications/initialized"), "id"))
    server.refuses(-32602, without(request("tools/call", {"name": 7}), "id"))


@clause("every answer keeps the id with its type: integers, strings, 0, the empty string, large ones")
def ids(server: Server) -> None:
    for id in IDS:
        server.result("tools/list", id=id)
        server.result("tools/call", {"name": "echo", "arguments": {"text": "x"}}, id=id)
        server.result("tools/call", {"name": "no_such_tool"}, id=id)
        server.refuses(-32601, request("no/such", id=id))
        server.refuses(-32602, request("tools/call", {"name": None}, id=id))
        server.refuses(-32600, request("tools/list", id=id, jsonrpc="1.0"))


@clause("when its input ends the server exits with status 0, having written one line for each request")
def input_ends(server: Server) -> None:
    for number in range(10):
        server.succeeds(str(number), "add", {"a": number, "b": 0})
    same(server.end(), 0, "exit status")


def hold(text: str, run: Clause, command: list[str]) -> bool:
    """Checks one clause against a fresh server, so that one failure brings no other, and prints its line."""
    server = Server(command)
    try:
        run(server)
        server.end()
    except Mismatch as mismatch:
        print(f"FAIL  {text}\n      {mismatch}", flush=True)
        return False
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        print(f"FAIL  {text}\n      an answer of another shape ({type(error).__name__}: {error})", flush=True)
        return False
    finally:
        server.stop()
    print(f"PASS  {text}", flush=True)
    return True


def build(folder: Path) -> list[str]:
    """Builds the crate; the command that starts its one binary."""
    arguments = ["cargo", "build", "--message-format=json-render-diagnostics", "--manifest-path", str(folder / "Cargo.toml")]
    built = subprocess.run(arguments, stdout=subprocess.PIPE, check=False)
    if built.returncode != 0:
        sys.exit(2)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    binaries = [m["executable"] for m in messages if m.get("executable")]
    if len(binaries) != 1:
        print(f"{folder} builds {len(binaries)} binaries; one is needed", file=sys.stderr)
        sys.exit(2)
    return binaries


def command_line(arguments: list[str]) -> list[str]:
    """The command that starts the server named by the arguments."""
    if len(arguments) > 1 and arguments[0] == "--command":
        return arguments[1:]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: verify.py NAME | FOLDER | --command PROGRAM [ARGUMENT …]", file=sys.stderr)
        sys.exit(2)
    beside = Path(__file__).resolve().parent / arguments[0]
    return build(beside if beside.is_dir() else Path(arguments[0]))


def main() -> int:
    command = command_line(sys.argv[1:])
    held = [hold(text, run, command) for text, run in CLAUSES]
    print(f"{held.count(True)} passed, {held.count(False)} failed")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
