"""What each SDK makes of each fault today, row by row: an SDK that changes its mind is noticed here.

A row names the rules, and for each outcome the ways of asking that have it (`ways.py`). `±` is for sync and async both.
An outcome is what the code that asked got to see: text, calls of the tool, and what was raised.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from squall.models import call
from tests.sdks.ways import DEADLINE, WAYS, ask

pytestmark = [
    pytest.mark.usefixtures(
        "openai", "anthropic", "litellm", "langchain_openai", "langchain_anthropic", "pydantic_ai", "agents"
    ),
    pytest.mark.filterwarnings("ignore:.*the .ReadOnly. qualifier:UserWarning"),  # litellm's types, to pydantic
]
STREAMED_OPENAI = (
    "openai chat, streamed±; openai chat.stream(); openai responses, streamed±; openai responses.stream(); "
    "agents chat, run_streamed; agents responses, run_streamed"
)
STREAMED_ANTHROPIC = "anthropic messages, streamed±; anthropic .stream()±; ChatAnthropic, streamed±"
STREAMED_LITELLM = "litellm openai/, streamed±; litellm anthropic/, streamed±"
STREAMED_RUNNER = "anthropic tool_runner, streamed±; anthropic tool_runner, eager"
STREAMED_PYDANTIC = "pydantic-ai chat, run_stream; pydantic-ai responses, run_stream; pydantic-ai anthropic, run_stream"

TEXT = "one two three four five six"
PAID = {"to": "Bob", "amount": 500, "note": "rent of May"}
PAY = call("pay", PAID)
TEXT_ALONE = f"openai chat, streamed±; anthropic messages, streamed±; {STREAMED_LITELLM}"  # all that is heard there
TRIED = 3  # an SDK tries twice more by itself


def both(names):
    """The ways in a text: `a; b±` is a, b and b's async form."""
    for name in names.split("; "):
        yield name.removesuffix("±")
        if name.endswith("±"):
            yield f"{name.removesuffix('±')}, async"


def everywhere(kind, **more):
    return {"model.*": [{"kind": kind, **more}]}


def after_two_words(kind, **more):
    """At the same place in each protocol's stream: two words have come."""
    places = {"model.chat": 3, "model.responses": 6, "model.messages": 5}
    return {target: [{"kind": kind, "after": place, **more}] for target, place in places.items()}


@dataclass(frozen=True)
class Row:
    """One fault: its rules, who sees what, after how many requests and how much time, where that is not by the way."""

    rules: dict[str, list[dict[str, object]]]
    seen: dict[str, str]
    pays: bool = False
    attempts: dict[str, int] = field(default_factory=dict)
    elapsed: dict[str, float] = field(default_factory=dict)


ROWS = {
    "the connection is closed in mid-stream": Row(
        after_two_words("stream_disconnect"),
        {
            "'one two' then openai.APIConnectionError": STREAMED_OPENAI,
            "'one two' then httpx2.RemoteProtocolError": STREAMED_ANTHROPIC,
            "httpx2.RemoteProtocolError": STREAMED_RUNNER,
            "'one two' then litellm.MidStreamFallbackError": STREAMED_LITELLM,
            "'one two' then langchain_openai.OpenAIConnectionError": "ChatOpenAI, streamed±",
            "'one two' then pydantic_ai.ModelConnectionError": STREAMED_PYDANTIC,
        },
    ),
    "the connection is broken in mid-stream": Row(
        after_two_words("stream_disconnect", how="reset"),
        {
            "'one two' then openai.APIConnectionError": STREAMED_OPENAI,
            "'one two' then httpx2.ReadError": STREAMED_ANTHROPIC,
            "httpx2.ReadError": STREAMED_RUNNER,
            "'one two' then litellm.MidStreamFallbackError": STREAMED_LITELLM,
            "'one two' then langchain_openai.OpenAIConnectionError": "ChatOpenAI, streamed±",
            "'one two' then pydantic_ai.ModelConnectionError": STREAMED_PYDANTIC,
        },
    ),
    "a stall in mid-stream": Row(
        after_two_words("stream_stall", seconds=200),
        {
            "'one two' then openai.APITimeoutError": STREAMED_OPENAI,
            "'one two' then httpx2.ReadTimeout": STREAMED_ANTHROPIC,
            "httpx2.ReadTimeout": STREAMED_RUNNER,
            "'one two' then litellm.Timeout": "litellm openai/, streamed±",
            "'one two' then litellm.MidStreamFallbackError": "litellm anthropic/, streamed±",
            "'one two' then langchain_openai.OpenAITimeoutError": "ChatOpenAI, streamed±",
            "'one two' then pydantic_ai.ModelTimeoutError": STREAMED_PYDANTIC,
        },
        elapsed={"": DEADLINE},
    ),
    "a clean end without the terminal event": Row(
        after_two_words("clean_eof"),
        {
            "'one two'": "openai chat, streamed±; openai chat.stream(); openai responses, streamed±; "
            f"{STREAMED_ANTHROPIC}; ChatOpenAI, streamed±; {STREAMED_PYDANTIC}; agents chat, run_streamed",
            "'one two' then RuntimeError": "openai responses.stream()",
            "nothing": STREAMED_RUNNER,
            "'one two' then litellm.MidStreamFallbackError": STREAMED_LITELLM,
            "'one two' then agents.ModelBehaviorError": "agents responses, run_streamed",
        },
    ),
    "a clean end after all of the text": Row(
        everywhere("clean_eof"),
        {
            f"'{TEXT}'": "openai chat, streamed±; openai chat.stream(); openai responses, streamed±; "
            f"{STREAMED_ANTHROPIC}; ChatOpenAI, streamed±; {STREAMED_PYDANTIC}; agents chat, run_streamed",
            f"'{TEXT}' then RuntimeError": "openai responses.stream()",
            f"'{TEXT}' then litellm.MidStreamFallbackError": STREAMED_LITELLM,
            f"'{TEXT}' then agents.ModelBehaviorError": "agents responses, run_streamed",
        },
    ),
    "a clean end inside a call's arguments": Row(
        {
            "model.chat": [{"kind": "clean_eof", "after": 4}],
            "model.responses": [{"kind": "clean_eof", "after": 5}],
            "model.messages": [{"kind": "clean_eof", "after": 6}],
        },
        {
            'pay({"to": "Bob", "amount": 500})': "anthropic .stream()±; ChatOpenAI, streamed±; "
            "ChatAnthropic, streamed±",
            "nothing": "openai chat, streamed±; openai chat.stream(); openai responses, streamed±; "
            "anthropic messages, streamed±; anthropic tool_runner, streamed±; anthropic tool_runner, eager",
            "RuntimeError": "openai responses.stream()",
            "litellm.MidStreamFallbackError": STREAMED_LITELLM,
            "pydantic_ai.UnexpectedModelBehavior": STREAMED_PYDANTIC,
            "agents.ModelBehaviorError": "agents responses, run_streamed",
            "'one two three'": "agents chat, run_streamed",  # it tells the model, and is cut again
        },
        pays=True,
        attempts={"agents chat": 2},
    ),
    "a call's arguments are cut, and the reply is complete": Row(
        everywhere("truncated_arguments", keep=0.6, nth=1),
        {
            'pay({"to":"Bob","amount":500,"n)': "openai chat±; openai chat.stream(); openai responses±; "
            "openai responses, streamed±; openai responses.stream(); litellm openai/±",
            'invalid: pay({"to":"Bob","amount":500,"n)': "ChatOpenAI±",
            'pay({"to": "Bob", "amount": 500})': "anthropic messages±; anthropic .stream()±; litellm anthropic/±; "
            "ChatOpenAI, streamed±; ChatAnthropic±; ChatAnthropic, streamed±",
            f'\'{TEXT}\' then pay({{"to": "Bob", "amount": 500}})': "anthropic tool_runner; "
            f"{STREAMED_RUNNER}; pydantic-ai anthropic",
            "pydantic_ai.UnexpectedModelBehavior": f"pydantic-ai chat; pydantic-ai responses; {STREAMED_PYDANTIC}",
            f"'{TEXT}'": "agents chat; agents chat, run_streamed; agents responses; agents responses, run_streamed",
        },
        pays=True,
        attempts={
            "anthropic tool_runner": 2,
            "pydantic-ai anthropic": 2,
            "pydantic-ai anthropic, run_stream": 1,
            "agents": 2,
        },
    ),
    "pings each 30 s, with a deadline of 60 s": Row(
        after_two_words("ping_only", beat=30, signs=100),
        {
            "'one two' then openai.APIConnectionError": STREAMED_OPENAI,
            "'one two' then httpx2.RemoteProtocolError": STREAMED_ANTHROPIC,
            "httpx2.RemoteProtocolError": STREAMED_RUNNER,
            "'one two' then litellm.MidStreamFallbackError": STREAMED_LITELLM,
            "'one two' then langchain_openai.OpenAIConnectionError": "ChatOpenAI, streamed",
            "'one two' then langchain_openai.StreamChunkTimeoutError": "ChatOpenAI, streamed, async",
            "'one two' then pydantic_ai.ModelConnectionError": STREAMED_PYDANTIC,
        },
        elapsed={"": 3000, "ChatOpenAI, streamed, async": 120},
    ),
    "an event of malformed JSON": Row(
        after_two_words("malformed_event"),
        {
            "'one two' then json.JSONDecodeError": f"{STREAMED_OPENAI}; {STREAMED_ANTHROPIC}; ChatOpenAI, streamed±",
            "json.JSONDecodeError": STREAMED_RUNNER,
            "'one two' then litellm.MidStreamFallbackError": STREAMED_LITELLM,
            "'one two' then pydantic_ai.ModelAPIError": STREAMED_PYDANTIC,
        },
    ),
    "a body of malformed JSON": Row(
        everywhere("malformed_json"),
        {
            "json.JSONDecodeError": "openai chat±; openai responses±; anthropic messages±; anthropic tool_runner; "
            "ChatOpenAI±; ChatAnthropic±; agents chat; agents responses",
            "litellm.InternalServerError": "litellm openai/±",
            "litellm.APIConnectionError": "litellm anthropic/±",
            "pydantic_ai.ModelAPIError": "pydantic-ai chat; pydantic-ai responses; pydantic-ai anthropic",
        },
    ),
    "an error's event after a 200": Row(
        after_two_words("error_event"),
        {
            "'one two' then openai.APIError": "openai chat, streamed±; openai chat.stream(); ChatOpenAI, streamed±; "
            "agents chat, run_streamed",
            "'one two' then event: error": "openai responses, streamed±",
            "'one two' then event: error then RuntimeError": "openai responses.stream()",
            "'one two' then anthropic.APIStatusError": STREAMED_ANTHROPIC,
            "anthropic.APIStatusError": STREAMED_RUNNER,
            "'one two' then litellm.MidStreamFallbackError": STREAMED_LITELLM,
            "'one two' then pydantic_ai.ModelServerError": STREAMED_PYDANTIC,
            "'one two' then agents.ModelBehaviorError": "agents responses, run_streamed",
        },
    ),
    "an error's body with a 200": Row(
        everywhere("error_in_200"),
        {
            # `choices`, `output` and `content` are None
            "TypeError": "openai chat±; openai responses±; anthropic messages±; ChatAnthropic±; pydantic-ai anthropic",
            "AttributeError": "anthropic tool_runner",
            "ValueError": "ChatOpenAI±",
            "litellm.APIError": "litellm openai/±",
            "litellm.APIConnectionError": "litellm anthropic/±",
            "pydantic_ai.UnexpectedModelBehavior": "pydantic-ai chat",
            "pydantic_ai.ModelServerError": "pydantic-ai responses",
            "agents.ModelBehaviorError": "agents chat",
            "pydantic_core.ValidationError": "agents responses",
        },
    ),
    "an error's body with a 200 in place of a stream": Row(
        {"model.*": [{"kind": "error_in_200", "when": {"stream": True}}]},
        {
            "nothing": "openai chat, streamed±; openai chat.stream(); openai responses, streamed±; "
            f"anthropic messages, streamed±; {STREAMED_LITELLM}; agents chat, run_streamed",
            "AssertionError": f"anthropic .stream()±; {STREAMED_RUNNER}",
            "RuntimeError": "openai responses.stream()",
            "ValueError": "ChatOpenAI, streamed±; ChatAnthropic, streamed±",
            "pydantic_ai.UnexpectedModelBehavior": STREAMED_PYDANTIC,
            "agents.ModelBehaviorError": "agents responses, run_streamed",
        },
    ),
    "no choices": Row(
        everywhere("empty_choices"),
        {
            "IndexError": "openai chat±; litellm openai/±; ChatOpenAI±; pydantic-ai chat",
            "nothing": "openai responses±; anthropic messages±; anthropic tool_runner; litellm anthropic/±; "
            "ChatAnthropic±; agents responses",
            "pydantic_ai.UnexpectedModelBehavior": "pydantic-ai responses; pydantic-ai anthropic",
            "agents.ModelBehaviorError": "agents chat",
        },
    ),
    "a body that is shorter than its head says": Row(
        everywhere("short_body"),
        {
            "openai.APIConnectionError": "openai chat±; openai responses±; agents chat; agents responses",
            "anthropic.APIConnectionError": "anthropic messages±; anthropic tool_runner",
            "litellm.InternalServerError": "litellm openai/±; litellm anthropic/±",
            "langchain_openai.OpenAIConnectionError": "ChatOpenAI±",
            "langchain_anthropic.AnthropicConnectionError": "ChatAnthropic±",
            "pydantic_ai.ModelConnectionError": "pydantic-ai chat; pydantic-ai responses; pydantic-ai anthropic",
        },
        attempts={"": TRIED, "litellm anthropic/": 1},
    ),
}
CASES = [
    pytest.param(row, way, seen, id=f"{row}-{way}")
    for row, each in ROWS.items()
    for seen, names in each.seen.items()
    for way in both(names)
]


def of(table, way, default):
    """The value under the longest name that the way begins with."""
    found = [name for name in table if way.startswith(name)]
    return table[max(found, key=len)] if found else default


def played(model, way, *, pays):
    """The model says some words; where it is to pay, or a runner of tools asks, it pays first."""

    def brain(request):
        paid = any(message.role == "tool" for message in request.messages)
        return TEXT if paid or not (pays or "tool_runner" in way) else PAY.reply

    model.brain(brain)


@pytest.mark.parametrize(("row", "way", "seen"), CASES)
def test_what_is_seen_of_a_fault(model, clock, row, way, seen):
    fault = ROWS[row]
    played(model, way, pays=fault.pays)
    model.faults(fault.rules)
    assert str(ask(way)) == seen
    assert model.attempts[0].happened
    assert len(model.attempts) == of(fault.attempts, way, 1)
    if fault.elapsed:
        assert clock.elapsed() == of(fault.elapsed, way, None)


@pytest.mark.parametrize("way", WAYS)
def test_without_a_fault_each_way_brings_the_answer(model, clock, way):
    played(model, way, pays=False)
    assert str(ask(way)).startswith(f"'{TEXT}'")
    assert not any(each.happened for each in model.attempts)
    assert clock.elapsed() == 0


@pytest.mark.parametrize("way", [way for way in WAYS if way not in set(both(TEXT_ALONE))])
def test_without_a_fault_each_way_brings_the_call(model, way):
    played(model, way, pays=True)
    heard = ask(way)
    assert heard.error is None
    assert [json.loads(each.removeprefix("pay(").removesuffix(")")) for each in heard.calls] == [PAID]
