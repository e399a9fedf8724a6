"""The kind `wrong_value`."""

from __future__ import annotations

import pytest

from squall.faults.kinds.wrong_value import KIND

ORDER = {"id": "ord_1", "status": "paid", "total": 20}


def test_the_named_field_says_what_the_rule_says(trial):
    changed = trial.changed(KIND, ORDER, field="total", value=0)
    assert changed.value == {"id": "ord_1", "status": "paid", "total": 0}
    assert ORDER["total"] == 20


def test_a_drawn_field_says_something_else_of_its_type(trial):
    assert trial.changed(KIND, ORDER, draw=0.0).value == {"id": "ord_1", "status": "aidp", "total": 20}
    assert trial.changed(KIND, ORDER, draw=0.9).value == {"id": "ord_1", "status": "paid", "total": 21}


@pytest.mark.parametrize(("true", "wrong"), [(True, False), (2.5, 3.5), ("aa", "aaaa"), ("ab", "ba")])
def test_a_value_of_the_same_type_is_another_value(trial, true, wrong):
    assert trial.changed(KIND, {"x": true}, field="x").value == {"x": wrong}


def test_of_several_rows_it_is_the_first(trial):
    assert trial.changed(KIND, [{"x": 1}, {"x": 1}], field="x").value == [{"x": 2}, {"x": 1}]


def test_an_empty_value_is_passed_over_for_one_that_can_be_wrong(trial):
    assert trial.changed(KIND, {"id": "a", "note": None, "n": 1}, draw=0.0).value == {"id": "a", "note": None, "n": 2}


def test_null_can_be_what_it_says(trial):
    assert trial.changed(KIND, {"x": 1}, field="x", value=None).value == {"x": None}


@pytest.mark.parametrize(
    ("value", "params"),
    [
        ({"x": 1}, {"field": "y"}),
        ({"x": 1}, {"field": "x", "value": 1}),
        ({"x": None}, {"field": "x"}),
        ({}, {}),
        ([], {}),
        (["text"], {}),
        (5, {}),
    ],
)
def test_it_does_not_fire_where_no_field_would_be_wrong(trial, value, params):
    assert trial.changed(KIND, value, **params) is None


def test_it_does_not_fire_where_the_operation_refused(trial):
    assert trial.changed(KIND, None, form="refused") is None


def test_a_field_that_the_result_never_has_is_an_error_with_the_nearest(shop):
    wrong = shop.wrong_with("orders.get_order: [{ kind: wrong_value, nth: 1, field: totl }]")
    assert wrong == (
        "plan.yaml:1:56: wrong_value could never fire: orders.get_order returns no field 'totl'; it returns id, "
        "customer_id, status, total, created_at; did you mean 'total'?"
    )


def test_any_field_goes_where_it_is_not_known_what_is_returned(shop):
    assert shop.rule("orders.create_return: [{ kind: wrong_value, nth: 1, field: anything }]")


def test_the_operation_has_run(trial):
    assert KIND.phase == "after"
    assert trial.example(KIND).phase == "after"


def test_its_example_parses(trial):
    assert trial.example(KIND).params == {"field": "total", "value": 0}
