"""Every way in which users of real SDKs and frameworks ask a model is recorded: once, with all of its attempts."""

from __future__ import annotations

import pytest

from tests.sdks.ways import WAYS, ask

TEXT = "one two three four five six"


NEEDED = ("openai", "anthropic", "litellm", "langchain_openai", "langchain_anthropic", "pydantic_ai", "agents")


@pytest.mark.usefixtures(*NEEDED)
@pytest.mark.filterwarnings("ignore::UserWarning:pydantic")
@pytest.mark.parametrize("name", WAYS)
def test_each_way_is_recorded_once(model, clock, seen, name):
    model.brain(lambda _request: TEXT)
    model.faults({"model.*": [{"kind": "http_503", "nth": 1}]})
    ask(name)
    if "litellm anthropic" in name:  # it does not try again
        assert not seen.one("model_reply").ok
        return
    assert seen.of("capture_incomplete") == []
    assert len(seen.of("model_call")) == len(seen.of("model_reply")) == 1, seen.kinds
    reply = seen.one("model_reply")
    assert (reply.text, reply.complete) == (TEXT, True)
    assert len(seen.of("attempt")) == len(seen.of("attempt_end")) == len(model.attempts)
    assert {event.call for event in seen.of("attempt", "attempt_end")} == {seen.one("model_call").call}
