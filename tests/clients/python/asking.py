"""Questions in the middle of a call, which the SDK answers by its callbacks.

A result `input_required` is the SDK's own business: it gives each question to the callback of its kind, all of one
round at a time, and sends the call again with the answers and the state, until there is another result. A client
declares what it has callbacks for, and forms and URLs alike as soon as it has one for elicitation.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import Client
from session import Session, check, expect, only_text, refused, same
from wire import Wire

DECLINE = types.ElicitResult(action="decline")
CANCEL = types.ElicitResult(action="cancel")
Answers = Mapping[str, list[types.ElicitResult]]
"""The answers to each message, in the order in which they are given."""


def accept(content: dict[str, Any] | None = None) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


YES, NO = accept({"yes": True}), accept({"yes": False})
BORROWING = {
    "Do you keep the rules?": [YES],
    "For how long?": [accept({"weeks": 3})],
    "Shall I wrap it?": [NO],
    "Do you want a bookmark?": [DECLINE],
}


@dataclass
class Answering:
    """A client that answers in its user's stead, and everything that it was asked."""

    client: Client
    wire: Wire
    asked: list[types.ElicitRequestParams]

    def rounds(self) -> list[list[str]]:
        """The keys that each round asked for, in order."""
        results = [m.get("result", {}) for m in self.wire.received]
        return [sorted(r["inputRequests"]) for r in results if r.get("resultType") == "input_required"]

    def states(self) -> list[tuple[Any, Any]]:
        """For each call that was sent again: the state that had come, and the one that went."""
        came = [m["result"].get("requestState") for m in self.wire.received if "inputRequests" in m.get("result", {})]
        went = [m["params"].get("requestState") for m in self.wire.sent if "inputResponses" in (m.get("params") or {})]
        return list(zip(came, went, strict=True))


@asynccontextmanager
async def answering(s: Session, answers: Answers, **options: Any) -> AsyncIterator[Answering]:
    """Such a client, which has to be asked for all its answers, and is sent no requests."""
    left = {message: list(given) for message, given in answers.items()}
    asked: list[types.ElicitRequestParams] = []

    async def answer(_: Any, question: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(question)
        # What was wrong with an answer stands behind the question that is asked again.
        given = left.get(question.message.split(" (")[0])
        expect(bool(given), f"one answer too few to {question.message!r}")
        return given.pop(0)

    wire = s.connect()
    async with Client(wire, elicitation_callback=answer, **options) as client:
        yield Answering(client, wire, asked)
    same({message: given for message, given in left.items() if given}, {}, "answers that nobody asked for")
    same([m for m in wire.received if "method" in m and "id" in m], [], "requests from the server")


@check("a form with a field of each kind is filled in")
async def form(s: Session) -> None:
    content = {"name": "Ada", "age": 36, "height": 1.65, "delivery": "bike", "reads": ["Poems", "Essays"]}
    async with answering(s, {"Who are you?": [accept(content)]}) as a:
        text = only_text(await a.client.call_tool("write_card"))
    same(text, "Ada, None, 36, 1.65 m, letters: true, Bicycle, [Poems, Essays]", "text")
    (question,) = a.asked
    same(question.mode, "form", "mode")
    schema = question.requested_schema
    same(schema["required"], ["name", "age", "height", "reads"], "what has to be there")
    kinds = {name: field["type"] for name, field in schema["properties"].items()}
    wanted = {"name": "string", "email": "string", "age": "integer", "height": "number", "letters": "boolean"}
    same(kinds, {**wanted, "delivery": "string", "reads": "array"}, "fields")


@check("a form that is declined, and one that is cancelled")
async def no_answer(s: Session) -> None:
    for answer, text in ((DECLINE, "no card, as you wish"), (CANCEL, "no card for now")):
        async with answering(s, {"Who are you?": [answer]}) as a:
            same(only_text(await a.client.call_tool("write_card")), text, answer.action)
        same(a.rounds(), [["reader"]], "rounds")


@check("an answer that does not fit the form is asked for again")
async def asked_again(s: Session) -> None:
    fitting = {"name": "Ada", "email": "ada@example.com", "age": 36, "height": 2, "letters": False, "reads": ["Novels"]}
    wrong = [{**fitting, "age": 131}, {**fitting, "email": "ada"}, {**fitting, "reads": []}, {}]
    async with answering(s, {"Who are you?": [*map(accept, wrong), accept(fitting)]}) as a:
        text = only_text(await a.client.call_tool("write_card"))
    same(text, 'Ada, Some("ada@example.com"), 36, 2 m, letters: false, Counter, [Novels]', "text")
    same(a.asked[0].message, "Who are you?", "the first question")
    for field, question in zip(("age", "email", "reads", "name"), a.asked[1:], strict=True):
        expect(f"`{field}`" in question.message, f"nothing of {field} in {question.message!r}")
    same(a.rounds(), [["reader"]] * 5, "rounds")


@check("one question, another one, and two at once, with a step between them that runs once")
async def rounds(s: Session) -> None:
    async with answering(s, BORROWING) as a:
        text = only_text(await a.client.call_tool("borrow", {"book": "emma"}))
    found = "rules Some(true), weeks Some(3), wrapped Some(false), marked None; run 4, stamp 1"
    same(text, f"emma: {found}", "text")
    same(a.rounds(), [["rules"], ["kept"], ["marked", "wrapped"]], "rounds")
    states = a.states()
    same([came for came, went in states if came != went], [], "states that did not come back as they were")
    expect(isinstance(states[-1][1], str), "the last round had nothing to remember")


@check("progress is told in each round, before what the round asks")
async def progress(s: Session) -> None:
    async def tell(*_: Any) -> None:
        pass

    async with answering(s, BORROWING) as a:
        await a.client.call_tool("borrow", {"book": "persuasion"}, progress_callback=tell)
    calls = [m["id"] for m in a.wire.sent if m["method"] == "tools/call"]
    told = [
        m["params"]["progress"] if "method" in m else m["result"]["resultType"]
        for m in a.wire.received
        if m.get("id") in calls or m.get("method") == "notifications/progress"
    ]
    same(told, [1, "input_required", 1, "input_required", 1, 2, "input_required", 1, 2, "complete"], "messages")


@check("a caller that answers by itself may do it later, and not with another state")
async def by_hand(s: Session) -> None:
    async with answering(s, {}) as a:

        def borrow(book: str, answers: types.InputResponses | None = None, state: str | None = None) -> Awaitable[Any]:
            return a.client.session.call_tool(
                "borrow", {"book": book}, input_responses=answers, request_state=state, allow_input_required=True
            )

        first = await borrow("middlemarch")
        second = await borrow("middlemarch", {"rules": YES}, first.request_state)
        same(list(second.input_requests), ["kept"], "the second question")
        state, answer = second.request_state, {"kept": accept({"weeks": 8})}
        for book, wrong in (("middlemarch", state[:-1]), ("middlemarch", state + "A"), ("emma", state)):
            error = await refused(borrow(book, answer, wrong))
            same(error.code, -32602, "code for a state that is not the one that came")
        third = await borrow("middlemarch", answer, state)
        same(sorted(third.input_requests), ["marked", "wrapped"], "the third questions")


@check("a URL that the user agrees to, refuses and leaves")
async def url(s: Session) -> None:
    for answer, text in ((accept(), "Accepted(())"), (DECLINE, "Declined"), (CANCEL, "Cancelled")):
        async with answering(s, {"Pay your fine.": [answer]}) as a:
            same(only_text(await a.client.call_tool("pay_fine")), text, answer.action)
        (question,) = a.asked
        same((question.mode, question.url), ("url", "https://library.example/fines/7"), "question")


@check("the client's model and its folders are asked for")
async def model_and_folders(s: Session) -> None:
    async def sample(_: Any, request: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        text = f"{request.messages[0].content.text} In {request.max_tokens} tokens."
        return types.CreateMessageResult(role="assistant", content=types.TextContent(text=text), model="none")

    async def folders(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///books"), types.Root(uri="file:///maps")])

    async with answering(s, {}, sampling_callback=sample, list_roots_callback=folders) as a:
        text = only_text(await a.client.call_tool("sum_up", {"book": "emma"}))
        same(text, "Sum up emma. In 20 tokens.", "text of the model")
        same(only_text(await a.client.call_tool("name_folders")), "file:///books file:///maps", "folders")


@check("a prompt and a resource ask, too")
async def prompt_and_resource(s: Session) -> None:
    async with answering(s, {"Loudly?": [YES], "Are you sure?": [CANCEL]}) as a:
        (message,) = (await a.client.get_prompt("praise", {"book": "emma"})).messages
        same(message.content.text, "Praise emma: Accepted(Agreed { yes: true }).", "prompt")
        (contents,) = (await a.client.read_resource("library://closed")).contents
        same(contents.text, "Cancelled", "resource")


@check("a client that cannot be asked is told what it lacks: −32021")
async def cannot_be_asked(s: Session) -> None:
    for call, lacking in (
        (s.client.call_tool("write_card"), {"elicitation": {"form": {}}}),
        (s.client.call_tool("pay_fine"), {"elicitation": {"url": {}}}),
        (s.client.call_tool("sum_up", {"book": "emma"}), {"sampling": {}}),
        (s.client.call_tool("name_folders"), {"roots": {}}),
        (s.client.get_prompt("praise", {"book": "emma"}), {"elicitation": {"form": {}}}),
        (s.client.read_resource("library://closed"), {"elicitation": {"form": {}}}),
        (s.client.call_tool("copy_book"), {"extensions": {"io.modelcontextprotocol/tasks": {}}}),
    ):
        error = await refused(call)
        same((error.code, error.data), (-32021, {"requiredCapabilities": lacking}), "error")


@check("a tool that is a task answers this client at once, as it does not know tasks")
async def not_a_task(s: Session) -> None:
    async with answering(s, {"In red?": [YES]}) as a:
        text = only_text(await a.client.call_tool("bind_book"))
    same(text, "Accepted(Agreed { yes: true })", "text")
    calls = [m["id"] for m in a.wire.sent if m["method"] == "tools/call"]
    kinds = [m["result"]["resultType"] for m in a.wire.received if m["id"] in calls]
    same(kinds, ["input_required", "complete"], "kinds of results")
