#!/usr/bin/env python3
"""Runs a command against a server over HTTP: starts the one, tells the other its URL, and stops the first.

    python3 serve.py path/to/server -- command … URL …

The word `URL` among the command's arguments stands for the URL of the endpoint. The server chooses a free
port, so that no other server can be meant. The exit status is the command's, or 1 if the server did not
start, or did not end in order when it was asked to.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STOP_SECONDS = 15.0
"""More than a server takes to let running calls finish."""


class NotServed(Exception):
    """The server did not do its part."""


@contextmanager
def serving(server: str) -> Iterator[str]:
    """The URL of a server that runs until the block is left."""
    command = [server, "http", "--addr", "127.0.0.1:0"]
    # The log tells the address, and only on this level. A panic is among what is checked, and needs no backtrace.
    environment = {**os.environ, "MCP_LOG": "info", "RUST_BACKTRACE": "0"}
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        _, found, address = first.strip().partition("serving on ")
        # A pipe that nobody reads would stop the server.
        log = threading.Thread(target=shutil.copyfileobj, args=(process.stderr, sys.stderr), daemon=True)
        log.start()
        if not found:
            raise NotServed(f"expected `serving on …`, found {first!r}")
        yield address
        process.send_signal(signal.SIGTERM)
        status = process.wait(STOP_SECONDS)
        log.join()
        if status != 0:
            raise NotServed(f"it ended with {status} when it was asked to end")
    except subprocess.TimeoutExpired:
        raise NotServed(f"it still ran {STOP_SECONDS:.0f} s after it was asked to end") from None
    finally:
        process.kill()
        process.wait()


def main() -> int:
    if len(sys.argv) < 4 or sys.argv[2] != "--":
        print("usage: serve.py path/to/server -- command … URL …", file=sys.stderr)
        return 2
    # As an exception, so that nothing that was started is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with serving(sys.argv[1]) as url:
            command = [url if word == "URL" else word for word in sys.argv[3:]]
            return subprocess.run(command, check=False).returncode
    except NotServed as error:
        print(f"the server: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
