"""What stands in a table for everyone, and how little of it has to be looked at."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("conditions", [{}, {"status": "placed"}])
def test_a_page_of_rows_that_nobody_wrote_copies_no_list_of_them(shop, conditions):
    committed = shop.orders._committed
    seeded = committed.candidates(conditions)
    assert not isinstance(seeded, list)
    before = list(seeded)
    shop.orders.insert(status="placed")
    assert list(seeded) == before  # whoever reads it still reads what was there
    assert isinstance(committed.candidates(conditions), list)
    assert list(committed.candidates(conditions)) == [*before, "6"]


def test_what_was_written_copies_no_list_of_other_values(shop):
    shop.orders.insert(status="returned")
    placed = shop.orders._committed.candidates({"status": "placed"})
    assert not isinstance(placed, list)
    assert [shop.orders[key].status for key in placed] == ["placed"] * len(placed)
