from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from squall.worlds import InvalidRow, NoSuchRow, World


def test_get_finds_a_row_or_gives_none(shop):
    assert shop.orders.get("7").total == 10
    assert shop.orders.get("99") is None


def test_an_id_may_be_given_as_a_number(shop, world_of):
    assert shop.orders.get(7).id == "7"
    assert 7 in shop.orders
    numbered = world_of("services: {a: {records: {n: {id: int}}, seed: {n: 2}}}")
    assert numbered.n.get("2").id == 2
    assert numbered.n.get("x") is None
    assert numbered.n.insert().id == 3


def test_an_id_that_cannot_be_one_is_an_error(shop):
    with pytest.raises(InvalidRow, match=r"\['7'\] is not an id"):
        shop.orders.get(["7"])


def test_indexing_a_table_raises_for_a_row_that_is_not_there(shop):
    assert shop.orders["7"].id == "7"
    with pytest.raises(NoSuchRow, match="there is no customer with id 'adda'; did you mean 'ada'"):
        shop.customers["adda"]


def test_all_gives_rows_in_the_order_they_were_added(shop):
    shop.orders.insert(id="x")
    assert [row.id for row in shop.orders.all()] == ["7", "1", "2", "3", "4", "5", "x"]
    assert [row.id for row in shop.orders] == [row.id for row in shop.orders.all()]


def test_where_filters_by_equality(shop):
    shop.orders.update("1", status="returned", customer_id="ada")
    found = shop.orders.where(status="returned", customer_id="ada")
    assert "1" in [row.id for row in found]
    assert all(row.status == "returned" and row.customer_id == "ada" for row in found)
    assert [row.id for row in shop.orders.where(total=10, n=2)] == ["7"]
    assert shop.orders.where(id="7", status="returned") == []
    assert len(shop.orders.where()) == 6


def test_where_takes_values_as_writes_do(shop):
    shop.orders.update("7", placed_at="2025-05-01T00:00:00Z")
    assert [row.id for row in shop.orders.where(placed_at="2025-05-01")] == ["7"]
    assert [row.id for row in shop.orders.where(placed_at=datetime(2025, 5, 1, tzinfo=UTC))] == ["7"]


def test_where_finds_null(shop):
    shop.orders.insert(id="bare", customer_id="ada")
    assert [row.id for row in shop.orders.where(status=None)] == ["bare"]


def test_where_refuses_what_no_row_can_have(shop):
    with pytest.raises(InvalidRow, match="order has no field 'stauts'; did you mean 'status'"):
        shop.orders.where(stauts="placed")
    with pytest.raises(InvalidRow, match="status: 'placd' is not one of placed, delivered, returned"):
        shop.orders.where(status="placd")


def test_pick_gives_the_first_match(shop):
    ids = [row.id for row in shop.orders.where(status="placed")]
    assert shop.orders.pick(status="placed").id == ids[0] == "7"
    assert shop.orders.pick().id == "7"
    assert shop.orders.pick(total=10, status="placed").id == "7"


def test_pick_shows_the_nearest_rows_when_none_matches(shop):
    with pytest.raises(NoSuchRow) as caught:
        shop.orders.pick(customer_id="ada", total=11)
    assert str(caught.value).startswith(
        "there is no order with customer_id 'ada', total 11.0; nearest of 6 rows:\n"
        "    id '7': customer_id 'ada', total 10.0\n"
    )
    assert caught.value.brief == "there is no order with customer_id 'ada', total 11.0"


def test_pick_on_an_empty_table_says_so(shop):
    with pytest.raises(NoSuchRow, match=r"there is no return; orders.return has no rows"):
        for row in shop.returns:
            shop.returns.delete(row.id)
        shop.returns.pick()


def test_count_counts_all_or_those_that_match(shop):
    assert shop.orders.count() == len(shop.orders) == 6
    assert shop.orders.count(total=10) == 1


def test_a_table_is_true_even_when_it_is_empty(shop):
    for row in shop.returns:
        shop.returns.delete(row.id)
    assert shop.returns
    assert len(shop.returns) == 0


def test_ids_follow_in_sequence_and_skip_those_taken(shop):
    assert shop.orders.insert().id == "6"
    assert shop.orders.insert(id="8").id == "8"
    assert [shop.orders.insert().id for _ in range(2)] == ["9", "10"]


def test_the_id_of_a_row_that_is_gone_is_not_given_again(world_of):
    for seed in ("3", "[{ id: '1' }, { id: '2' }, { id: '3' }]", "[{ id: '2' }, {}, { id: '3' }]"):
        world = world_of(f"services: {{ a: {{ records: {{ n: {{ x: int? }} }}, seed: {{ n: {seed} }} }} }}")
        world.n.delete("2")
        assert world.n.insert().id == "4"


def test_a_first_row_looks_for_no_id_among_those_that_were_there(world_of, monkeypatch):
    rows = ", ".join(f"{{ id: '{number}' }}" for number in range(1, 200))
    world = world_of(f"services: {{ a: {{ records: {{ n: {{ x: int? }} }}, seed: {{ n: [{rows}] }} }} }}")
    looked: list[Any] = []
    look = type(world.n)._taken

    def taken(table, key):
        looked.append(key)
        return look(table, key)

    monkeypatch.setattr(type(world.n), "_taken", taken)
    assert world.n.insert().id == "200"
    assert looked == ["200"]


def test_fields_that_are_left_out_are_null(shop):
    row = shop.orders.insert({"total": 3}, customer_id="ada")
    assert (row.total, row.customer_id, row.status, row.note) == (3.0, "ada", None, None)


def test_update_changes_the_given_fields_only(shop):
    before = shop.orders["7"]
    after = shop.orders.update("7", {"status": "delivered"}, note="left at the door")
    assert after == {**before, "status": "delivered", "note": "left at the door"}
    assert shop.orders["7"] == after


def test_delete_gives_the_row_that_was(shop):
    assert shop.orders.delete("7").id == "7"
    assert shop.orders.get("7") is None


@pytest.mark.parametrize("write", ["update", "delete"])
def test_a_write_to_a_missing_row_is_a_lookup_error(shop, write):
    with pytest.raises(LookupError, match="there is no order with id '99'"):
        getattr(shop.orders, write)("99")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"stauts": "placed"}, "order has no field 'stauts'; did you mean 'status'?"),
        ({"status": "placd"}, "status: 'placd' is not one of placed, delivered, returned; did you mean 'placed'?"),
        ({"total": "ten"}, "total: 'ten' is not a number"),
        ({"n": 11}, "n: 11 is not in 1..10"),
        ({"customer_id": "adda"}, "customer_id: there is no customer with id 'adda'; did you mean 'ada'?"),
        ({"total": None}, "total: null is not a number"),
        ({"total": "x", "n": 0}, "total: 'x' is not a number; n: 0 is not in 1..10"),
        ({"id": 5}, "id: 5 is not a string"),
    ],
)
def test_every_write_is_checked(shop, fields, message):
    before = shop.snapshot()
    for write in (lambda: shop.orders.insert(fields), lambda: shop.orders.update("7", fields)):
        with pytest.raises(ValueError) as caught:
            write()
        assert str(caught.value) == message
    assert shop.snapshot() == before
    assert shop.revision == 0


def test_an_id_that_is_taken_is_refused(shop):
    with pytest.raises(InvalidRow, match="there is already an order with id '7'"):
        shop.orders.insert(id="7")


def test_an_id_cannot_be_changed_but_may_be_repeated(shop):
    with pytest.raises(InvalidRow, match="the id of an order with id '7' cannot be changed"):
        shop.orders.update("7", {"id": "8"})
    assert shop.orders.update("7", {"id": "7", "n": 3}).n == 3


def test_writes_do_not_hold_on_to_what_they_were_given(world_of):
    world = world_of("services: {a: {records: {t: {tags: list[str], at: {x: list[int]}}}}}")
    tags, at = ["a"], {"x": [1]}
    row = world.t.insert(tags=tags, at=at)
    tags.append("b")
    at["x"].append(2)
    assert world.t[row.id].tags == ["a"]
    assert world.t[row.id].at.x == [1]


def test_a_row_may_refer_to_itself_or_to_a_row_of_its_own_table(world_of):
    world = world_of("services: {a: {records: {node: {parent: 'ref[a.node]?'}}, seed: {node: 1}}}")
    assert world.node.insert(parent="1").parent == "1"


def test_where_keeps_table_order_whatever_was_written(shop):
    """The index puts moved rows last; what is found must not."""
    for id in ("5", "2", "7", "4"):
        shop.orders.update(id, status="returned")
    assert [row.id for row in shop.orders.where(status="returned")][:1] == ["7"]
    everything = [row.id for row in shop.orders.all()]
    found = [row.id for row in shop.orders.where(status="returned")]
    assert found == [id for id in everything if id in found]


@pytest.mark.parametrize("conditions", [{}, {"status": "placed"}])
def test_rows_that_go_while_others_are_read_are_left_out(shop, conditions):
    """As by another thread, between two rows."""
    for number in range(3):
        shop.orders.insert(id=f"new{number}", status="placed")
    rows = shop.orders.select_stored(conditions)
    next(rows)
    shop.orders.delete("new1")
    left = [row["id"] for row in rows]
    assert left[-2:] == ["new0", "new2"]


def test_an_index_that_begins_after_writes_knows_them(shop):
    shop.orders.update("3", customer_id="ada")
    shop.orders.delete("7")
    shop.orders.insert(id="7", customer_id="ada")
    ids = [row.id for row in shop.orders.where(customer_id="ada")]
    assert "3" in ids
    assert ids[-1] == "7"


def test_runs_from_one_file_do_not_see_one_another(world_of, make, shop_text):
    path = make(shop_text)
    first, second = World.load(path), World.load(path)
    first.orders.where(status="placed")
    first.orders.update("7", status="returned")
    first.orders.delete("1")
    assert second.orders["7"].status == "placed"
    assert "1" in second.orders
    assert "7" in [row.id for row in second.orders.where(status="placed")]


def test_equality_on_ids_references_enums_and_booleans_does_not_walk_the_table(world_of, monkeypatch):
    world = world_of("""
        services:
          a:
            records:
              owner: { name: str }
              thing: { owner: ref[a.owner], kind: enum[x, y], on: bool, text: str }
            seed: { owner: 50, thing: 2000 }
    """)
    conditions: list[dict[str, Any]] = [
        {"id": "77"},
        {"owner": "7"},
        {"kind": "x", "owner": "7"},
        {"on": True, "owner": "7"},
    ]
    expected = {}
    for eq in conditions:
        expected[str(eq)] = [r.id for r in world.thing if all(r[name] == value for name, value in eq.items())]
        world.thing.where(**eq)
    looked_at = []
    table = world.thing
    real = table._committed.candidates

    def watched(*conditions):
        looked_at.append(real(*conditions))
        return looked_at[-1]

    monkeypatch.setattr(table._committed, "candidates", watched)
    for eq in conditions:
        assert [row.id for row in world.thing.where(**eq)] == expected[str(eq)]
    assert max(map(len, looked_at)) < 100
    world.thing.where(text="x")
    assert len(looked_at[-1]) == 2000


def test_a_table_says_what_it_is(shop):
    assert repr(shop.returns) == "<table orders.return: 6 rows of id, order_id, reason>"
