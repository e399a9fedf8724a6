"""The built-in models: what each says to a conversation, and what it may be asked for."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from squall.call import BadRequest, ModelRequest, Reply, ToolOffer, ToolUse
from squall.models import NoMatch, Turn, builtin

SCHEMA = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
TOOL = ToolOffer("refund", schema=SCHEMA)
OTHER = ToolOffer("lookup", schema={"type": "object"})
HELLO = "Hello! How can I help you today?"


def says(name, request, sentinels=()):
    brain: Any = builtin.models(sentinels)[name].brain
    return brain.answer(request)


@pytest.fixture
def asked(asked):
    """A request as elsewhere, and with these tools."""

    def make(*messages, **changes):
        return msgspec.structs.replace(asked(*messages), **changes)

    return make


@pytest.fixture
def after(done):
    """The user's message, a call by the model, and its result."""

    def make(result, before=()):
        use = ToolUse("refund", '{"order": ""}')
        return [*(before or ["please"]), *done(Turn(Reply(calls=(use,))), result)]

    return make


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mock-chat", HELLO),
        ("mock-smoke", "SQUALL_SMOKE_OK"),
        ("mock-stream-disconnect", HELLO),
        ("mock-stream-stall", HELLO),
        ("mock-recover-503", "SQUALL_RECOVERY_OK"),
        ("mock-recover-stream-disconnect", "SQUALL_STREAM_RECOVERY_OK"),
        ("mock-daily-empty-rag-chat", "SQUALL_EMPTY_RAG_OK"),
    ],
)
def test_each_says_its_sentence(asked, name, text):
    assert says(name, asked("hi")) == Reply(text)


def test_a_sentence_gives_way_to_the_schema_of_the_request(asked):
    assert says("mock-chat", asked("hi", schema=SCHEMA)) == Reply()


def test_a_demanded_call_is_made_with_valid_arguments(asked):
    request = asked("hi", tools=(OTHER, TOOL), tool_choice="refund")
    [use] = says("mock-chat", request).calls
    assert (use.name, json.loads(use.arguments)) == ("refund", {"order": "text"})
    [use] = says("mock-chat", asked("hi", tools=(OTHER, TOOL), tool_choice="required")).calls
    assert use.name == "lookup"


def test_a_call_that_is_merely_allowed_is_not_made_by_models_that_talk(asked):
    assert says("mock-chat", asked("hi", tools=(TOOL,))).text == HELLO
    assert says("mock-chat", asked("hi", tools=(TOOL,), tool_choice="none")).text == HELLO


def test_mock_tool_calls_the_first_tool_with_valid_arguments_then_says_what_came_back(asked, after):
    [use] = says("mock-tool", asked("hi", tools=(TOOL, OTHER))).calls
    assert (use.name, json.loads(use.arguments)) == ("refund", {"order": "text"})
    assert says("mock-tool", asked(*after("refunded 5 EUR"), tools=(TOOL,))) == Reply("refunded 5 EUR")


def test_mock_tool_calls_again_when_the_user_goes_on(asked, after):
    history = [*after("done"), ("assistant", "done"), "and now?"]
    assert says("mock-tool", asked(*history, tools=(TOOL,))).calls


@pytest.mark.parametrize(
    ("given", "why"), [({}, "offers none"), ({"tools": (TOOL,), "tool_choice": "none"}, "forbids")]
)
@pytest.mark.parametrize("name", ["mock-tool", "mock-daily-tool-recovery"])
def test_a_model_that_calls_a_tool_needs_one(asked, name, given, why):
    with pytest.raises(NoMatch, match=why):
        says(name, asked("hi", **given))


@pytest.mark.parametrize("bad", ['{"error": "the service is down"}', '{"ok": false}', "  "])
def test_tool_recovery_calls_again_after_a_bad_result_and_goes_on_after_a_good_one(asked, after, bad):
    failed = after(bad)
    assert says("mock-daily-tool-recovery", asked(*failed, tools=(TOOL,))).calls[0].name == "refund"
    good = after('{"status": "refunded"}', before=failed)
    assert says("mock-daily-tool-recovery", asked(*good, tools=(TOOL,))) == Reply("SQUALL_TOOL_RECOVERY_OK")


def test_tool_recovery_gives_up_after_the_third_bad_result_of_one_question(asked, after):
    twice = after('{"ok": false}', before=after('{"ok": false}'))
    assert says("mock-daily-tool-recovery", asked(*twice, tools=(TOOL,))).calls
    thrice = after('{"ok": false}', before=twice)
    with pytest.raises(NoMatch, match="the last one, of refund, tells of a failure"):
        says("mock-daily-tool-recovery", asked(*thrice, tools=(TOOL,)))
    anew = after('{"ok": false}', before=[*thrice, ("assistant", "no"), "try again"])
    assert says("mock-daily-tool-recovery", asked(*anew, tools=(TOOL,))).calls


def test_an_empty_last_result_is_told_as_such(asked, after):
    thrice = after("", before=after("", before=after("")))
    with pytest.raises(NoMatch, match="the last one, of refund, is empty"):
        says("mock-daily-tool-recovery", asked(*thrice, tools=(TOOL,)))


@pytest.mark.parametrize("sentinel", ["SQUALL_SENTINEL_1", "SQUALL_SENTINEL_2"])
@pytest.mark.parametrize("role", ["user", "system", "assistant"])
def test_empty_rag_refuses_either_sentinel_in_any_message(asked, sentinel, role):
    with pytest.raises(NoMatch, match=f"sentinel '{sentinel}' stands in"):
        says("mock-daily-empty-rag-chat", asked((role, f"… {sentinel} …"), "what do the documents say?"))


def test_sentinels_that_are_given_replace_the_two(asked):
    name, mine = "mock-daily-empty-rag-chat", ("4111", "Jane Roe")
    assert says(name, asked("SQUALL_SENTINEL_1"), mine).text == "SQUALL_EMPTY_RAG_OK"
    for sentinel in mine:
        with pytest.raises(NoMatch):
            says(name, asked(f"about {sentinel}"), mine)


@pytest.mark.parametrize("name", builtin.NAMES)
def test_embeddings_and_chats_are_apart(name):
    model = builtin.models()[name]
    embeds = name.startswith("mock-embedding")
    good: Any
    bad: Any
    good, bad = ("embeddings", "chat") if embeds else ("chat", "embeddings")
    model.admit(ModelRequest(good, name, stream=not embeds))
    with pytest.raises(
        BadRequest, match="makes embeddings, and nothing else" if embeds else "makes no embeddings"
    ) as no:
        model.admit(ModelRequest(bad, name))
    assert (no.value.status, no.value.param) == (400, "model")


@pytest.mark.parametrize("name", builtin.NAMES)
def test_only_the_two_that_spoil_streams_demand_one(name):
    model = builtin.models()[name]
    request = ModelRequest("embeddings" if model.embeds else "chat", name)
    if name in ("mock-stream-disconnect", "mock-stream-stall"):
        with pytest.raises(BadRequest, match="only streams"):
            model.admit(request)
    else:
        model.admit(request)


def test_nothing_is_said_to_be_unused():
    assert [model.brain.unused() for model in builtin.models().values() if model.brain] == [[]] * 9
