from __future__ import annotations

import pytest

from squall.checks.kinds.bad_tool_call import CHECK
from squall.checks.options import DEFAULT


def judged(run):
    return CHECK.run(run.trace, DEFAULT)


@pytest.mark.parametrize(
    ("use", "part"),
    [
        (("serch", {"q": "x"}), "serch is no tool that this request offers, did it mean 'search'?"),
        (("search", '{"q": "x'), "the arguments of search are no JSON"),
        (("search", "[1]"), "the arguments of search are no object"),
        (("search", {"limit": 1}), "search(limit=1) does not fit the schema of the tool: 'q' is a required property"),
        (("search", {"q": 7}), "7 is not of type 'string' (at $.q)"),
        (("search", {"q": "x", "page": 1}), "'page' was unexpected"),
    ],
)
def test_a_call_as_it_cannot_be_made_fires(run, use, part):
    run.talk(tools=["search"]).calls(use).results("Error: no").says("It is there.")
    verdict = judged(run)
    assert verdict.fired
    assert part in verdict.reason
    assert verdict.step == 1
    assert verdict.reason.startswith("step 1: ")


def test_a_good_call_passes(run):
    run.talk(tools=["search"]).uses("search", {"q": "x", "limit": 3}).says("It is there.")
    assert judged(run).verdict == "pass"


def test_a_call_that_is_mended_later_passes(run):
    talk = run.talk(tools=["search", "other"])
    talk.uses("search", {"limit": 1}, "Error: q is missing").uses("serch", {"q": "x"}, "Error: no such tool")
    talk.uses("search", {"q": "x"}).says("It is there.")
    assert not judged(run).fired


def test_a_good_call_of_another_tool_mends_no_arguments(run):
    talk = run.talk(tools=["search", "other"])
    talk.uses("search", {"limit": 1}, "Error: q is missing").uses("other", {"q": "x"}).says("It is there.")
    assert judged(run).step == 1


def test_a_good_call_before_mends_nothing(run):
    run.talk(tools=["search"]).uses("search", {"q": "x"}).uses("search", {"limit": 1}).says("It is there.")
    assert judged(run).step == 3


def test_a_reply_that_is_asked_for_again_and_then_good_passes(run):
    talk = run.talk(tools=["search"]).calls(("search", "{"), keep=False)
    talk.uses("search", {"q": "x"}).says("It is there.")
    assert not judged(run).fired


def test_arguments_that_a_tool_took_all_the_same_are_good_enough(run):
    talk = run.talk(tools=["search"]).calls(("search", {"q": "x", "limit": "3"}))
    run.hook("search", {"q": "x", "limit": "3"}, [1])
    talk.results([1]).says("It is there.")
    assert not judged(run).fired


def test_where_nobody_knows_what_was_offered_only_arguments_are_judged(run):
    from squall.trace.kinds import ModelCall, ModelReply

    run.recorder.record(ModelCall(call=1, target="model.chat", model="m", messages=[{"role": "user", "content": "x"}]))
    run.recorder.record(ModelReply(call=1, attempt=1, ok=True, calls=[{"name": "any", "arguments": "{}"}]))
    assert not judged(run).fired


@pytest.mark.parametrize("said", [{"complete": False, "ok": False}, {"complete": False, "ok": False, "error": "gone"}])
def test_a_reply_that_broke_off_is_another_matter(run, said):
    run.talk(tools=["search"]).calls(("search", '{"q": "x'), **said)
    assert not judged(run).fired


def test_an_agent_that_raises_over_it_passes(run):
    run.talk(tools=["search"]).calls(("search", '{"q": "x'))
    run.expected("JSONDecodeError: Unterminated string")
    assert not judged(run).fired


def test_no_arguments_at_all_are_an_empty_object(run):
    run.talk(tools=["search"]).calls(("search", "")).results("x")
    assert "'q' is a required property" in judged(run).reason
