from __future__ import annotations

import asyncio
import json

import pytest

from squall import ToolError
from squall.runs.strategies.talking import WHOLE, _lines, _refused, _whole
from squall.strategies import BrokenStream, Reply, Talk, ToolCall
from tests.runs.strategies.scenarios import LARGE, REFUND, SAID, fault, turn


def read(*pieces):
    async def come():
        for piece in pieces:
            yield piece

    return asyncio.run(_whole(_lines(come())))


def event(delta=None, finish=None, **more):
    choices = [] if delta is None and finish is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return b"data: " + json.dumps({"choices": choices, **more}, ensure_ascii=False).encode() + b"\n\n"


def call(index, **function):
    return {"index": index, **({"id": function.pop("id")} if "id" in function else {}), "function": function}


END = b"data: [DONE]\n\n"


def test_an_answer_is_put_together_however_it_is_cut():
    whole = event({"role": "assistant", "content": ""}) + event({"content": "a\u2028b\x85 "}) + event({"content": "ü"})
    whole += event({}, "stop") + event(usage={"prompt_tokens": 1}) + b": a comment\n\n" + END
    for size in (1, 7, len(whole)):
        pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
        assert read(*pieces) == Reply("a\u2028b\x85 ü")


def test_calls_are_told_by_their_index_and_come_in_its_order():
    pieces = [
        event({"tool_calls": [call(1, id="b", name="ship", arguments="")]}),
        event({"tool_calls": [call(0, id="a", name="pay", arguments='{"a"')]}),
        event({"tool_calls": [call(1, arguments="{}"), call(0, arguments=": 1}")]}),
        event({}, "tool_calls"),
        END,
    ]
    assert read(*pieces) == Reply("", (ToolCall("a", "pay", '{"a": 1}'), ToolCall("b", "ship", "{}")), "tool_calls")


def test_a_refusal_is_no_text():
    assert read(event({"refusal": "I can"}), event({"refusal": "not."}, "stop"), END) == Reply("", refusal="I cannot.")


@pytest.mark.parametrize("end", [b"", END, event({}, "stop"), event({}, "stop").strip()])
def test_an_answer_without_its_end_is_broken_off(end):
    with pytest.raises(BrokenStream) as raised:
        read(event({"content": "so far"}), end)
    assert raised.value.part == "so far"


def test_an_error_in_place_of_an_answer_is_one_of_the_connection():
    error = {"error": {"message": "it broke", "code": None}}
    for body in (
        json.dumps(error).encode(),
        event({"content": "a"}) + b"data: " + json.dumps(error).encode() + b"\n\n",
    ):
        with pytest.raises(ConnectionError, match="the model failed: it broke"):
            read(body)


def test_an_event_that_is_no_json_is_told():
    with pytest.raises(json.JSONDecodeError):
        read(event({"content": "a"}), b'data: {"choices": [\n\n')


@pytest.mark.parametrize(
    ("body", "headers", "told"),
    [
        (b'{"error": {"message": "slow down"}}', {"retry-after": "3"}, ("429: slow down", 3.0, None)),
        (b'{"error": "slow down"}', {"retry-after": "9", "retry-after-ms": "250"}, ("429: slow down", 0.25, None)),
        (b"<html>", {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, ("429: <html>", None, None)),
        (b"[1]", {"x-should-retry": "false"}, ("429: [1]", None, False)),
        (b"\xff", {"x-should-retry": "true"}, ("429: \ufffd", None, True)),
    ],
)
def test_a_refusal_of_the_provider_says_what_it_advises(body, headers, told):
    error = _refused(429, body, headers)
    assert (str(error), error.retry_after, error.should_retry) == told
    assert error.status == 429


def test_tokens_are_counted(lab):
    ran = lab.run(LARGE, "baseline")
    assert ran.metrics.tokens > 0
    assert all(event.usage for event in ran.events("ModelReply"))


def test_signs_of_life_alone_end_at_a_deadline(lab):
    ran = lab.run(LARGE + fault(kind="ping_only", target="model.chat", nth=1), "baseline")
    assert (ran.answered, round(ran.seconds, 3)) == ("failed", WHOLE)
    assert ran.answer.startswith("TimeoutError")


def test_silence_ends_at_a_shorter_one(lab):
    ran = lab.run(LARGE + fault(kind="timeout", target="model.chat", nth=1), "baseline")
    assert (ran.answered, round(ran.seconds, 3)) == ("failed", 60.0)


def test_a_model_that_never_answers_is_left(doing):
    async def talked(_task, env):
        async with Talk(env) as talk:
            reply = Reply("", (ToolCall("a", "list_refunds", "{}"),))

            async def ask():
                return reply

            async def use(call):
                return await env.call(call.tool, call.arguments())

            with pytest.raises(RuntimeError, match="used 50 times and never answered"):
                await talk.to_its_end(ask, use)
        return True

    assert doing(LARGE, talked)


def test_an_error_of_the_service_is_raised_and_a_refusal_told(doing):
    async def talked(_task, env):
        replies = [Reply("", (ToolCall("a", "issue_refund", "{}"),)), Reply("I see.")]

        async def ask():
            return replies.pop(0)

        async def broken(_call):
            raise ToolError("500 Internal Server Error", 500)

        async def use(call):
            return await env.call(call.tool, call.arguments())

        async with Talk(env) as talk:
            with pytest.raises(ToolError, match="500"):
                await talk.to_its_end(ask, broken)
        replies.insert(0, Reply("", (ToolCall("a", "isue_refund", "{}"),)))
        async with Talk(env) as talk:
            return await talk.to_its_end(ask, use)

    assert doing(LARGE, talked) == "I see."


def test_ids_that_come_again_get_another_in_the_history_where_it_is_wanted(lab):
    script = turn(**REFUND, call_id="x") + turn(call="list_refunds", call_id="x") + turn(**SAID)
    assert lab.run(LARGE, "resilient", script=script).met
    ran = lab.run(LARGE, "baseline", script=script)
    assert (ran.answered, ran.answer[:17]) == ("failed", "ModelError: 400: ")
