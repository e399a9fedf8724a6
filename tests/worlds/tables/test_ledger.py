from __future__ import annotations

import pytest

from squall.call import CallRef
from squall.worlds.tables.ledger import Effect


def test_an_effect_tells_table_op_rows_time_and_call(shop):
    shop.clock.advance(2.5)
    shop.orders.update("7", n=3)
    (effect,) = shop.ledger
    assert (effect.rev, effect.t, effect.table, effect.op, effect.id, effect.call) == (
        1, 2.5, "orders.order", "update", "7", None,
    )  # fmt: skip
    assert (effect.before["n"], effect.after["n"]) == (2, 3)
    assert effect.before["placed_at"].endswith("Z")


def test_rows_in_an_effect_are_copies(shop):
    shop.orders.update("7", n=3)
    shop.ledger[0].after["n"] = 10
    assert shop.orders["7"].n == 3


def test_inserts_have_no_before_and_deletes_no_after(shop):
    shop.orders.insert(id="x")
    shop.orders.delete("x")
    assert [(effect.before is None, effect.after is None) for effect in shop.ledger] == [(True, False), (False, True)]
    assert shop.ledger[0].changes == {"id": (None, "x")}


def test_an_effect_reads_as_a_line():
    call = CallRef(3, "update_order", {"id": "7"})
    effect = Effect(1, 0.5, "orders.order", "update", "7", {"n": 1}, {"n": 2}, call)
    assert str(effect) == "rev 1 at 0.5 s: update (n 1 → 2) by call 3: update_order(id='7')"
    assert str(Effect(2, 1, "orders.order", "delete", "7", {}, None)) == "rev 2 at 1 s: delete by the test itself"


def test_the_ledger_gives_the_effects_on_one_row(shop):
    shop.orders.update("7", n=3)
    shop.orders.update("1", n=3)
    assert [effect.id for effect in shop.ledger.of("orders.order", "7")] == ["7"]


def test_the_ledger_is_no_table_and_says_so(shop):
    with pytest.raises(AttributeError, match=r"the table of a record named ledger is world\['ledger'\]"):
        shop.ledger.where(id="7")
