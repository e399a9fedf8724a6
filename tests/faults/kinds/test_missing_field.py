"""The kind `missing_field`."""

from __future__ import annotations

import pytest

from squall.faults.kinds.missing_field import KIND

ORDER = {"id": "ord_1", "status": "paid", "total": 20}


def test_the_named_field_is_not_there(trial):
    assert trial.changed(KIND, ORDER, field="status").value == {"id": "ord_1", "total": 20}
    assert "status" in ORDER


def test_without_a_name_one_other_than_the_id_is_drawn(trial):
    assert trial.changed(KIND, ORDER, draw=0.0).value == {"id": "ord_1", "total": 20}
    assert trial.changed(KIND, ORDER, draw=0.99).value == {"id": "ord_1", "status": "paid"}


def test_the_id_goes_where_there_is_nothing_else(trial):
    assert trial.changed(KIND, {"id": "ord_1"}).value == {}


def test_of_several_rows_it_is_the_first(trial):
    assert trial.changed(KIND, [{"x": 1}, {"x": 1}], field="x").value == [{}, {"x": 1}]


@pytest.mark.parametrize(("value", "params"), [({"x": 1}, {"field": "y"}), ({}, {}), ([], {}), ([1], {}), ("text", {})])
def test_it_does_not_fire_where_there_is_no_such_field(trial, value, params):
    assert trial.changed(KIND, value, **params) is None


def test_it_does_not_fire_where_the_operation_refused(trial):
    assert trial.changed(KIND, None, form="refused") is None


def test_a_field_that_the_result_never_has_is_an_error_with_the_nearest(shop):
    wrong = shop.wrong_with("orders.get_order: { errors: { missing_field: { probability: 0.1, field: statu } } }")
    assert wrong == (
        "plan.yaml:1:73: missing_field could never fire: orders.get_order returns no field 'statu'; it returns id, "
        "customer_id, status, total, created_at; did you mean 'status'?"
    )


def test_under_default_it_applies_where_the_field_is_returned(shop):
    rule = shop.rule("default: { errors: { missing_field: { probability: 0.1, field: total } } }")
    assert rule.targets == ("orders.get_order", "orders.list_orders", "orders.create_return")


def test_the_operation_has_run(trial):
    assert KIND.phase == "after"
    assert trial.example(KIND).phase == "after"


def test_its_example_parses(trial):
    assert trial.example(KIND).params == {"field": "status"}
