from __future__ import annotations

from types import SimpleNamespace

import pytest

from squall import ToolError, UsageError
from squall.runs.strategies.rows import NEXT
from squall.strategies import BrokenStream, Found
from tests.runs.strategies.scenarios import BLIND, KEYED, LARGE, SCRIPT, TWO, WORLD, fault

PAGED = WORLD.replace("filter: [order] }", "filter: [order], page_size: 2 }")
TALK = 'task = "Say hello."\nprovider = "script.toml"\n[scenario]\nname = "talk"\n'
HELLO = '[[turn]]\nsay = "hello"\n'
SECRETS = ("r_1", "refunded", "timeout", "occurrence", "expect", "occur")


def public(thing, path="env", depth=6, seen=None):
    """Everything that can be reached by public attributes that are no functions, as text with its path."""
    seen = set() if seen is None else seen
    if depth == 0 or id(thing) in seen or isinstance(thing, str | int | float | bool | type(None)):
        yield path, repr(thing)
        return
    seen.add(id(thing))
    if isinstance(thing, list | tuple | dict):
        for each in thing.values() if isinstance(thing, dict) else thing:
            yield from public(each, f"{path}[]", depth - 1, seen)
    for name in dir(thing):
        if name.startswith("_"):
            continue
        value = getattr(thing, name, None)
        if not callable(value):
            yield from public(value, f"{path}.{name}", depth - 1, seen)


def test_the_search_for_secrets_finds_one():
    hidden = SimpleNamespace(_far="r_2", open=[SimpleNamespace(result={"refund": "r_1"})])
    assert [shown for _, shown in public(hidden)] == ["'r_1'"]


def test_no_public_attribute_leads_to_results_faults_or_expectations(doing):
    async def seen(_task, env):
        return list(public(env))

    text = TWO.replace('"two-steps"', '"a-task"') + fault(kind="timeout", step=0)
    found = doing(text + '\n[expect]\nanswer_contains = "refunded"\n', seen)
    paths = {path for path, _ in found}
    assert {"env.seed", "env.text", "env.task.steps[].tool", "env.mcp_url", "env.openai_base_url"} <= paths
    for path, shown in found:
        assert not any(secret in shown for secret in SECRETS), path


def test_the_address_of_the_tools_is_a_plain_text(doing):
    async def address(_task, env):
        return type(env.mcp_url), env.mcp_url

    assert doing(TWO, address)[0] is str
    kind, url = doing(LARGE, address)
    assert (kind, url.startswith("http://127.0.0.1:"), url.endswith("/mcp")) == (str, True, True)


def test_the_task_in_words_is_its_text_or_its_steps(doing):
    async def text(_task, env):
        return env.text

    assert doing(LARGE, text) == "Refund order 1, 40."
    assert doing(LARGE.replace('task = "Refund order 1, 40."', ""), text) == "Do what there is to do."
    assert doing(TWO, text).splitlines() == [
        "Make these calls in order, each once:",
        '1. issue_refund {"amount":40,"order":"1"}',
        '2. get_order {"order":"1"}',
    ]


def test_steps_come_as_often_as_they_are_asked_for(doing):
    async def order(_task, env):
        return [step.index async for step in env.steps()]

    assert doing(TWO, order) == [0, 1]
    assert doing(TWO + fault(kind="repeated_call", step=0, repeat=2), order) == [0, 0, 0, 1]
    assert doing(TWO + fault(kind="duplicate_task"), order) == [0, 1, 0, 1]


def test_a_step_raises_what_a_tool_raises(doing):
    async def called(task, env):
        with pytest.raises(ToolError) as refused:
            await env.call(task.steps[0])
        with pytest.raises(BrokenStream, match="ended within") as broken:
            await env.call(task.steps[1])
        return refused.value.status, refused.value.retry_after, broken.value.part

    text = TWO + fault(kind="http_503", step=0, retry_after="2s") + fault(kind="partial_stream", step=1, after=2)
    assert doing(text, called) == (503, 2.0, '{"order":"1","st')


def test_a_step_with_the_same_key_is_done_once(lab, doing):
    async def twice(task, env):
        return [await env.call(task.steps[0], key=key) for key in ("k", "k", "other")]

    assert doing(TWO, twice) == [{"refund": "r_1"}] * 3

    class Twice:
        name = "twice"

        async def run(self, task, env):
            await twice(task, env)

    assert len(lab.run(TWO, Twice).events("Effected")) == 2


def test_a_step_can_be_asked_after(doing):
    async def asked(task, env):
        before = await env.find(task.steps[0])
        await env.call(task.steps[0])
        return before, await env.find(task.steps[0])

    assert doing(TWO, asked) == (None, Found({"refund": "r_1"}))


def test_steps_are_tools_as_well(doing):
    async def called(_task, env):
        by_name = await env.call("issue_refund", {"order": "1", "amount": 40}, key="k")
        with pytest.raises(ToolError, match="Unknown tool: isue_refund"):
            await env.call("isue_refund", {})
        return by_name, await env.tools.aio.get_order(order="1"), env.tools.get_order("1"), env.has_tools

    refund, order, again, has = doing(TWO, called)
    assert (refund, order["total"], again, has) == ({"refund": "r_1"}, 40, order, True)


def test_a_world_has_its_tools(doing):
    async def called(_task, env):
        row = await env.call("issue_refund", {"order": "1", "amount": 40})
        names = [each["function"]["name"] for each in env.tool_list()]
        return row["amount"], env.tools.list_refunds()[0] == row, names

    assert doing(LARGE, called) == (40, True, ["issue_refund", "list_refunds"])


def test_where_there_are_no_tools_it_is_said(doing):
    async def nothing(_task, env):
        for ask in (lambda: env.tools, lambda: env.mcp_url):
            with pytest.raises(UsageError, match=r"the scenario 'talk' has no tools\n +Name a world"):
                ask()
        return env.has_tools, env.tool_list(), env.key_field("pay"), env.writes("pay")

    assert doing(TALK, nothing, script=HELLO) == (False, [], None, True)


def test_where_there_is_no_model_it_is_said(doing):
    async def nothing(_task, env):
        with pytest.raises(UsageError, match="has no provider"):
            env.openai_base_url
        return env.has_model

    assert doing(LARGE.replace('provider = "script.toml"\n', ""), nothing) is False


def test_the_argument_for_a_key_is_told(doing):
    async def fields(_task, env):
        return [env.key_field(tool) for tool in ("issue_refund", "list_refunds", "get_order", "nothing")]

    assert doing(LARGE, fields, world=KEYED) == ["request_id", None, None, None]
    assert doing(LARGE, fields) == [None] * 4
    assert doing(TWO, fields) == ["idempotency_key", None, None, None]


def test_which_tools_write_is_told(doing):
    async def writes(_task, env):
        return [env.writes(tool) for tool in ("issue_refund", "list_refunds", "get_order", "nothing")]

    assert doing(LARGE, writes) == [True, False, True, True]
    assert doing(TWO, writes) == [True, True, False, True]


def test_a_row_is_found_on_any_page(doing):
    async def found(_task, env):
        for amount in range(5):
            await env.call("issue_refund", {"order": "1", "amount": amount})
        assert (await env.call("list_refunds", {"order": "1"}))[NEXT]
        row = await env.find_row("issue_refund", {"order": "1", "amount": 4})
        return row.value["amount"], await env.find_row("issue_refund", {"order": "1", "amount": 5})

    assert doing(LARGE.partition("[[expect.prop")[0], found, world=PAGED) == (4, None)


def test_a_row_that_no_list_shows_cannot_be_looked_for(doing):
    async def found(_task, env):
        with pytest.raises(LookupError, match="no list shows what issue_refund leaves"):
            await env.find_row("issue_refund", {"order": "1"})
        return True

    assert doing(LARGE, found, world=BLIND)


def test_chance_is_the_seeds(doing):
    async def drawn(_task, env):
        await env.sleep(1)
        return env.seed, env.run_index, env.uniform("a", 1), env.uniform("a", 1), env.uniform("a", 2)

    seed, index, first, again, other = doing(TWO, drawn)
    assert (seed, index, first == again, first == other, 0 <= first < 1) == (7, 0, True, False, True)
    assert doing(TWO, drawn, seed=8)[2] != first


def test_the_model_of_the_scenario_answers_at_both_addresses(doing):
    async def addresses(_task, env):
        return env.openai_base_url, env.anthropic_base_url, env.has_model

    openai, anthropic, has = doing(LARGE, addresses, script=SCRIPT)
    assert (openai, has) == (f"{anthropic}/v1", True)
