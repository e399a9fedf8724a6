from __future__ import annotations

import msgspec
import pytest

from squall.call import CallRef, Outcome, Refused, Target, holds_secret


@pytest.mark.parametrize("form", ["value", "text"])
def test_a_reply_that_says_no_error_is_ok(form):
    assert Outcome(form).ok


@pytest.mark.parametrize("form", ["refused", "crashed", "lost", "timeout", "unknown_tool"])
def test_an_error_and_a_reply_that_never_came_are_not_ok(form):
    assert not Outcome(form).ok


@pytest.mark.parametrize("value", [Target("orders.get", "get"), CallRef(1, "get", {}), Outcome("value")])
def test_the_values_of_a_call_cannot_be_changed(value):
    first = value.__struct_fields__[0]
    with pytest.raises(AttributeError, match="immutable"):
        setattr(value, first, "other")


def test_a_changed_outcome_is_a_new_one():
    before = Outcome("value", 1)
    after = msgspec.structs.replace(before, value=2)
    assert (before.value, after.value) == (1, 2)


def test_a_target_is_a_tool_that_reads_unless_it_says_otherwise():
    target = Target("orders.get_order", "get_order")
    assert (target.wire, target.access, target.returns, target.dated, target.many) == (
        "tool",
        "read",
        None,
        False,
        False,
    )


def test_targets_are_told_apart_by_their_schemas_and_can_be_keys_all_the_same():
    text, number = (Target("orders.get", "get", schemas={"id": {"type": kind}}) for kind in ("string", "integer"))
    assert text != number
    assert {text: 1, number: 2}[Target("orders.get", "get", schemas={"id": {"type": "string"}})] == 1


def test_a_call_is_told_with_its_number_its_tool_and_its_arguments():
    assert str(CallRef(3, "refund", {"order": "1", "amount": 2.5})) == "call 3: refund(order='1', amount=2.5)"
    assert str(CallRef(1, "ping", {})) == "call 1: ping()"


def test_arguments_that_cannot_be_shown_do_not_hide_the_call():
    assert str(CallRef(1, "add", {"n": 10**5000})) == "call 1: add(n=<int, repr failed: ValueError>)"


def test_a_refusal_says_why_and_is_invalid_unless_it_says_otherwise():
    refusal = Refused("order 7 is gone", "not_found")
    assert (str(refusal), refusal.reason) == ("order 7 is gone", "not_found")
    assert Refused("no").reason == "invalid"


def test_headers_that_may_hold_a_secret_are_known_by_their_names():
    assert all(map(holds_secret, ["authorization", "x-api-key", "cookie", "x-auth-token"]))
    assert not any(map(holds_secret, ["idempotency-key", "x-tenant", "content-type"]))
