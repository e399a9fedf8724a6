from __future__ import annotations

from types import SimpleNamespace

import pytest

from squall.runs.strategies.rows import filters_of, lists_for, page_of, says_the_same


def operation(tool, kind="list", service="pay", record="refund", params=()):
    return SimpleNamespace(
        tool=tool, kind=kind, service=service, record=record, params=[SimpleNamespace(name=each) for each in params]
    )


OPERATIONS = {
    each.tool: each
    for each in (
        operation("issue_refund", "create"),
        operation("settle", "custom", record=None),
        operation("drop_refund", "delete"),
        operation("list_refunds", params=("order", "cursor", "sort")),
        operation("list_payouts", record="payout"),
        operation("list_orders", service="orders", record="order"),
    )
}


@pytest.mark.parametrize(
    ("tool", "lists"),
    [
        ("issue_refund", ["list_refunds"]),
        ("settle", ["list_refunds", "list_payouts"]),
        ("drop_refund", []),
        ("unheard_of", []),
    ],
)
def test_a_write_shows_in_the_lists_of_its_record_or_else_of_its_service(tool, lists):
    assert [each.tool for each in lists_for(tool, OPERATIONS)] == lists


def test_a_list_is_asked_for_what_it_can_filter_by():
    given = {"order": "1", "sort": "x", "amount": 4, "cursor": None}
    assert filters_of(OPERATIONS["list_refunds"], given) == {"order": "1"}
    assert filters_of(OPERATIONS["list_refunds"], {"order": None}) == {}


@pytest.mark.parametrize(
    ("answer", "rows", "following"),
    [
        ([{"id": 1}], [{"id": 1}], None),
        ({"refunds": [{"id": 1}], "next_cursor": "abc"}, [{"id": 1}], "abc"),
        ({"refunds": [], "next_cursor": None}, [], None),
        ({"ok": False}, [], None),
        (None, [], None),
        ("text", [], None),
        ([1, {"id": 1}], [{"id": 1}], None),
        ({"refunds": [], "next_cursor": 7}, [], None),
    ],
)
def test_a_page_is_its_rows_and_a_cursor_whatever_a_fault_has_made_of_it(answer, rows, following):
    assert page_of(answer) == (rows, following)


@pytest.mark.parametrize(
    ("row", "said", "same"),
    [
        ({"id": "r", "order": "1", "amount": 40}, {"order": "1", "amount": 40}, True),
        ({"id": "r", "order": "1", "amount": 40}, {"order": "1", "amount": 41}, False),
        ({"id": "r", "order": "1"}, {"order": "1", "note": "not in the row"}, True),
        ({"id": "r"}, {"note": "not in the row"}, False),
        ({"id": "r", "amount": "1.50"}, {"amount": 1.5}, True),
        ({"id": "r", "amount": "one"}, {"amount": 1}, False),
        ({"id": "r", "paid": True}, {"paid": 1}, False),
        ({"id": "r", "tags": ["a"]}, {"tags": ["a"]}, True),
        ({"id": "r", "tags": ["a"]}, {"tags": "a"}, False),
        ({"id": "r", "order": "1", "note": "x"}, {"order": "1", "note": None}, True),
    ],
)
def test_a_row_is_what_a_write_left_if_it_says_all_that_the_write_said(row, said, same):
    assert says_the_same(row, said) is same
