"""The kind `lost`."""

from __future__ import annotations

from squall.faults.kinds.lost import KIND


def test_an_event_never_comes(trial):
    assert trial.act(KIND, target="orders.order_delivered").arrives == ()


def test_its_example_parses(trial):
    rule = trial.example(KIND)
    assert (rule.targets, rule.probability) == (("orders.order_delivered",), 0.05)


def test_it_has_no_parameters(shop):
    wrong = shop.wrong_with("orders.order_delivered: [{ kind: lost, nth: 1, after: 5 }]")
    assert "unknown parameter 'after' of lost\n    lost takes none; every rule kind, " in wrong
