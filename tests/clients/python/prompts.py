"""Prompts: their list, their messages, and completions of their arguments."""

from __future__ import annotations

import mcp_types as types
from session import Session, check, expect, refused, same

RECOMMEND = types.PromptReference(name="recommend")


@check("prompts/list: the arguments, and which have to be there")
async def prompts_list(s: Session) -> None:
    prompts = (await s.client.list_prompts()).prompts
    same([prompt.name for prompt in prompts], ["praise", "recommend"], "names")
    prompt = prompts[1]
    same((prompt.name, prompt.description), ("recommend", "Recommend a book."), "prompt")
    arguments = [(a.name, bool(a.required)) for a in prompt.arguments]
    same(arguments, [("book", True), ("chapter", False), ("tone", False)], "arguments")


@check("prompts/get: messages of both roles")
async def messages(s: Session) -> None:
    for arguments, text in (
        ({"book": "emma"}, "Recommend emma, with warmth."),
        ({"book": "emma", "chapter": "3", "tone": "Terse"}, "Recommend emma, from chapter 3 on, in three words."),
    ):
        found = (await s.client.get_prompt("recommend", arguments)).messages
        same([m.role for m in found], ["user", "assistant"], "roles")
        same([m.content.text for m in found], [text, "Gladly."], "texts")


@check("prompts/get with wrong arguments: −32602 that names them")
async def wrong_arguments(s: Session) -> None:
    for arguments, named in (
        (None, "book"),
        ({"book": "emma", "chapter": "three"}, "chapter"),
        ({"book": "emma", "colour": "red"}, "colour"),
    ):
        error = await refused(s.client.get_prompt("recommend", arguments))
        same(error.code, -32602, f"code for {arguments}")
        expect(named in error.message, f"{named} is not named in {error.message!r}")
    error = await refused(s.client.get_prompt("no_such_prompt"))
    same(error.code, -32602, "code for an unknown prompt")
    expect("no_such_prompt" in error.message, f"the prompt is not named in {error.message!r}")


@check("completion: by a function, by an enum, and with the other arguments")
async def completion(s: Session) -> None:
    for name, value, context, values in (
        ("book", "mi", None, ["middlemarch"]),
        ("book", "x", None, []),
        ("tone", "", None, ["Terse", "Warm"]),
        ("chapter", "13", {"book": "moby dick"}, ["13", "130", "131", "132", "133", "134", "135"]),
        ("chapter", "13", {"book": "emma"}, ["13"]),
    ):
        found = await s.client.complete(RECOMMEND, {"name": name, "value": value}, context)
        same(found.completion.values, values, f"{name} from {value!r} with {context}")
    many = (await s.client.complete(RECOMMEND, {"name": "chapter", "value": ""}, {"book": "moby dick"})).completion
    same((len(many.values), many.total, many.has_more), (100, 135, True), "values, total and more")
