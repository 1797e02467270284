"""Drives a server with the official Python SDK, in revision 2026-07-28.

    python3 check.py -- path/to/server [its arguments]     over stdio
    python3 check.py http://127.0.0.1:8000/mcp             over HTTP

The server is `test-server` of the workspace's tests: the checks know its tools, resources and prompts.
One line is printed for each check, and a summary. The exit status is 0 only if all hold.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from session import CHECKS, Session, expect, innermost
from wire import Wire

# The checks register themselves, and run in this order; that of the connection looks back on all of them.
import tools  # noqa: F401 isort: skip
import resources  # noqa: F401 isort: skip
import prompts  # noqa: F401 isort: skip
import calls  # noqa: F401 isort: skip
import asking  # noqa: F401 isort: skip
import tasks  # noqa: F401 isort: skip
import subscriptions  # noqa: F401 isort: skip
import connection  # noqa: F401 isort: skip

CHECK_SECONDS = 30.0
"""A check that has not ended by then has failed."""
SDK_PATIENCE_SECONDS = 2.0
"""How long the SDK waits after closing the server's input before it sends SIGTERM."""


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


def _reason(error: BaseException) -> str:
    cause = innermost(error)
    return str(cause) if isinstance(cause, AssertionError) else f"{type(cause).__name__}: {cause}"


async def run_all(connect: Callable[[], Wire], over_http: bool) -> bool:
    results = []
    wire = connect()
    async with Client(wire) as client:
        session = Session(client, wire, connect, over_http)
        for title, run in CHECKS:
            results.append(await attempt(title, lambda run=run: run(session)))
        closed = time.monotonic()

    async def exits() -> None:
        seconds = time.monotonic() - closed
        expect(seconds < SDK_PATIENCE_SECONDS, f"the SDK had to end it, after {seconds:.1f} s")

    if not over_http:
        results.append(await attempt("the server exits when its input ends", exits))
    print(f"{results.count(True)} passed, {results.count(False)} failed", flush=True)
    return all(results)


def main() -> int:
    match sys.argv[1:]:
        case ["--", command, *arguments]:
            parameters = StdioServerParameters(command=command, args=arguments)
            transport, over_http = (lambda: stdio_client(parameters)), False
        case [url] if url.startswith("http://"):
            transport, over_http = (lambda: streamable_http_client(url)), True
        case _:
            print("usage: check.py -- path/to/server [its arguments] | URL", file=sys.stderr)
            return 2
    try:
        return 0 if anyio.run(run_all, lambda: Wire(transport()), over_http) else 1
    except Exception as error:
        print(f"FAIL  connecting: {_reason(error)}", flush=True)
        return 1


if __name__ == "__main__":
    sys.exit(main())
