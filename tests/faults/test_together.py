"""Rules held against each other, `faults/together.py`."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.call import LISTING, Target
from squall.decide import Keyed, Point, Rule, Rules, Situation
from squall.errors import UsageError
from squall.faults import Inline, parse_plan
from squall.faults.together import Hits, hits_of

FREELY = "Let them choose different calls, or take one away."
BEFORE = "Write it before, or let them choose different calls."
CHOOSE = "Without probability, nth, first or every {} happens at every call: give it one of these."


def rules(*texts):
    """Two or more rules of one target, in this order."""
    return f"orders.get_order: [{', '.join(f'{{ {text} }}' for text in texts)}]"


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        ("kind: is_error, nth: 1", "kind: http_500, nth: 1", FREELY),
        ("kind: is_error, first: 1", "kind: http_500, first: 1", FREELY),
        ("kind: is_error, first: 1", "kind: http_500, nth: 1", FREELY),
        ("kind: is_error, times: 2", "kind: http_500, first: 2", FREELY),
        ("kind: is_error, first: 3", "kind: http_500, nth: 2", BEFORE),
        ("kind: is_error, first: 3", "kind: http_500, nth: 2, times: 2", BEFORE),
        ("kind: is_error, every: 2", "kind: http_500, every: 4", BEFORE),
        ("kind: is_error, every: 2", "kind: http_500, nth: 4", BEFORE),
        ("kind: is_error, every: 1", "kind: http_500, every: 3", BEFORE),
        ("kind: is_error, every: 1", "kind: http_500, probability: 0.1", BEFORE),
        ("kind: is_error, every: 1", "kind: http_500, nth: 1, when: { order_id: a }", BEFORE),
        ("kind: is_error, nth: 1", "kind: http_500, nth: 1, scope: pay", BEFORE),
        (
            "kind: is_error, nth: 1, when: { order_id: [a, b], newer_than: 1h }",
            "kind: http_500, first: 1, when: { newer_than: 60m, order_id: [b, a] }",
            FREELY,
        ),
        ("kind: is_error, probability: 1", "kind: http_500, nth: 2", BEFORE),
        ("kind: is_error", "kind: http_500, nth: 2", CHOOSE.format("is_error")),
        ("kind: is_error", "kind: http_500, probability: 0.1", CHOOSE.format("is_error")),
        (
            "kind: is_error, when: { order_id: [a, b] }",
            "kind: http_500, nth: 1, when: { order_id: a }",
            CHOOSE.format("is_error"),
        ),
        ("kind: is_error", "kind: http_500", FREELY),
        ("kind: is_error", "kind: http_500, when: { order_id: a }", BEFORE),
        ("kind: is_error", "kind: http_500, scope: pay", BEFORE),
        ("kind: is_error, when: { newer_than: 2h }", "kind: http_500, when: { newer_than: 1h }", BEFORE),
        ("kind: is_error, when: { older_than: 1h }", "kind: http_500, when: { older_than: 2h }", BEFORE),
    ],
)
def test_a_rule_that_never_gets_its_turn_is_an_error(shop, first, second, hint):
    place = len(rules(first)) + len(", { kind: ") - len(" ]") + 2
    assert shop.wrong_with(rules(first, second)) == (
        f"plan.yaml:1:{place}: http_500 could never fire: is_error (plan.yaml:1:20) comes first at each of its calls "
        f"of orders.get_order\n    {hint}"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("kind: is_error, nth: 1", "kind: http_500, nth: 2"),
        ("kind: is_error, nth: 1", "kind: http_500, first: 2"),
        ("kind: is_error, nth: 2", "kind: http_500, first: 3"),
        ("kind: is_error, every: 4", "kind: http_500, every: 2"),
        ("kind: is_error, every: 2", "kind: http_500, every: 3"),
        ("kind: is_error, every: 2", "kind: http_500, nth: 4, times: 2"),
        ("kind: is_error, first: 1000000000", "kind: http_500, every: 3"),
        ("kind: is_error, nth: 1, scope: pay", "kind: http_500, nth: 1"),
        ("kind: is_error, nth: 1, scope: pay", "kind: http_500, nth: 1, scope: ship"),
        ("kind: is_error, nth: 1", "kind: http_500, nth: 1, when: { order_id: a }"),
        ("kind: is_error, first: 9", "kind: http_500, nth: 1, when: { order_id: a }"),
        ("kind: is_error, nth: 1, when: { order_id: a }", "kind: http_500, nth: 1"),
        ("kind: is_error, nth: 1, when: { order_id: a }", "kind: http_500, nth: 1, when: { order_id: [a, b] }"),
        ("kind: is_error, nth: 1, when: { newer_than: 1h }", "kind: http_500, nth: 1, when: { newer_than: 2h }"),
        ("kind: is_error, probability: 0.9", "kind: http_500, nth: 1"),
        ("kind: is_error, probability: 1, when: { order_id: a }", "kind: http_500, nth: 1"),
        ("kind: is_error, probability: 0.5", "kind: http_500, probability: 0.5"),
        ("kind: is_error, nth: 1", "kind: http_500, probability: 1"),
        ("kind: is_error, scope: pay", "kind: http_500"),
        ("kind: is_error, when: { order_id: a }", "kind: http_500, when: { order_id: b }"),
        ("kind: is_error, when: { newer_than: 1h }", "kind: http_500, when: { older_than: 1h }"),
        ("kind: is_error, when: { newer_than: 1h }", "kind: http_500, nth: 1"),
        ("kind: is_error", "kind: http_500, probability: 0"),
    ],
)
def test_one_that_may_get_its_turn_is_left_to_the_run(shop, first, second):
    assert [rule.kind for rule in shop.read(rules(first, second)).rules.faults] == ["is_error", "http_500"]


def test_many_rules_can_leave_nothing_together(shop):
    wrong = shop.wrong_with(
        rules(
            "kind: is_error, nth: 9",
            "kind: is_error, nth: 1",
            "kind: hang, nth: 2, times: 2",
            "kind: late_reply, times: 3",
        )
    )
    assert "late_reply could never fire: is_error (plan.yaml:1:48) and hang (plan.yaml:1:76) come first" in wrong
    assert shop.read(rules("kind: is_error, nth: 1", "kind: hang, nth: 3", "kind: timeout, first: 3"))


def test_chances_that_add_up_to_one_leave_nothing_to_what_is_counted_after_them(shop):
    chances = ["kind: is_error, probability: 0.25", "kind: http_500, probability: 0.75"]
    wrong = shop.wrong_with(rules(*chances, "kind: hang, nth: 3"))
    assert "hang could never fire: is_error (plan.yaml:1:20) and http_500 (plan.yaml:1:59) come first" in wrong
    assert shop.read(rules(chances[0], "kind: hang, nth: 3", chances[1]))


def test_a_conditional_rule_comes_first_wherever_it_is_written(shop):
    wrong = shop.wrong_with(rules("kind: hang, nth: 1", "kind: is_error"))
    assert wrong.startswith("plan.yaml:1:28: hang could never fire: is_error (plan.yaml:1:44) comes first")


def test_a_rule_for_many_operations_passes_over_those_where_nothing_is_left(shop):
    plan = shop.read("orders.get_order: [{ kind: hang, nth: 1 }]\norders.*: [{ kind: timeout, nth: 1 }]")
    assert [rule.targets for rule in plan.rules.faults] == [
        ("orders.get_order",),
        ("orders.list_orders", "orders.create_return"),
    ]


def test_a_drawn_one_keeps_its_share_there(shop):
    plan = shop.read("orders.get_order: [{ kind: hang }]\norders.*: { errors: { timeout: 0.1 } }")
    assert "orders.get_order" in plan.rules.faults[1].targets


def test_where_it_is_left_nothing_anywhere_it_is_an_error(shop):
    wrong = shop.wrong_with("orders.*: [{ kind: hang, nth: 1 }, { kind: timeout, nth: 1 }]")
    assert (
        "timeout could never fire: hang (plan.yaml:1:12) comes first at each of its calls of orders.get_order" in wrong
    )


def test_a_rule_for_one_operation_after_one_for_many_is_to_be_written_before(shop):
    lines = ["default: [{ kind: timeout, nth: 1 }]", "orders.get_order: [{ kind: hang, nth: 1 }]"]
    wrong = shop.wrong_with("\n".join(lines))
    assert wrong.startswith("plan.yaml:2:28: hang could never fire: timeout (plan.yaml:1:11) comes first")
    assert wrong.endswith(f"\n    {BEFORE}")
    assert shop.read("\n".join(reversed(lines))).rules.faults


def test_in_the_short_form_the_key_is_where_it_stands(shop):
    short = "orders.get_order: { errors: { not_found_if_newer_than: 2h, http_500_if_newer_than: 1h } }"
    assert shop.wrong_with(short).startswith("plan.yaml:1:60: http_500 could never fire: not_found (plan.yaml:1:31)")


def test_what_is_wrong_otherwise_is_told_first(shop):
    wrong = shop.wrong_with(
        "orders.get_order: { errors: { hang: 1.5, timeout: 0.5 }, rules: [{ kind: is_error, nth: 1 }] }"
    )
    assert "could never fire" not in wrong


# ------------------------------------------------------------------------------------------------- limits.calls


@pytest.mark.parametrize(
    ("chooser", "place"), [("nth: 51", "1:55"), ("every: 51", "1:57"), ("nth: 60, times: 5", "1:55")]
)
def test_a_rule_that_waits_for_more_calls_than_a_run_may_make_is_an_error(shop, chooser, place):
    wrong = shop.wrong_with(f"faults: [{{ target: orders.get_order, kind: hang, {chooser} }}]\nlimits: {{ calls: 50 }}")
    word, number = chooser.partition(",")[0].split(": ")
    assert wrong == (
        f"plan.yaml:{place}: hang could never fire: it waits for call {number}, and limits.calls ends the run after 50"
        f"\n    Lower {word}, or raise limits.calls."
    )


@pytest.mark.parametrize("chooser", ["nth: 50", "every: 50", "nth: 50, times: 5", "first: 500", "probability: 0.5"])
def test_one_that_can_have_its_call_is_none(shop, chooser):
    assert shop.read(f"faults: [{{ target: orders.get_order, kind: hang, {chooser} }}]\nlimits: {{ calls: 50 }}").rules


def test_without_a_limit_in_the_plan_a_run_may_set_its_own(shop):
    assert shop.read(rules("kind: hang, nth: 5000")).rules.faults


def test_a_limit_can_leave_a_later_rule_nothing(shop):
    text = f"faults: {{ {rules('kind: hang, first: 50', 'kind: timeout, every: 7')} }}\n"
    assert "timeout could never fire: hang" in shop.wrong_with(f"{text}limits: {{ calls: 50 }}")
    assert shop.read(f"{text}limits: {{ calls: 56 }}").rules.faults


def test_lists_of_tools_are_no_calls_and_have_no_limit():
    rule = {"target": LISTING.name, "kind": "paged_tools", "nth": 51}
    assert parse_plan(Inline({"faults": [rule], "limits": {"calls": 50}}), [LISTING]).rules.faults


# ----------------------------------------------------------------------------------------- held against the decider


COUNTED = st.one_of(
    st.fixed_dictionaries({"nth": st.integers(1, 5)}, optional={"times": st.integers(1, 4)}),
    st.fixed_dictionaries({"first": st.integers(1, 6)}),
    st.fixed_dictionaries({"every": st.integers(1, 5)}),
)
TARGET = Target("a.b", "b")


@given(COUNTED)
def test_what_a_rule_chooses_is_what_the_decider_counts(chooser):
    hits, rule = hits_of(chooser), Rule(0, "hang", ("a.b",), "after", **chooser)
    expected = [number for number in range(1, 60) if rule.hits(number)]
    found, number = [], hits.start
    while number <= min(hits.end, 59):
        found.append(number)
        number = hits.after(number)
    assert found == expected


@settings(deadline=None, max_examples=100)
@given(st.lists(COUNTED, min_size=2, max_size=4))
def test_a_plan_is_refused_if_and_only_if_one_of_its_counted_rules_never_fires(choosers):
    calls = 60  # the least common multiple of all that `every` is here
    faults = [{"target": "a.b", "kind": "hang", **chooser} for chooser in choosers]
    decider = Keyed(Rules(tuple(Rule(place, "hang", ("a.b",), "after", **c) for place, c in enumerate(choosers))))
    fired = set()
    for number in range(calls):
        rule = decider.decide(Situation(TARGET, Point("tool", "", "a.b", "", number), {}, 0.0, lambda _: None)).rule
        fired |= {rule.id} if rule else set()
    try:
        parse_plan(Inline({"faults": faults, "limits": {"calls": calls}}), [TARGET])
    except UsageError:
        assert len(fired) < len(choosers)
    else:
        assert len(fired) == len(choosers)


def test_a_very_long_stretch_is_passed_at_once(shop):
    long = "kind: {}, first: 1000000000000"
    assert "could never fire" in shop.wrong_with(rules(long.format("hang"), long.format("timeout")))


def test_stretches_meet_where_neither_ends_before_the_other_begins():
    assert Hits(1, 3).meets(Hits(3, 5))
    assert Hits(3, math.inf, 3).meets(Hits(1, 3))
    assert not Hits(1, 3).meets(Hits(4, 5))
    assert not Hits(4, 5).meets(Hits(1, 3))


# ------------------------------------------------------------------------------------------------------- models


def test_the_probabilities_of_different_slots_are_not_added_up(shop):
    plan = "model.chat: { errors: { http_503: 0.6, refusal: 0.6, clean_eof: 0.6, latency: 0.6, slow_chunks: 0.6 } }"
    assert len(shop.read(plan).rules.faults) == 5


def test_those_of_one_slot_are(shop):
    assert shop.wrong_with("model.chat: { errors: { http_503: 0.6, refusal: 0.6, timeout: 0.6 } }") == (
        "plan.yaml:1:54: the probabilities of model.chat add up to 1.2, which is more than 1\n"
        "    One number is drawn per call and shared out among its kinds; lower some."
    )


def test_those_of_different_models_are_not(shop):
    plan = "gpt-5-mini: { errors: { http_503: 0.6 } }\no3: { errors: { http_503: 0.6 } }"
    assert len(shop.read(plan).rules.faults) == 2


def test_what_all_models_have_is_added_to_what_one_has(shop):
    wrong = shop.wrong_with("model.*: { errors: { http_503: 0.6 } }\no3: { errors: { reset: 0.6 } }")
    assert "the probabilities of o3 add up to 1.2, which is more than 1" in wrong
    assert shop.read("model.*: { errors: { http_503: 0.6 } }\no3: { errors: { http_503: 0.6 } }").rules


def test_what_always_happens_in_one_slot_comes_first_there_alone(shop):
    assert len(shop.read("model.chat: [{ kind: http_503 }, { kind: clean_eof, nth: 1 }]").rules.faults) == 2
    wrong = shop.wrong_with("model.chat: [{ kind: http_503 }, { kind: reset, nth: 1 }]")
    assert "reset could never fire: http_503 (plan.yaml:1:14) comes first at each of its calls of model.chat" in wrong


def test_a_rule_for_one_model_comes_first_for_that_model_alone(shop):
    first = "{ target: o3, kind: http_503 }"
    assert len(shop.read(f"- {first}\n- {{ target: model.*, kind: reset, nth: 1 }}").rules.faults) == 2
    assert len(shop.read(f"- {first}\n- {{ target: gpt-5, kind: reset, nth: 1 }}").rules.faults) == 2
    wrong = shop.wrong_with(f"- {first}\n- {{ target: o3, kind: reset, nth: 1 }}")
    assert "reset could never fire: http_503 (plan.yaml:1:3) comes first" in wrong
    wrong = shop.wrong_with("- { target: model.*, kind: http_503 }\n- { target: o3, kind: reset, nth: 1 }")
    assert "reset could never fire: http_503 (plan.yaml:1:3) comes first" in wrong


def test_limits_are_about_calls_of_tools(shop):
    plan = shop.read("faults: { model.chat: [{ kind: reset, nth: 50 }] }\nlimits: { calls: 5 }")
    assert plan.rules.faults[0].nth == 50
