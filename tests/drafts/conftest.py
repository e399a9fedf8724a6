"""Drafts a world from a document or from tools, and loads what is drafted."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from squall.documents import parse
from squall.drafts import Draft, from_openapi, from_tools, load_openapi, world_text
from squall.worlds import World

DOCUMENTS = Path(__file__).parent / "documents"


class Drafted(NamedTuple):
    draft: Draft
    text: str
    world: World

    def field(self, record, name):
        """The type and the notes of a field."""
        found = next(one for one in self.draft.records if one.name == record).fields[name]
        return (found.declared, *found.notes)


def loaded(draft):
    """The draft with its text, and the world that the text loads as."""
    text = world_text(draft)
    return Drafted(draft, text, World.parse(parse(text, format="yaml", name="draft.yaml")))


@pytest.fixture
def drafted():
    """Drafts from one of the documents beside these tests."""
    return lambda file, **options: loaded(from_openapi(load_openapi(DOCUMENTS / file), **options))


@pytest.fixture
def document():
    """A parsed OpenAPI document, from YAML text or from data."""

    def make(text, name="api.yaml"):
        return parse(text, format="yaml", name=name)

    return make


@pytest.fixture
def loaded_from(document):
    """Drafts a world from the YAML of an OpenAPI document, and loads it."""
    return lambda text: loaded(from_openapi(document(text)))


@pytest.fixture
def of_schema(document):
    """Drafts a world with one record `thing`, from the YAML of its properties and of further schemas."""

    def make(properties, more="", required="[]"):
        text = (
            "openapi: 3.1.0\npaths:\n  /things/{id}:\n    get: { responses: { '200': { content: { application/json: "
            "{ schema: { $ref: '#/components/schemas/Thing' } } } } } }\n"
            f"components:\n  schemas:\n    Thing:\n      type: object\n      required: {required}\n      properties:\n"
            f"        id: {{ type: string }}\n        {properties}\n" + (f"    {more}\n" if more else "")
        )
        return loaded(from_openapi(document(text)))

    return make


@pytest.fixture
def of_tools():
    """Drafts a world from tools as the protocol lists them."""
    return lambda *tools: loaded(from_tools(tools, name="Shop", source="the tools of a server"))


SHOP = """
services:
  shop:
    records: { order: { status: "enum[open, shut]", total: float, name: str } }
    operations:
      get_order: { kind: get, record: order }
      list_orders:
        kind: list
        record: order
        filter: [status, status.in, total.gte, name.contains]
        sort: [name, -total]
"""


@pytest.fixture
def world_of_tools():
    """The tools of a world of squall's, as the protocol lists them."""
    operations = World.parse(parse(SHOP, format="yaml", name="shop.yaml")).operations.values()
    return [
        {"name": each.tool, "inputSchema": each.input_schema, "outputSchema": wrapped(each.output_schema)}
        for each in operations
    ]


def wrapped(schema):
    """A list stands inside an object, as the protocol wants it."""
    return schema if schema["type"] == "object" else {"type": "object", "properties": {"result": schema}}
