"""Whatever a document holds, it is a draft that loads or a refusal in words; and it ends soon, in bounded memory."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squall.documents import parse
from squall.drafts import from_openapi, from_tools, handlers_text, world_text
from squall.errors import UsageError
from squall.worlds import World

MEGABYTES = 2**20
NAMES = ["id", "name", "A", "B", "a-b", "orderId", "from", "null", "items", "data", "to_dict", "é", "1", "x" * 70]
junk: st.SearchStrategy[Any] = st.sampled_from([None, True, False, -3, 0, 3, [], {}, *NAMES])
refs = st.sampled_from(["A", "B", "C"]).map(lambda name: {"$ref": f"#/components/schemas/{name}"})


def schema_of(inner):
    parts = {
        "type": st.sampled_from(
            ["object", "array", "string", "integer", "number", "boolean", "null", ["string", "null"], 3]
        ),
        "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=4) | junk,
        "required": st.lists(st.sampled_from(NAMES), max_size=3) | junk,
        "items": inner | junk,
        "allOf": st.lists(inner, max_size=2) | junk,
        "oneOf": st.lists(inner, max_size=3) | junk,
        "enum": st.lists(junk, max_size=3) | junk,
        "default": st.sampled_from(["a", "now", "2025-01-01", 1.5]) | st.text(max_size=3) | junk,
        "format": st.sampled_from(["date", "date-time", "email", "decimal"]) | junk,
        "minimum": st.integers(-5, 5) | junk,
        "exclusiveMaximum": st.floats() | junk,
        "nullable": st.booleans() | junk,
        "description": st.text(max_size=9) | junk,
    }
    return st.fixed_dictionaries({}, optional=parts)


schemas = st.recursive(refs | junk | schema_of(junk), lambda inner: refs | schema_of(inner), max_leaves=10)
objects = st.fixed_dictionaries(
    {"properties": st.dictionaries(st.sampled_from(NAMES), schemas, min_size=1, max_size=5)},
    optional={"required": st.lists(st.sampled_from(NAMES), max_size=3), "allOf": st.lists(refs | schemas, max_size=2)},
)
components = objects | objects | schemas
answers = refs | refs | st.fixed_dictionaries({"type": st.just("array"), "items": refs}) | objects | schemas


def body(schema):
    return st.fixed_dictionaries(
        {"content": st.fixed_dictionaries({"application/json": st.fixed_dictionaries({"schema": schema})})}
    )


responses = st.fixed_dictionaries({"200": body(answers)}) | st.dictionaries(st.just("default"), body(answers) | junk)
parameter = st.fixed_dictionaries({"name": st.sampled_from(NAMES), "in": st.sampled_from(["query", "path", "header"])})
operation = st.fixed_dictionaries(
    {"responses": responses},
    optional={
        "operationId": st.sampled_from(NAMES) | junk,
        "tags": st.lists(st.sampled_from(NAMES), max_size=1) | junk,
        "summary": st.text(max_size=12) | junk,
        "parameters": st.lists(parameter | junk, max_size=3),
        "requestBody": body(answers) | junk,
    },
)
item = st.fixed_dictionaries({"get": operation}, optional=dict.fromkeys(("post", "put", "patch", "delete"), operation))
PLACES = ["/a/{id}/b", "/a/{id}/b/{b_id}", "/{x}", "/", "/v1/null", "a", "/A-é/{}"]
paths = st.fixed_dictionaries({"/a": item}, optional={"/a/{id}": item, **dict.fromkeys(PLACES, item | junk)})
documents = st.fixed_dictionaries(
    {
        "openapi": st.just("3.1.0"),
        "paths": paths,
        "components": st.fixed_dictionaries(
            {"schemas": st.fixed_dictionaries({"A": components, "B": components, "C": components})}
        ),
    }
)
takes = st.fixed_dictionaries(
    {"properties": st.dictionaries(st.sampled_from(["id", "a_id", "name", "page"]), schemas, max_size=3)},
    optional={"required": st.just(["id"]), "$defs": junk},
)
tool = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["get_a", "list_a", "create_a", "update_a", "get_b", "b_list", "é", "a", "date"]),
        "inputSchema": takes | schemas,
    },
    optional={"outputSchema": objects | schemas, "description": st.text(max_size=9), "annotations": junk},
)
tools = st.lists(tool, max_size=5).map(
    # references in tools lead to nothing more often than not, so most are made plain
    lambda listed: json.loads(json.dumps(listed).replace("#/components/schemas/C", "#"))
)


def works(draft):
    """Loads the draft and calls what it has."""
    world = World.parse(parse(world_text(draft), format="yaml", name="draft.yaml"))
    assert set(world.operations) == set(draft.operations)
    compile(handlers_text(draft), "rules", "exec")
    for name, operation in world.operations.items():
        if operation.kind == "list":
            world.call(name, {})
        elif operation.kind == "get":
            key = 1 if operation.params[0].schema["type"] == "integer" else "1"
            assert world.call(name, {"id": key})["id"] == key


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=60, deadline=None)
@given(documents)
def test_any_document_is_a_draft_that_works_or_is_refused(data):
    try:
        draft = from_openapi(parse(json.dumps(data), format="json", name="api.json"))
    except UsageError:
        return
    works(draft)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=60, deadline=None)
@given(tools)
def test_any_tools_are_a_draft_that_works_or_are_refused(listed):
    try:
        draft = from_tools(listed, name="Shop", source="a server")
    except UsageError:
        return
    works(draft)


def things(schemas, paths=None):
    answer = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}
    paths = paths or {"/things/{id}": {"get": {"responses": answer}}}
    return {"openapi": "3.0.0", "paths": paths, "components": {"schemas": schemas}}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def wide(count, inner):
    return {"type": "object", "properties": {f"p{n}": inner for n in range(count)}}


def doubled(n):
    return {"allOf": [ref(f"L{n + 1}"), ref(f"L{n + 1}")]}


HOSTILE = {
    "mappings in mappings": things(
        {"Thing": wide(400, ref("A")), "A": wide(400, ref("B")), "B": wide(400, ref("C")), "C": wide(400, {})}
    ),
    "everything merged everywhere": things(
        {"Thing": {"allOf": [ref(f"T{n}") for n in range(2000)]}}
        | {f"T{n}": {"allOf": [ref("W"), {"properties": {f"own{n}": {}}}]} for n in range(2000)}
        | {"W": wide(500, {})}
    ),
    "what doubles": things({"Thing": doubled(0)} | {f"L{n}": doubled(n) for n in range(1, 5000)}),
    "many parameters in many paths": things(
        {},
        {f"/p{n}": {"parameters": {"$ref": "#/x"}, "$ref": "#/components/item"} for n in range(3000)},
    )
    | {
        "components": {
            "item": {
                "parameters": [{"name": f"q{n}", "in": "query"} for n in range(1000)],
                **{method: {} for method in ("get", "post", "put", "patch", "delete")},
            }
        }
    },
    "long members in many places": things(
        {"Thing": wide(300, ref("A")), "A": wide(300, ref("E")), "E": {"enum": ["m" * 90 + str(n) for n in range(40)]}}
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_document_that_would_unfold_without_end_is_refused(name):
    api = parse(json.dumps(HOSTILE[name]), format="json", name="api.json")
    with pytest.raises(UsageError, match="more than"):
        from_openapi(api)


def test_what_is_refused_has_taken_little_memory():
    api = parse(json.dumps(HOSTILE["long members in many places"]), format="json", name="api.json")
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match="more than"):
            from_openapi(api)
        assert tracemalloc.get_traced_memory()[1] < 50 * MEGABYTES
    finally:
        tracemalloc.stop()
