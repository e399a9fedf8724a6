"""Changing what a model says, `faults/said.py`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from squall.call import Reply, ToolUse
from squall.faults.said import cut_short, with_one_call

CALLS = Reply(calls=(ToolUse("a"), ToolUse("b"), ToolUse("c")))
REPLIES = st.builds(
    Reply,
    text=st.none() | st.text(max_size=9),
    calls=st.lists(st.builds(ToolUse, st.just("pay"), st.text(max_size=9)), max_size=3).map(tuple),
)


@pytest.mark.parametrize(("draw", "place"), [(0.0, 0), (0.34, 1), (0.99, 2)])
def test_the_drawn_call_is_edited(draw, place):
    reply = with_one_call(CALLS, lambda _name: draw, lambda call: replace(call, name="x"))
    assert reply is not None
    assert [call.name == "x" for call in reply.calls] == [place == each for each in range(3)]


def test_where_it_cannot_be_the_next_one_is():
    reply = with_one_call(CALLS, lambda _name: 0.5, lambda call: replace(call, name="x") if call.name == "a" else None)
    assert reply is not None
    assert [call.name for call in reply.calls] == ["x", "b", "c"]


def test_where_none_can_be_nothing_is_edited():
    assert with_one_call(CALLS, lambda _name: 0.5, lambda _call: None) is None
    assert with_one_call(Reply("Done."), lambda _name: 0.5, lambda call: call) is None


def said(reply):
    return (reply.text or "") + "".join(call.arguments for call in reply.calls)


@given(REPLIES, st.floats(0, 1, exclude_max=True))
def test_what_is_left_of_a_reply_is_its_beginning(reply, keep):
    cut = cut_short(reply, keep)
    if cut is None:
        assert not said(reply)
    else:
        assert said(cut) == said(reply)[: int(len(said(reply)) * keep)]
        assert cut.finish == "length"
        assert cut.text is not None or cut.calls
