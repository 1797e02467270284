"""A transport of the SDK, with every message of both directions kept.

It changes nothing on the way. The record is what lets a check say "no answer
came for that id", or "this answer came before that one", without a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio


class Wire:
    """A transport for `mcp.Client` that records `sent` and `received` messages as plain JSON."""

    def __init__(self, transport: AbstractAsyncContextManager[Any]) -> None:
        self._inner = transport
        self.sent: list[dict[str, Any]] = []
        self.received: list[dict[str, Any]] = []
        self.unreadable: list[Exception] = []
        self._changed = anyio.Event()

    async def __aenter__(self) -> tuple[_Reader, _Writer]:
        read, write = await self._inner.__aenter__()
        return _Reader(read, self), _Writer(write, self)

    async def __aexit__(self, *exc: Any) -> bool | None:
        return await self._inner.__aexit__(*exc)

    def keep(self, into: list[dict[str, Any]], message: Any) -> None:
        into.append(message.model_dump(by_alias=True, exclude_unset=True))
        self._changed.set()
        self._changed = anyio.Event()

    async def until_sent(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first sent message that is wanted, waiting for it if it was not sent yet."""
        while True:
            for message in self.sent:
                if wanted(message):
                    return message
            await self._changed.wait()

    def answers(self) -> list[Any]:
        """The ids of all answers so far, in the order in which they arrived."""
        return [message.get("id") for message in self.received if "method" not in message]


class _Reader:
    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    async def receive(self) -> Any:
        item = await self._inner.receive()
        if isinstance(item, Exception):
            self._wire.unreadable.append(item)
        else:
            self._wire.keep(self._wire.received, item.message)
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Reader:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> _Reader:
        return self

    async def __aexit__(self, *exc: Any) -> None:
        await self.aclose()


class _Writer:
    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    async def send(self, item: Any) -> None:
        await self._inner.send(item)
        self._wire.keep(self._wire.sent, item.message)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Writer:
        return self

    async def __aexit__(self, *exc: Any) -> None:
        await self.aclose()
