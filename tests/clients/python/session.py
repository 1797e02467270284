"""What a check is and what it gets, and the words in which checks say what they expect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp import Client, MCPError
from wire import Wire

REVISION = "2026-07-28"


@dataclass
class Session:
    """What a check gets: a connected client, the record of its wire, and how to connect once more."""

    client: Client
    wire: Wire
    connect: Callable[[], Wire]
    over_http: bool


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
        if isinstance(cause := innermost(error), MCPError):
            return cause
        raise
    raise AssertionError(f"expected a protocol error, found {_short(result)}")


def innermost(error: BaseException) -> BaseException:
    """The first cause inside the groups that the SDK's task groups wrap around an error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 300 else f"{shown[:300]}… ({len(shown)} characters)"
