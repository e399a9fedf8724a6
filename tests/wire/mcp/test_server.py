"""The official client before the server of a run: what it is told of tools, and what it is answered."""

from __future__ import annotations

import asyncio
import json

import jsonschema  # type: ignore[import-untyped]  # it comes without stubs
import mcp
import mcp_types
import pytest
from mcp.shared.exceptions import MCPError

from squall.wire.mcp.server import output_schema

BOTH_MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


def talk(run, agent, **options):
    async def main():
        async with mcp.Client(run.mcp_server, **options) as client:
            return await agent(client)

    return asyncio.run(main())


async def tools_of(client):
    return {tool.name: tool for tool in (await client.list_tools()).tools}


@BOTH_MODES
def test_there_is_one_tool_per_operation_with_its_description_and_schema(begin, mode):
    with begin() as run:
        tools = talk(run, tools_of, mode=mode)
        assert list(tools) == list(run.world.operations)
        for name, operation in run.world.operations.items():
            assert tools[name].input_schema == operation.input_schema
            assert tools[name].description == operation.description
    schema = tools["create_note"].input_schema
    assert schema["properties"]["pages"] == {"type": "integer", "minimum": 1, "maximum": 10}
    assert schema["properties"]["state"]["enum"] == ["open", "done"]
    assert schema["properties"]["price"] == {"type": "number", "minimum": 5, "maximum": 500}
    assert schema["properties"]["due"]["format"] == "date-time"
    assert schema["required"] == ["text"]
    assert tools["get_note"].input_schema["properties"]["id"]["description"] == "the id of the note"
    assert tools["get_note"].description == "Get a note by its id."


def schemas_in(schema):
    yield schema
    for inner in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from schemas_in(inner)


@BOTH_MODES
def test_an_output_schema_demands_nothing_at_any_level(begin, mode):
    with begin() as run:
        for tool in talk(run, tools_of, mode=mode).values():
            assert tool.output_schema["type"] == "object"
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            allowed = {"properties", "items", "title", "description"}
            inner = [schema for schema in schemas_in(tool.output_schema) if schema is not tool.output_schema]
            assert all(schema.keys() <= allowed for schema in inner)
            assert tool.output_schema.keys() <= {*allowed, "type"}
        notes = talk(run, tools_of, mode=mode)["list_notes"].output_schema["properties"]["result"]["items"]
        assert {"id", "text", "address"} <= notes["properties"].keys()
        assert notes["properties"]["address"]["properties"].keys() == {"street", "zip"}


def test_an_unknown_shape_is_an_object_of_anything():
    assert output_schema(None) == {"type": "object", "properties": {"result": {}}}
    assert output_schema({"type": "string", "description": "a word"}) == {
        "type": "object",
        "properties": {"result": {"description": "a word"}},
    }


@BOTH_MODES
def test_annotations_are_honest(begin, mode):
    with begin() as run:
        hints = {
            name: (t.annotations.read_only_hint, t.annotations.destructive_hint, t.annotations.idempotent_hint)
            for name, t in talk(run, tools_of, mode=mode).items()
        }
    assert hints["get_note"] == hints["list_notes"] == hints["count"] == (True, False, True)
    assert hints["create_note"] == (False, False, False)
    assert hints["update_note"] == hints["delete_note"] == (False, True, True)
    assert hints["move"] == (False, True, False)


@BOTH_MODES
def test_the_server_is_named_after_the_world_and_not_after_the_test(begin, mode):
    async def agent(client):
        return client.server_info.name

    with begin(name="tests/test_office.py::test_agent[run3]") as run:
        assert talk(run, agent, mode=mode) == "office"


@BOTH_MODES
def test_values_come_as_text_and_as_structure(begin, mode):
    async def agent(client):
        one = await client.call_tool("get_note", {"id": "1"})
        many = await client.call_tool("list_notes", {})
        number = await client.call_tool("count", {})
        return one, many, number

    with begin() as run:
        one, many, number = talk(run, agent, mode=mode)
    assert json.loads(one.content[0].text) == one.structured_content
    assert json.loads(many.content[0].text) == many.structured_content["result"] == [one.structured_content]
    assert (number.content[0].text, number.structured_content) == ("1", {"result": 1})
    assert not one.is_error


@BOTH_MODES
def test_no_arguments_are_an_empty_set_of_them(begin, mode):
    async def agent(client):
        return await client.call_tool("count")

    with begin() as run:
        assert talk(run, agent, mode=mode).structured_content == {"result": 1}


@BOTH_MODES
@pytest.mark.parametrize(("tool", "args"), [("get_note", {"id": "99"}), ("get_note", {}), ("get_note", {"id": 5})])
def test_a_refusal_is_a_result_that_says_so(begin, mode, tool, args):
    async def agent(client):
        return await client.call_tool(tool, args)

    with begin() as run:
        result = talk(run, agent, mode=mode)
    assert result.is_error
    assert result.content[0].text
    assert run.result.status == "passed"


@BOTH_MODES
def test_an_unknown_tool_is_a_protocol_error(begin, mode):
    async def agent(client):
        with pytest.raises(MCPError) as raised:
            await client.call_tool("get_notes", {"id": "1"})
        return raised.value.code, raised.value.message

    with begin() as run:
        assert talk(run, agent, mode=mode) == (mcp_types.INVALID_PARAMS, "Unknown tool: get_notes")


@BOTH_MODES
def test_a_removed_tool_leaves_the_list(begin, mode):
    async def agent(client):
        before = set(await tools_of(client))
        with pytest.raises(MCPError, match="Unknown tool: count"):
            await client.call_tool("count", {})
        return before - set(await tools_of(client))

    with begin({"target": "desk.count", "kind": "tool_removed", "nth": 1}) as run:
        assert talk(run, agent, mode=mode) == {"count"}


@BOTH_MODES
@pytest.mark.parametrize("kind", ["malformed_json", "truncated_result"])
def test_a_broken_reply_is_refused_by_the_client_itself(begin, mode, kind):
    async def agent(client):
        with pytest.raises(RuntimeError, match="has an output schema but did not return structured content"):
            await client.call_tool("get_note", {"id": "1"})

    with begin({"target": "desk.get_note", "kind": kind, "nth": 1}) as run:
        talk(run, agent, mode=mode)


@pytest.mark.parametrize("field", ["id", "text", "pages", "price", "state", "tags", "done", "address"])
@pytest.mark.parametrize("value", ["x", 5, None, [1], {"a": 1}, True])
def test_a_wrong_value_of_any_type_reaches_the_agent(begin, field, value):
    async def agent(client):
        one = await client.call_tool("get_note", {"id": "1"})
        many = await client.call_tool("list_notes", {})
        return one.structured_content[field], many.structured_content["result"][0][field]

    rule = {"kind": "wrong_value", "field": field, "value": value, "nth": 1}
    with begin({"target": "desk.get_note", **rule}, {"target": "desk.list_notes", **rule}) as run:
        assert talk(run, agent) == (value, value)


@BOTH_MODES
def test_an_error_in_a_good_reply_passes_also_where_a_field_has_its_name(begin, mode):
    async def agent(client):
        return (await client.call_tool("get_note", {"id": "1"})).structured_content

    with begin({"target": "desk.get_note", "kind": "error_in_200", "nth": 1}) as run:
        assert talk(run, agent, mode=mode) == {"ok": False, "error": "Internal error"}


@BOTH_MODES
def test_a_lost_connection_fails_the_call_and_the_session_goes_on(begin, mode):
    async def agent(client):
        with pytest.raises(MCPError) as raised:
            await client.call_tool("count", {})
        assert raised.value.code == mcp_types.CONNECTION_CLOSED
        return (await client.call_tool("count", {})).structured_content

    with begin({"target": "desk.count", "kind": "connection_lost", "nth": 1}) as run:
        assert talk(run, agent, mode=mode) == {"result": 1}


def test_the_server_answers_without_a_client(begin):
    async def agent(run):
        names = [tool.name for tool in await run.mcp_server.list_tools()]
        assert names == list(run.world.operations)
        assert (await run.mcp_server.call_tool("count")).structured_content == {"result": 1}
        with pytest.raises(MCPError):
            await run.mcp_server.call_tool("nothing", {})

    with begin() as run:
        asyncio.run(agent(run))


def test_a_listed_tool_is_the_callers_own(begin):
    async def agent(run):
        for tool in await run.mcp_server.list_tools():
            tool.input_schema["properties"].clear()

    with begin() as run:
        before = json.dumps(run.tools.openai())
        asyncio.run(agent(run))
        assert json.dumps(run.tools.openai()) == before


@BOTH_MODES
def test_clients_share_one_world_with_the_tools(begin, mode):
    async def agent(client):
        await client.call_tool("update_note", {"id": "1", "text": "by client"})

    with begin() as run:
        talk(run, agent, mode=mode)
        talk(run, agent, mode=mode)
        assert run.tools.get_note("1")["text"] == run.world.notes.get("1").text == "by client"
    assert [view.tool for view in run.trace.calls()] == ["update_note", "update_note", "get_note"]
