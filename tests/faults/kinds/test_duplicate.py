"""The kind `duplicate`."""

from __future__ import annotations

import pytest

from squall.faults.kinds.duplicate import KIND


def test_an_event_comes_twice_the_second_time_after_a_while_if_that_is_said(trial):
    assert trial.act(KIND, target="orders.order_delivered").arrives == (0.0, 0.0)
    assert trial.act(KIND, target="orders.order_delivered", after="2m").arrives == (0.0, 120.0)


def test_its_example_parses(trial):
    assert trial.example(KIND).targets == ("orders.order_delivered",)


@pytest.mark.parametrize("pattern", ["default", "orders.*", "orders.get_order"])
def test_events_are_named_one_by_one(shop, pattern):
    wrong = shop.wrong_with(f"{pattern}: [{{ kind: duplicate, nth: 1 }}]")
    assert "duplicate could never fire: it is a fault of the event wire, and " in wrong


def test_a_fault_of_a_call_is_none_of_an_event(shop):
    assert shop.wrong_with("orders.order_delivered: [{ kind: timeout, nth: 1 }]") == (
        "plan.yaml:1:34: timeout could never fire: it is a fault of the tool wire, and orders.order_delivered is not "
        "on it\n    Kinds for orders.order_delivered: duplicate, delay, lost."
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("phase: late", "duplicate takes no phase\n    Take it out."),
        ("late_by: 2m", "unknown parameter 'late_by' of duplicate\n    duplicate takes after; every rule kind, "),
    ],
)
def test_an_event_has_no_phases(shop, more, said):
    wrong = shop.wrong_with(f"orders.order_delivered: [{{ kind: duplicate, nth: 1, {more} }}]")
    assert wrong.startswith(f"plan.yaml:1:53: {said}")


def test_an_event_knows_neither_latency_nor_limits(shop):
    assert "latency_ms is about calls of operations, and orders.order_delivered is none" in shop.wrong_with(
        "orders.order_delivered: { latency_ms: 5 }"
    )


def test_what_a_service_does_may_be_slow_though_it_has_events(shop):
    (latency,) = shop.read("orders.*: { latency_ms: 5 }").rules.latencies
    assert latency.targets == ("orders.get_order", "orders.list_orders", "orders.create_return")


def test_an_event_that_is_misspelt_is_told_with_those_there_are(shop):
    wrong = shop.wrong_with("orders.order_deliverd: [{ kind: duplicate, nth: 1 }]")
    assert "did you mean 'orders.order_delivered'?" in wrong
    assert wrong.endswith("or default. Events: orders.order_delivered. Models: model.*.")


def test_a_condition_names_what_an_event_says(shop):
    rule = shop.rule("orders.order_delivered: [{ kind: duplicate, nth: 1, when: { id: ord_1 } }]")
    assert rule.when.args == {"id": ("ord_1",)}
