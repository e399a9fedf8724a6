"""A world from the tools that a server lists."""

from __future__ import annotations

import asyncio

import pytest

from squall.call import Refused
from squall.drafts import from_tools, handlers_text
from squall.errors import UsageError
from squall.runs.environment import Environment

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def tool(name, takes=None, gives=None, *, required=(), **more):
    listed = {"name": name, "inputSchema": {"type": "object", "properties": takes or {}, "required": list(required)}}
    return {**listed, **({"outputSchema": gives} if gives else {}), **more}


def object_of(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


def get(name="get_order", key="order_id", gives=None, kind=TEXT):
    return tool(name, {key: kind}, gives, required=[key])


ORDER = object_of(
    id=TEXT, status={"type": "string", "enum": ["placed", "gone"]}, total={"type": "number", "minimum": 0}
)


def test_tools_about_one_thing_share_a_record_and_work(of_tools):
    drafted = of_tools(
        get(gives=ORDER),
        tool("list_orders", {"status": TEXT, "limit": WHOLE}, object_of(result={"type": "array", "items": ORDER})),
        tool("create_order", {"status": TEXT, "note": TEXT}, ORDER, required=["status"]),
        tool("update_order", {"order_id": TEXT, "status": TEXT}, required=["order_id"]),
        tool("delete_order", {"order_id": TEXT}, required=["order_id"]),
    )
    assert [record.full for record in drafted.draft.records] == ["shop.order"]
    assert drafted.field("order", "status") == ("enum[placed, gone]",)
    assert drafted.field("order", "note") == ("str?",)
    made = drafted.world.call("create_order", {"status": "placed", "note": "soon"})
    assert drafted.world.call("update_order", {"id": made["id"], "status": "gone"})["status"] == "gone"
    assert made["id"] in [row["id"] for row in drafted.world.call("list_orders", {"status": "gone"})]
    assert drafted.world.call("delete_order", {"id": made["id"]})["note"] == "soon"
    with pytest.raises(Refused, match="missing argument 'status'"):
        drafted.world.call("create_order", {})


def test_what_the_draft_does_otherwise_is_said(of_tools):
    drafted = of_tools(get(gives=ORDER), tool("list_orders", {"status": TEXT, "limit": WHOLE}))
    assert "# get_order: its id is called 'order_id' in the original" in drafted.text
    assert "# list_orders: the original also takes limit" in drafted.text


@pytest.mark.parametrize(
    ("name", "kind", "record"),
    [
        ("get_order", "get", "order"),
        ("getOrderById", "get", "order"),
        ("orders_get", "get", "order"),
        ("shop.fetch-line-item", "get", "line_item"),
        ("describe_orders", "get", "order"),
    ],
)
def test_names_say_what_a_tool_does(of_tools, name, kind, record):
    found = of_tools(get(name, "id", gives=object_of(id=TEXT))).draft
    assert [(one.kind, one.record) for one in found.operations.values()] == [(kind, record)]


def test_many_that_are_got_without_an_id_are_a_list(of_tools):
    drafted = of_tools(tool("get_orders", gives=object_of(orders={"type": "array", "items": ORDER})))
    assert len(drafted.world.call("get_orders", {})) == 5


@pytest.mark.parametrize(
    "listed",
    [
        tool("get_weather", {"city": TEXT}, required=["city"]),
        tool("get_time"),
        tool("get_order", {"order_id": TEXT, "token": TEXT}, required=["order_id", "token"]),
        tool("get_order", {"order_id": {"type": "array"}}, required=["order_id"]),
        tool("search_docs", {"query": TEXT}, required=["query"]),
        tool("list_files", {}, object_of(result={"type": "array", "items": TEXT})),
        tool("list_totals", {}, object_of(result={"type": "number"})),
        tool("list_rooms", {"floors": {"type": "array"}}, required=["floors"]),
        tool("add_item_to_cart", {"item": TEXT}),
        tool("create_order"),
        tool("update_order", {"order_id": TEXT}, required=["order_id"]),  # nothing else tells of an order
        tool("get"),
        tool("ship-it!", {"n": WHOLE}),
        tool("create_order", {"n": WHOLE}, annotations={"readOnlyHint": True}),
        tool("get_order", {"id": TEXT}, required=["id"], annotations={"readOnlyHint": False}),
        {"name": "broken", "inputSchema": 7, "outputSchema": [], "annotations": 3, "description": 4},
    ],
    ids=lambda listed: listed["name"],
)
def test_a_tool_that_no_record_answers_waits_for_a_handler(of_tools, listed):
    drafted = of_tools(listed)
    assert (len(drafted.draft.customs), drafted.world.operations) == (1, {})
    compile(handlers_text(drafted.draft), "rules", "exec")


def test_a_custom_operation_has_the_tools_arguments_and_words(of_tools):
    takes = {"order_id": TEXT, "on": {"type": "string", "format": "date"}, "world": WHOLE}
    drafted = of_tools(
        tool(
            "cancel-order",
            takes,
            required=["order_id"],
            description="Cancel it.\nNow.",
            annotations={"readOnlyHint": True},
        )
    )
    text = handlers_text(drafted.draft)
    assert "def cancel_order(world, clock, order_id: str, on: date | None = None, world_2: int | None = None):" in text
    assert '"""tool cancel-order: Cancel it. Now.' in text
    assert "`world` in the original is `world_2`." in text
    assert "from datetime import date\n" in text
    assert 'access: read, description: "Cancel it.\\nNow."' in drafted.text


def test_the_words_that_agents_read_stay(of_tools):
    drafted = of_tools(get(gives=ORDER) | {"description": "Get: an order.\n\nBy its id."})
    assert drafted.world.operations["get_order"].description == "Get: an order.\n\nBy its id."


def test_references_follow_the_names_and_the_type_of_ids(of_tools):
    drafted = of_tools(
        get(gives=object_of(id=WHOLE, customer_id=WHOLE, rep_id=TEXT), kind=WHOLE),
        get("get_customer", "customer_id", kind=WHOLE),
        get("get_rep", "rep_id", kind=WHOLE),
    )
    assert drafted.field("order", "customer_id") == ("ref[shop.customer]",)
    assert drafted.field("order", "rep_id") == ("str",)
    assert drafted.world.call("get_order", {"id": 1})["id"] == 1


def test_where_no_schema_tells_the_fields_what_it_is_listed_by_does(of_tools):
    drafted = of_tools(get(), tool("list_orders", {"status": TEXT, "page": WHOLE}))
    assert drafted.field("order", "status") == ("str?",)
    assert "# only what it is listed by is told; add what there is" in drafted.text
    assert "# the server does not tell the fields; add what there is" in of_tools(get()).text


def test_a_name_that_is_told_without_a_type_takes_it_from_elsewhere(of_tools):
    drafted = of_tools(get(gives=object_of(id={}, n={}, other={})), tool("create_order", {"n": WHOLE}))
    assert drafted.field("order", "n") == ("int?",)
    assert drafted.field("order", "other") == ("str", "any value in the original")


def test_schemas_may_refer_to_their_own_definitions(of_tools):
    gives = {"$ref": "#/$defs/Order", "$defs": {"Order": ORDER}}
    assert of_tools(get(gives=gives)).field("order", "total") == ("float[0..]",)


def test_a_reference_to_nothing_names_its_tool(of_tools):
    with pytest.raises(UsageError) as caught:
        of_tools(get(), get("get_rep", "rep_id", {"$ref": "#/$defs/Rep"}))
    assert str(caught.value) == (
        "the tools of a server: tool 'get_rep': '#/$defs/Rep' refers to nothing: there is no '$defs'"
    )


def test_a_tool_that_is_listed_twice_is_there_once_and_names_that_differ_little_are_told_apart(of_tools):
    assert list(of_tools(tool("a-b"), tool("a-b"), tool("a_b")).draft.customs) == ["a_b", "a_b_2"]


def test_no_tools_are_an_empty_world():
    draft = from_tools([], name="…", source="nothing")
    assert (draft.name, draft.operations) == ("world", {})


def test_the_tools_of_a_world_that_squall_serves_are_drafted_again(drafted, of_tools, tmp_path):
    first = drafted("petshop.yaml")
    (tmp_path / "world.yaml").write_text(first.text, encoding="utf-8")
    with Environment(tmp_path / "world.yaml", record=False) as run:
        listed = asyncio.run(run.mcp_server.list_tools())
    again = of_tools(*(tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed))
    assert set(again.draft.operations) == {"get_pet", "list_pets", "add_pet", "update_pet", "remove_pet"}
    assert again.field("pet", "status")[0] == "enum[available, sold]?"
    assert again.world.call("get_pet", {"id": 1})["id"] == 1
