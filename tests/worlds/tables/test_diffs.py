from __future__ import annotations


def test_a_diff_tells_what_was_added_removed_and_changed(shop):
    before = shop.snapshot()
    shop.returns.insert(id="r", order_id="7", reason="late")
    shop.customers.delete("1")
    shop.orders.update("7", n=3, note="x")
    diff = shop.diff(before)
    assert diff.added == {"orders.return": {"r": {"id": "r", "order_id": "7", "reason": "late"}}}
    assert diff.removed == {"people.customer": {"1": before["people.customer"]["1"]}}
    assert diff.changed == {"orders.order": {"7": {"n": (2, 3), "note": (None, "x")}}}
    assert diff
    assert "orders.order '7': n 2 → 3, note None → 'x'" in str(diff)
    assert "orders.return 'r': added {'id': 'r'" in str(diff)
    assert "people.customer '1': removed" in str(diff)


def test_no_difference_is_false_and_says_so(shop):
    diff = shop.diff(shop.snapshot())
    assert not diff
    assert str(diff) == "no difference"


def test_a_table_that_only_one_snapshot_has_counts_as_empty_in_the_other(shop):
    before = shop.snapshot()
    gone = {**before, "old.table": {"1": {"id": "1"}}}
    assert shop.diff(gone).removed == {"old.table": {"1": {"id": "1"}}}
    assert shop.diff({}).added.keys() == before.keys()
