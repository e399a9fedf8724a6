from __future__ import annotations

import asyncio
import json

import pytest

from squall import ToolError
from squall.strategies import (
    BrokenStream,
    Done,
    Found,
    ModelError,
    Reply,
    ToolCall,
    Unfinished,
    ambiguous,
    found_first,
    found_row,
    fresh_memory,
    key_for,
    pause,
    whole_reply,
    with_retries,
    within,
    worth_trying_again,
)
from tests.runs.strategies.scenarios import BLIND, LARGE, TWO, fault

NOT_JSON = json.JSONDecodeError("no JSON", "{", 1)


@pytest.mark.parametrize(
    ("error", "again", "unknown"),
    [
        (TimeoutError(), True, True),
        (ConnectionError(), True, True),
        (BrokenStream("it broke off", "{"), True, True),
        (NOT_JSON, True, True),
        (ToolError("no", 400), False, False),
        (ToolError("no", 404), False, False),
        (ToolError("no"), False, False),
        (ToolError("slow", 408), True, True),
        (ToolError("conflict", 409), True, False),
        (ToolError("too many", 429), True, False),
        (ToolError("broken", 500), True, True),
        (ToolError("overloaded", 503), True, True),
        (ModelError("overloaded", 529), True, True),
        (ModelError("advised against", 503, should_retry=False), False, True),
        (ModelError("advised", 400, should_retry=True), True, False),
        (Unfinished("cut", again=True), True, True),
        (Unfinished("refused", again=False), False, True),
        (ValueError("a bug"), False, True),
    ],
)
def test_what_is_worth_another_try_and_what_may_have_happened(error, again, unknown):
    assert worth_trying_again(error) is again
    assert ambiguous(error) is unknown


def test_pauses_double_up_to_a_cap_less_a_jitter_and_a_service_goes_first(doing):
    async def pauses(_task, env):
        backoff = [pause(env, "x", tried, TimeoutError()) for tried in range(1, 8)]
        asked = [pause(env, "x", 1, ToolError("no", 503, after)) for after in (0, 0.1, 7, 120, 121)]
        return backoff, asked

    backoff, asked = doing(TWO, pauses)
    for whole, real in zip([0.5, 1, 2, 4, 8, 8, 8], backoff, strict=True):
        assert 0.75 * whole <= real <= whole
    assert len(set(backoff)) == 7
    assert asked[1:] == [0.1, 7.0, 120.0, None]
    assert 0.375 <= asked[0] <= 0.5


def test_the_key_of_a_write_is_the_same_at_each_try_and_no_other_writes(doing):
    async def keys(_task, env):
        return [key_for(env, 0, "pay"), key_for(env, 0, "pay"), key_for(env, 1, "pay")]

    first, again, other = doing(TWO, keys)
    assert (first == again, first == other, len(first)) == (True, False, 24)
    assert doing(TWO, keys, seed=8)[0] != first


def test_what_became_of_a_step_is_asked_where_it_is_not_known(doing):
    async def asked(task, env):
        write, read = task.steps
        before = await found_first(env, write, TimeoutError())
        await env.call(write)
        return [
            before,
            await found_first(env, write, TimeoutError()),
            await found_first(env, write, ToolError("refused", 400)),
            await found_first(env, read, TimeoutError()),
        ]

    assert doing(TWO, asked) == [None, Found({"refund": "r_1"}), None, None]


def test_a_question_that_fails_leaves_all_as_unknown_as_it_was(doing, monkeypatch):
    async def asked(task, env):
        async def fails(_step):
            raise ConnectionError

        monkeypatch.setattr(env, "find", fails)
        return await found_first(env, task.steps[0], TimeoutError())

    assert doing(TWO, asked) is None


def test_a_row_is_looked_for_and_nothing_is_done_twice_where_none_can_be(doing):
    arguments = {"order": "1", "amount": 40}

    async def asked(_task, env):
        before = await found_row(env, "issue_refund", arguments, TimeoutError())
        row = await env.call("issue_refund", arguments)
        found = await found_row(env, "issue_refund", arguments, TimeoutError())
        others = await found_row(env, "issue_refund", arguments, TimeoutError(), (row,))
        return before, found == Found(row), others, await found_row(env, "list_refunds", {}, TimeoutError())

    assert doing(LARGE, asked) == (None, True, None, None)

    async def blind(_task, env):
        overloaded = await found_row(env, "issue_refund", arguments, ToolError("overloaded", 503))
        with pytest.raises(TimeoutError, match="the first"):
            await found_row(env, "issue_refund", arguments, TimeoutError("the first"))
        return overloaded

    assert doing(LARGE, blind, world=BLIND) is None


def test_a_memory_of_another_version_is_none(doing):
    async def recalled(task, env):
        return [(env.recall(step), fresh_memory(env, step)) for step in task.steps]

    (memory, fresh), nothing = doing(TWO + fault(kind="stale_memory", step=0, repeat=2, value="old"), recalled)
    assert (memory.value, memory.version, fresh, nothing) == ("old", 0, None, (None, None))


@pytest.mark.parametrize(
    ("reply", "why", "again"),
    [
        (Reply("", finish="length"), "cut at its limit", True),
        (Reply("  "), "said nothing", True),
        (Reply("", refusal="I cannot."), "refused: I cannot.", False),
        (Reply("A", finish="content_filter"), "refused: content_filter", False),
    ],
)
def test_a_reply_that_is_no_answer_is_told(reply, why, again):
    with pytest.raises(Unfinished, match=why) as raised:
        whole_reply(reply)
    assert raised.value.again is again


def test_a_reply_whose_calls_have_broken_arguments_is_told():
    good, bad, list_ = (Reply("", (ToolCall("a", "pay", text),)) for text in ('{"a": 1}', '{"a": ', "[1]"))
    assert whole_reply(good) is good
    assert whole_reply(Reply("", (ToolCall("a", "pay", ""),))).calls[0].arguments() == {}
    for broken in (bad, list_):
        with pytest.raises(json.JSONDecodeError):
            whole_reply(broken)


def test_a_call_that_never_returns_has_a_deadline(doing):
    async def waited(_task, env):
        loop = asyncio.get_running_loop()
        began = loop.time()
        with pytest.raises(TimeoutError):
            await within(90, env.sleep(1000))
        return round(loop.time() - began, 3), await within(90, asyncio.sleep(1, "in time"))

    assert doing(TWO, waited) == (90.0, "in time")


def test_what_was_done_is_kept_in_order():
    done = Done()
    done["b"], done["a"] = 2, 1
    assert ("b" in done, "c" in done, done["a"], done.results()) == (True, False, 1, [2, 1])


def test_a_call_is_tried_again_as_often_as_asked_and_the_last_error_is_raised(doing):
    async def tried(_task, env):
        tries: list[None] = []

        async def fails():
            tries.append(None)
            raise ToolError(f"try {len(tries)}", 503, 1)

        with pytest.raises(ToolError, match="try 4"):
            await with_retries(fails, env=env, name="x", times=3)
        with pytest.raises(ToolError, match="try 5"):
            await with_retries(fails, env=env, name="x", times=0)
        return round(asyncio.get_running_loop().time(), 3)

    assert doing(TWO, tried) == 3.0


def test_what_is_found_before_another_try_is_the_result(doing):
    async def tried(_task, env):
        asked = []

        async def fails():
            raise TimeoutError

        async def before(error):
            asked.append(type(error))
            return Found("found") if len(asked) == 2 else None

        return await with_retries(fails, env=env, name="x", before=before), asked

    assert doing(TWO, tried) == ("found", [TimeoutError, TimeoutError])
