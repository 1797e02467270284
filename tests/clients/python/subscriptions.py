"""Subscriptions: what a client that listens is told, and what it is not."""

from __future__ import annotations

from mcp.client.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    Subscription,
    ToolsListChanged,
)
from session import Session, check, same

RULES, BYTES = "library://rules", "library://bytes"


async def heard(subscription: Subscription) -> ServerEvent:
    return await anext(aiter(subscription))


@check("a subscription tells of the lists and resources that it is for, and of no others")
async def listening(s: Session) -> None:
    async with s.client.listen(tools_list_changed=True, resource_subscriptions=[RULES]) as subscription:
        honored = subscription.honored
        same((honored.tools_list_changed, honored.resource_subscriptions), (True, [RULES]), "acknowledged")
        same((honored.prompts_list_changed, honored.resources_list_changed), (None, None), "not asked for")
        await s.client.call_tool("announce", {"what": "tools"})
        same(await heard(subscription), ToolsListChanged(), "first event")
        await s.client.call_tool("announce", {"what": "prompts"})
        await s.client.call_tool("announce", {"what": "resources"})
        await s.client.call_tool("announce", {"what": BYTES})
        await s.client.call_tool("announce", {"what": RULES})
        same(await heard(subscription), ResourceUpdated(uri=RULES), "second event")


@check("two subscriptions at once, each with its own")
async def two_at_once(s: Session) -> None:
    async with (
        s.client.listen(prompts_list_changed=True) as prompts,
        s.client.listen(resources_list_changed=True) as resources,
    ):
        await s.client.call_tool("announce", {"what": "resources"})
        same(await heard(resources), ResourcesListChanged(), "the one on resources")
        await s.client.call_tool("announce", {"what": "prompts"})
        same(await heard(prompts), PromptsListChanged(), "the one on prompts")


@check("a subscription that was left is told of nothing more")
async def left(s: Session) -> None:
    async with s.client.listen(tools_list_changed=True) as subscription:
        pass
    await s.client.call_tool("announce", {"what": "tools"})
    async with s.client.listen(tools_list_changed=True) as next_one:
        await s.client.call_tool("announce", {"what": "tools"})
        same(await heard(next_one), ToolsListChanged(), "the next subscription")
    ids = [m["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for m in s.wire.received if _changed(m)]
    same(subscription.subscription_id in ids, False, "told of a change after it was left")


def _changed(message: dict[str, object]) -> bool:
    return message.get("method") == "notifications/tools/list_changed"
