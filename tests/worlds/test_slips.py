"""A slip in a test's own line is shown as that line, without the inside of squall."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from squall import worlds

FACE: Any = worlds

SLIPS = [
    lambda world: world.ordrs,
    lambda world: world["nope"],
    lambda world: world.orders["77"],
    lambda world: world.orders.insert(nme=1),
    lambda world: world.orders.update("77", n=1),
    lambda world: world.orders.delete("77"),
    lambda world: world.orders.pick(status="returned", n=99),
    lambda world: world.orders["7"].nme,
    lambda world: world.orders["7"]["nme"],
    lambda world: world.ledger.where(id="1"),
    lambda world: world.call("get_ordr", {}),
    lambda world: world.events("nothing"),
    lambda world: FACE.World("shop.yaml"),
    lambda world: FACE.World.load("nowhere.yaml"),
    lambda world: FACE.World.load(5),
    lambda world: FACE.at_most_once(None, by="id"),
    lambda world: FACE.exactly_once(world.orders, by="nme"),
    lambda world: FACE.exactly_once(world.orders, by="id", of=5),
    lambda world: FACE.conserved("orders", "total"),
    lambda world: FACE.no_orphans(world.orders),
    lambda world: FACE.unchanged(world, 5),
]


@pytest.mark.parametrize("slip", SLIPS)
def test_the_last_line_that_is_shown_is_the_tests_own(shop, slip):
    with pytest.raises(Exception) as caught:
        slip(shop)
    shown = caught.traceback.filter(caught)
    assert {Path(entry.path).name for entry in shown} == {"test_slips.py"}


def test_what_is_a_bug_of_squalls_is_shown(shop, monkeypatch):
    # the bug that squall is given
    monkeypatch.setattr(type(shop.orders), "stored", lambda table, key: [].nothing)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError) as caught:
        shop.orders.get("7")
    assert "table.py" in {Path(entry.path).name for entry in caught.traceback.filter(caught)}
