"""A stub of a language model: an HTTP server of the chat completions interface, which calls one tool and says so.

It looks for the tool among those that a host offers, calls it once with the given arguments, and keeps what the host
sends back as its result.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model:
    """What the stub was offered and told."""

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        self._tool = tool
        self._arguments = json.dumps(arguments)
        self.offered: set[str] = set()
        self.results: list[str] = []
        self.url = ""

    def message(self, request: dict[str, Any]) -> dict[str, Any]:
        """The model's next message: a call of the tool while it has no result, and a text afterwards."""
        names = [tool["function"]["name"] for tool in request.get("tools") or [] if "function" in tool]
        self.offered.update(names)
        told = [message for message in request["messages"] if message["role"] == "tool"]
        self.results.extend(json.dumps(message["content"]) for message in told)
        # Hosts put the server's name before the tool's.
        wanted = [name for name in names if name == self._tool or name.endswith((f"_{self._tool}", f"-{self._tool}"))]
        if told or not wanted:
            return {"role": "assistant", "content": "Done."}
        function = {"name": wanted[0], "arguments": self._arguments}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}],
        }


@contextmanager
def serving(tool: str, arguments: dict[str, Any]) -> Iterator[Model]:
    model = Model(tool, arguments)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send("application/json", json.dumps({"object": "list", "data": [{"id": "stub", "object": "model"}]}))

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "messages" not in request:
                self.send_error(404)
                return
            message = model.message(request)
            finish = "tool_calls" if "tool_calls" in message else "stop"
            about = {"id": "1", "created": 0, "model": "stub"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            if request.get("stream"):
                choices = [
                    {"index": 0, "delta": message, "finish_reason": None},
                    {"index": 0, "delta": {}, "finish_reason": finish},
                ]
                events = [{**about, "object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
                events.append({**about, "object": "chat.completion.chunk", "choices": [], "usage": usage})
                body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
                self._send("text/event-stream", body)
            else:
                choice = {"index": 0, "message": message, "finish_reason": finish}
                body = {**about, "object": "chat.completion", "choices": [choice], "usage": usage}
                self._send("application/json", json.dumps(body))

        def _send(self, content_type: str, body: str) -> None:
            encoded = body.encode()
            self.send_response(200)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Nothing: the table says what happened."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
