"""One conversation with a server, which every Python client has: list, call, read, complete, be told, be asked, cancel.

    python3 <client's script> -- path/to/server [its arguments]     over stdio
    python3 <client's script> http://127.0.0.1:8000/mcp             over HTTP

The server is `test-server` of the workspace's tests. `expected.json` says what is sent and what comes back, in every
language. A client's script connects in its own way and implements `Operations`.
One line is printed for each check, and a summary. The exit status is 0 only if all hold.
"""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio

CHECK_SECONDS = 30.0
"""A check that has not ended by then has failed."""
EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text())

Answer = Callable[[str], dict[str, Any]]
Notified = Callable[[str, str | None], None]
Progress = Callable[[float, float | None], None]


class Operations(ABC):
    """What a conversation needs of a client. Results are what the SDK makes of them, dumped by the wire's names."""

    era: str
    """How the connection began: `initialize` or `discover`."""

    @abstractmethod
    async def tools(self) -> list[str]: ...
    @abstractmethod
    async def call(self, tool: str, arguments: dict[str, Any], progress: Progress | None = None) -> dict[str, Any]: ...
    @abstractmethod
    async def resources(self) -> list[str]: ...
    @abstractmethod
    async def templates(self) -> list[str]: ...
    @abstractmethod
    async def read(self, uri: str) -> list[dict[str, Any]]: ...
    @abstractmethod
    async def prompts(self) -> list[str]: ...
    @abstractmethod
    async def prompt(self, name: str, arguments: dict[str, str]) -> list[dict[str, Any]]: ...
    @abstractmethod
    async def complete(
        self, kind: str, name: str, argument: dict[str, str], context: dict[str, str] | None
    ) -> list[str]:
        """`kind` is `prompt` or `template`."""

    @abstractmethod
    def watching(self, uri: str | None) -> AbstractAsyncContextManager[None]:
        """Within it changes of the lists, and of the resource if one is given, are told to `notified`."""

    @abstractmethod
    async def cancelled_call(self, tool: str, arguments: dict[str, Any]) -> None:
        """Calls a tool, and cancels the call in the client's way at its first progress."""

    @abstractmethod
    def error_code(self, error: Exception) -> int | None:
        """The code of the protocol error that a request ended with."""


class Session:
    """A connected client, what it answers to questions, and who is told of notifications."""

    def __init__(self) -> None:
        self.client: Operations
        self.answers: dict[str, dict[str, Any]] = {}
        self.listener: Notified = lambda method, uri: None

    def answer(self, message: str) -> dict[str, Any]:
        expect(message in self.answers, f"asked without need: {message}")
        return self.answers.pop(message)

    def notified(self, method: str, uri: str | None) -> None:
        self.listener(method, uri)


Connect = Callable[[Session, "list[str] | str"], AbstractAsyncContextManager[Operations]]
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
    expect(found == wanted, f"{what}: expected {wanted!r}, found {found!r}"[:600])


def only_text(result: dict[str, Any]) -> str:
    same([block["type"] for block in result["content"]], ["text"], "content blocks")
    return result["content"][0]["text"]


@check("the lists name what there is")
async def lists(s: Session) -> None:
    tools = await s.client.tools()
    same([call["tool"] for call in EXPECTED["calls"] if call["tool"] not in tools], [], "missing tools")
    same(await s.client.resources(), EXPECTED["resources"], "resources")
    same(await s.client.templates(), EXPECTED["templates"], "templates")
    same(await s.client.prompts(), EXPECTED["prompts"], "prompts")


@check("calls: text, structured output, failing tools")
async def calls(s: Session) -> None:
    for call in EXPECTED["calls"]:
        result = await s.client.call(call["tool"], call["arguments"])
        same(result.get("isError", False), "error" in call, f"{call['tool']}: isError")
        if "structured" in call:
            same(result["structuredContent"], call["structured"], "structuredContent")
            same(json.loads(only_text(result)), call["structured"], "the JSON text")
        else:
            same(only_text(result), call.get("text", call.get("error")), "text")


@check("resources are read, and one that is missing is refused")
async def reads(s: Session) -> None:
    for wanted in EXPECTED["reads"]:
        same(await s.client.read(wanted["uri"]), [wanted], "contents")
    missing = EXPECTED["missing"]
    try:
        await s.client.read(missing["uri"])
    except Exception as error:
        same(s.client.error_code(error), missing["codes"][s.client.era], "code")
    else:
        raise AssertionError("it was read")


@check("prompts have messages")
async def prompts(s: Session) -> None:
    for get in EXPECTED["gets"]:
        messages = await s.client.prompt(get["prompt"], get["arguments"])
        same([[m["role"], m["content"]["text"]] for m in messages], get["messages"], "messages")


@check("arguments are completed")
async def completions(s: Session) -> None:
    for wanted in EXPECTED["completions"]:
        kind = "prompt" if "prompt" in wanted else "template"
        argument = {"name": wanted["argument"], "value": wanted["value"]}
        values = await s.client.complete(kind, wanted[kind], argument, wanted.get("context"))
        same(values, wanted["values"], "values")


@check("progress arrives while the call runs")
async def progress(s: Session) -> None:
    wanted = EXPECTED["progress"]
    told: list[list[float | None]] = []
    counted = anyio.Event()

    def tell(value: float, total: float | None) -> None:
        told.append([value, total])
        if len(told) == len(wanted["told"]):
            counted.set()

    async def counting() -> None:
        same(only_text(await s.client.call(wanted["tool"], wanted["arguments"], tell)), wanted["text"], "text")

    async with anyio.create_task_group() as group:
        group.start_soon(counting)
        await counted.wait()
        await s.client.call("release", wanted["release"])
    same(told, wanted["told"], "what was told")


@check("questions in the middle of a call are answered, declined and cancelled")
async def questions(s: Session) -> None:
    for question in EXPECTED["questions"]:
        s.answers = dict(question["answers"])
        text = only_text(await s.client.call(question["tool"], question["arguments"]))
        same(text, question["texts"][s.client.era], "text")
        same(list(s.answers), [], "answers that were not asked for")


@check("a cancelled call ends on the server")
async def cancellation(s: Session) -> None:
    wanted = EXPECTED["cancellation"]
    await s.client.cancelled_call(wanted["tool"], wanted["arguments"])
    after = wanted["after"]
    same(only_text(await s.client.call(after["tool"], after["arguments"])), after["text"], "text")


@check("64 calls at once: each gets its own answer")
async def many(s: Session) -> None:
    texts: dict[int, str] = {}

    async def one(number: int) -> None:
        texts[number] = only_text(await s.client.call("add", {"a": number, "b": 1000 * number}))

    async with anyio.create_task_group() as group:
        for number in range(EXPECTED["many"]):
            group.start_soon(one, number)
    same(texts, {number: str(1001 * number) for number in range(EXPECTED["many"])}, "answers")


@check("changes are pushed")
async def pushes(s: Session) -> None:
    for push in EXPECTED["pushes"]:
        pushed = anyio.Event()

        def listen(method: str, uri: str | None, push: dict[str, str] = push, pushed: anyio.Event = pushed) -> None:
            if (method, uri) == (push["method"], push.get("subscribe")):
                pushed.set()

        s.listener = listen
        async with s.client.watching(push.get("subscribe")):
            await s.client.call("announce", {"what": push["announce"]})
            await pushed.wait()


async def _attempt(title: str, run: Callable[[], Awaitable[None]]) -> bool:
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


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"


async def _run_all(connect: Connect, server: list[str] | str) -> bool:
    session, results = Session(), []
    async with connect(session, server) as client:
        session.client = client
        for title, run in CHECKS:
            results.append(await _attempt(title, lambda run=run: run(session)))
    print(f"{results.count(True)} passed, {results.count(False)} failed", flush=True)
    return all(results)


def converse(connect: Connect) -> int:
    """Has the whole conversation with the server that the command line names: a command, or a URL."""
    server: list[str] | str
    match sys.argv[1:]:
        case ["--", command, *arguments]:
            server = [command, *arguments]
        case [url] if url.startswith("http://"):
            server = url
        case _:
            print("usage: <script> -- path/to/server [its arguments] | URL", file=sys.stderr)
            return 2
    try:
        return 0 if anyio.run(_run_all, connect, server) else 1
    except Exception as error:
        print(f"FAIL  connecting: {_reason(error)}", flush=True)
        return 1
