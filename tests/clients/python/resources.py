"""Resources and templates: their lists, their contents, and completions of their variables."""

from __future__ import annotations

import base64
import json

import mcp_types as types
from session import Session, check, expect, refused, same


@check("resources/list and resources/templates/list: all there is, sorted and described")
async def lists(s: Session) -> None:
    resources = (await s.client.list_resources()).resources
    same([str(r.uri) for r in resources], ["library://bytes", "library://closed", "library://rules"], "URIs")
    same([r.mime_type for r in resources], ["application/octet-stream", "text/plain", "text/plain"], "types")
    templates = (await s.client.list_resource_templates()).resource_templates
    same([t.uri_template for t in templates], ["library://books/{book}/{number}"], "templates")
    expect(all(entry.description for entry in [*resources, *templates]), "an entry without description")


@check("resources/read: text, bytes, and JSON of a template")
async def contents(s: Session) -> None:
    (rules,) = (await s.client.read_resource("library://rules")).contents
    same((str(rules.uri), rules.mime_type), ("library://rules", "text/plain"), "rules")
    same(rules.text, "Return every book. Não há exceções. 🦀", "text")
    (every,) = (await s.client.read_resource("library://bytes")).contents
    same(every.mime_type, "application/octet-stream", "type")
    same(base64.b64decode(every.blob, validate=True), bytes(range(256)), "bytes")
    (page,) = (await s.client.read_resource("library://books/moby%20dick/7")).contents
    same((str(page.uri), page.mime_type), ("library://books/moby%20dick/7", "application/json"), "page")
    same(json.loads(page.text), {"book": "moby dick", "number": 7}, "JSON")


@check("resources/read of what is not there: −32602 that names it")
async def not_found(s: Session) -> None:
    for uri in ("library://nothing", "library://books/walden/1", "http://example.com/"):
        error = await refused(s.client.read_resource(uri))
        same((error.code, error.data), (-32602, {"uri": uri}), uri)


@check("completion of a template's variable")
async def completion(s: Session) -> None:
    template = types.ResourceTemplateReference(uri="library://books/{book}/{number}")
    found = (await s.client.complete(template, {"name": "book", "value": "m"})).completion
    same(found.values, ["middlemarch", "moby dick"], "values")
    expect(not found.has_more, "more is promised")
