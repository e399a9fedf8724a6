from __future__ import annotations

import asyncio

import pytest
from mcp import Client

from squall import ToolError
from tests.runs.strategies.scenarios import TWO, fault

TWICE = TWO + TWO.partition("[[steps]]")[1] + TWO.split("[[steps]]")[1]
REFUND = {"order": "1", "amount": 40}
OWN_FIND = TWO.replace('"get_order"', '"find_result"')


def test_their_schemas_are_read_off_the_arguments(doing):
    async def listed(_task, env):
        return {each["function"]["name"]: each["function"] for each in env.tool_list()}

    mixed = TWICE.replace(
        '{ order = "1", amount = 40 }', '{ order = 7, amount = 40, note = "x", tags = ["a"], deep = {} }', 1
    )
    tools = doing(mixed, listed)
    assert list(tools) == ["issue_refund", "get_order", "find_result"]
    schema = tools["issue_refund"]["parameters"]
    key = schema["properties"].pop("idempotency_key")
    assert schema == {
        "type": "object",
        "properties": {
            "order": {"type": ["integer", "string"]},
            "amount": {"type": "integer"},
            "note": {"type": "string"},
            "tags": {"type": "array"},
            "deep": {"type": "object"},
        },
        "required": ["amount", "order"],
        "additionalProperties": False,
    }
    assert (key["type"], "carried out once" in key["description"]) == ("string", True)
    assert "idempotency_key" not in tools["get_order"]["parameters"]["properties"]
    assert tools["find_result"]["parameters"]["properties"]["tool"]["enum"] == ["issue_refund", "get_order"]


def test_a_call_makes_the_next_step_that_it_fits_and_then_the_last_again(lab):
    class Thrice:
        name = "thrice"

        async def run(self, task, env):
            for _ in range(3):
                await env.call("issue_refund", REFUND)

    ran = lab.run(TWICE, Thrice)
    assert [event.target for event in ran.events("ToolCall")] == ["step0.issue_refund", *["step2.issue_refund"] * 2]


def test_a_call_that_was_not_answered_makes_the_same_step_again(lab):
    class Again:
        name = "again"

        async def run(self, task, env):
            for _ in range(2):
                with pytest.raises(TimeoutError):
                    await env.call("issue_refund", REFUND)
            await env.call("issue_refund", REFUND, key="a")
            await env.call("issue_refund", REFUND)

    ran = lab.run(TWICE + fault(kind="timeout", step=0, repeat=2), Again)
    assert [event.target for event in ran.events("ToolCall")] == [*["step0.issue_refund"] * 3, "step2.issue_refund"]


def test_calls_at_once_make_a_step_each(lab):
    class Both:
        name = "both"

        async def run(self, task, env):
            await asyncio.gather(*(env.call("issue_refund", REFUND) for _ in range(2)))

    ran = lab.run(TWICE + fault(kind="latency", step=0), Both)
    assert sorted(event.target for event in ran.events("ToolCall")) == ["step0.issue_refund", "step2.issue_refund"]


def test_what_fits_no_step_is_refused_and_recorded(lab, doing):
    async def refused(_task, env):
        errors = []
        for tool, arguments in [("issue_refund", {"order": "2"}), ("step0", REFUND), ("pay", {}), ("find_result", {})]:
            try:
                errors.append(await env.call(tool, arguments))
            except ToolError as error:
                errors.append((str(error), error.status))
        return errors

    assert doing(TWO, refused) == [
        ("400 Bad Request: issue_refund cannot be done with these arguments", 400),
        ("Unknown tool: step0", None),
        ("Unknown tool: pay", None),
        {"found": False},
    ]

    class Refused:
        name = "refused"

        async def run(self, task, env):
            await refused(task, env)

    ran = lab.run(TWO, Refused)
    assert [event.tool for event in ran.events("ToolCall")] == ["issue_refund", "step0()", "pay", "find_result()"]
    assert ran.events("Effected") == []


def test_what_became_of_a_call_can_be_asked_by_its_name(doing):
    async def asked(_task, env):
        question = {"tool": "issue_refund", "arguments": REFUND}
        before = await env.call("find_result", question)
        with pytest.raises(TimeoutError):
            await env.call("issue_refund", REFUND)
        return before, await env.call("find_result", question), await env.call("find_result", {"tool": "pay"})

    before, after, other = doing(TWO + fault(kind="timeout", step=0), asked)
    assert (before, after, other) == ({"found": False}, {"found": True, "result": {"refund": "r_1"}}, {"found": False})


def test_a_step_may_have_the_name_of_that_question(doing):
    async def asked(_task, env):
        return [each["function"]["name"] for each in env.tool_list()], await env.call("find_result", {"order": "1"})

    names, result = doing(OWN_FIND, asked)
    assert (names, result["total"]) == (["issue_refund", "find_result"], 40)


def test_they_are_reached_over_mcp_in_the_same_loop(doing):
    async def called(_task, env):
        async with Client(env.mcp_url) as client:
            tools = (await client.list_tools()).tools
            done = await client.call_tool("issue_refund", REFUND | {"idempotency_key": "k"})
            slow = await client.call_tool("get_order", {"order": "1"})
            bad = await client.call_tool("get_order", {"order": "2"})
        texts = [each.text for result in (slow, bad) for each in result.content if each.type == "text"]
        return [tool.name for tool in tools], done.structured_content, *texts

    names, done, slow, bad = doing(TWO + fault(kind="timeout", step=1), called)
    assert names == ["issue_refund", "get_order", "find_result"]
    assert (done, bad) == ({"refund": "r_1"}, "400 Bad Request: get_order cannot be done with these arguments")
    assert "timed out" in slow.lower()
