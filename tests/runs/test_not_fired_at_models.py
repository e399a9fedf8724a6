"""Why a rule for models did not fire, in the sentence that says so: `runs/not_fired.py`."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import openai
import pytest

from squall.models import say
from squall.runs.environment import Environment

HI: list[Any] = [{"role": "user", "content": "hi"}]


def asked(*rules, models=("m",), **more):
    """The sentence on the first rule, after a run that asks each of the models once."""
    run = Environment(faults=list(rules))
    run.__enter__()
    try:
        run.model.script(say("hello there"))
        client = openai.OpenAI(max_retries=0)
        for model in models:
            with suppress(openai.APIError):
                list(client.chat.completions.create(model=model, messages=HI, **more))
        client.close()
        result = run.finish()
    finally:
        run.close()
    assert result.status == "not_fired"
    return result.not_fired[0].partition("]: ")[2]


def counted(kind="http_503", target="model.chat", **more):
    return {"target": target, "kind": kind, **more}


THREE = ("m", "m", "m")
MANY = ("gpt-9", "gpt-9-mini", "o9")


@pytest.mark.parametrize(
    ("rule", "models", "more", "why"),
    [
        (counted(nth=1), (), {}, "model.chat was never asked"),
        (counted(target="model.messages", nth=1), ("m",), {}, "model.messages was never asked"),
        (counted(nth=3), ("m",), {}, "model.chat was asked once, and the rule waits for the 3rd"),
        (counted(nth=3), ("m", "m"), {}, "model.chat was asked 2 times, and the rule waits for the 3rd"),
        (
            counted(nth=2),
            ("m", "n"),
            {},
            "model.chat was asked 2 times, at most 1 of them of one model in one scope, and the rule waits for the 2nd",
        ),
        (counted(every=4), THREE, {}, "model.chat was asked 3 times, and the rule waits for the 4th"),
        (
            counted(target="mock-other", nth=1),
            ("gpt-9",),
            {},
            "the model 'mock-other' was never asked (it came as 'gpt-9')",
        ),
        (
            counted(target="gpt-9", nth=2),
            ("gpt-9", "m"),
            {},
            "the model 'gpt-9' was asked once, and the rule waits for the 2nd",
        ),
        (
            counted(nth=1, when={"args": {"model": "x"}}),
            MANY,
            {},
            "model.chat was asked 3 times, never with model='x' (it came as 'gpt-9', 'gpt-9-mini', 'o9')",
        ),
        (
            counted(nth=1, when={"args": {"stream": True}}),
            ("m",),
            {},
            "model.chat was asked once, never with stream=True (it came as False)",
        ),
        (
            counted(nth=2, when={"args": {"model": "m"}}),
            ("m", "n"),
            {},
            "model.chat was asked 2 times, 1 of them as the rule asks, and the rule waits for the 2nd",
        ),
        (counted(nth=1, scope="s"), ("m",), {}, "model.chat was asked once, never in the scope 's'"),
        (
            counted("stream_disconnect", after=2, nth=1),
            ("m",),
            {},
            "it was reached once, and could change nothing: the reply was no stream",
        ),
        (
            counted("stream_disconnect", after=90, first=2),
            ("m", "m"),
            {"stream": True},
            "it was reached 2 times, and could change nothing: the stream had no more than 5 chunks",
        ),
        (
            counted("truncated_arguments", nth=1),
            ("m",),
            {},
            "it was reached once, and could change nothing: what was said cannot be made so",
        ),
    ],
)
def test_the_sentence_says_why(rule, models, more, why):
    assert asked(rule, models=models, **more) == why


def test_what_came_first_is_named():
    assert asked(counted("length_cut", nth=1), counted(first=1)) == (
        "it was reached once, and could change nothing: http_503 came first"
    )


def test_where_nothing_is_recorded_the_rule_alone_is_told():
    with pytest.raises(AssertionError, match="enough"), Environment(faults=[counted(nth=2)], record=False) as run:
        assert run.model.requests == []
        assert run.finish().not_fired == ("http_503 at model.chat (nth 2), faults[0]",)
        raise AssertionError("enough")
