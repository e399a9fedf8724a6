"""A plan while it is read, `faults/reading.py`."""

from __future__ import annotations

import pytest

from squall.errors import UsageError
from squall.faults import Inline, parse_plan, registry
from squall.faults.file import RuleSpec
from squall.faults.kinds.timeout import TimeoutParams
from squall.faults.reading import EXACT, SERVICE, WIDE, Pattern, Reading


@pytest.fixture
def reading(shop):
    return Reading(Inline({"a": [{"kind": "hang", "nth": 0, "more": 5}], "b": 7}), shop.targets)


def patterns(*texts):
    return [Pattern(text, (), is_key=True) for text in texts]


def test_patterns_reach_targets_each_once_in_the_order_named(reading):
    assert reading.reach(patterns("orders.get_order", "payments.*")).names == (
        "orders.get_order", "payments.issue_refund", "payments.list_refunds"
    )  # fmt: skip
    assert len(reading.reach(patterns("orders.get_order", "default")).names) == 5
    assert reading.problems == []


@pytest.mark.parametrize(
    ("texts", "rank"),
    [
        (["orders.get_order"], EXACT),
        (["orders.*"], SERVICE),
        (["default"], WIDE),
        (["orders.get_order", "orders.*"], SERVICE),
        (["default", "orders.*"], WIDE),
    ],
)
def test_the_widest_pattern_tells_how_narrow_a_reach_is(reading, texts, rank):
    assert reading.reach(patterns(*texts)).rank == rank


def test_every_pattern_that_reaches_nothing_is_a_problem(reading):
    assert reading.reach(patterns("orders.x", "orders.get_order", "billing.*")).names == ("orders.get_order",)
    assert [problem.message for problem in reading.problems] == [
        "unknown target 'orders.x'",
        "unknown target 'billing.*'",
    ]


@pytest.mark.parametrize("text", ["*", "*.*", "all"])
def test_others_words_for_everything_lead_to_ours(reading, text):
    reading.reach(patterns(text))
    assert reading.problems[0].nearest == "default"


def test_where_there_are_no_targets_nothing_is_unknown():
    reading = Reading(Inline({}), [])
    assert reading.reach(patterns("orders.x")).names == ()
    assert reading.problems == []


def test_of_a_misspelt_target_only_that_is_told_and_kinds_are_those_of_what_was_meant(shop):
    told = shop.wrong_with("model.chta: [{ kind: clean_eof, nth: 1 }]")
    assert told.startswith("plan.yaml:1:1: unknown target 'model.chta'; did you mean 'model.chat'?")
    assert "could never fire" not in told
    told = shop.wrong_with("model.chta: [{ kind: clean_oef, nth: 1 }]")
    assert "unknown kind of fault 'clean_oef'; did you mean 'clean_eof'?" in told
    assert f"Kinds for model.*: {', '.join(registry.names('model'))}, latency_ms, rate_limit." in told


@pytest.mark.parametrize("target", ["orders.get_order", "orders.*", "default"])
def test_a_target_that_is_taken_on_trust_is_named_where_its_kind_is_anothers(target):
    with pytest.raises(UsageError) as caught:
        parse_plan(Inline({target: [{"kind": "clean_eof", "nth": 1}]}), ())
    assert str(caught.value).endswith(f"it is a fault of the model wire, and {target} is not on it")


def test_a_part_that_does_not_hold_is_none_and_a_problem(reading):
    assert reading.part(("a", 0, "nth")) == 0
    assert reading.valid(RuleSpec, ("a", 0)) is None
    assert str(reading.problems[0]).startswith("faults['a'][0]['nth']: 'nth' must be")


def test_what_remains_of_it_can_still_be_checked(reading):
    remains = reading.remains(RuleSpec, ("a", 0), {"kind": "hang"})
    assert (remains.kind, remains.nth, remains.model_extra) == ("hang", None, {"more": 5})
    assert reading.remains(RuleSpec, ("a", 0), {"kind": 5}) is None
    assert reading.remains(RuleSpec, ("b",), {"kind": "hang"}) is None
    assert reading.problems == []


def test_given_keys_stand_where_they_were_given(reading):
    assert reading.given(TimeoutParams, {"answer_after": "5s"}, ("a", 0)).answer_after == 5.0
    assert reading.given(TimeoutParams, {"answer_after": "x"}, ("a", 0)) is None
    assert str(reading.problems[0]).startswith("faults['a'][0]['answer_after']: 'x' is no length of time")


def test_problems_are_raised_together_and_each_once(reading):
    reading.raise_problems()
    for _ in range(2):
        reading.say("one", ("a",))
        reading.say("other", ("b",), hint="Do this.")
    with pytest.raises(UsageError) as caught:
        reading.raise_problems()
    assert str(caught.value) == "faults['a']: one\nfaults['b']: other\n    Do this."
