from __future__ import annotations

import copy
import pickle

import pytest

from squall.worlds.tables.rows import origin


@pytest.fixture
def row(shop):
    return shop.orders["7"]


@pytest.fixture
def nested(world_of):
    return world_of("""
        services:
          a:
            records:
              thing: { items: list[str], get: str, at: { city: str, codes: list[int] } }
            seed: { thing: [{ items: [x], get: g, at: { city: Oslo, codes: [1] } }] }
    """).thing["1"]


def test_a_row_answers_to_attributes_and_keys(row):
    assert (row.status, row["status"]) == ("placed", "placed")
    assert "status" in row
    assert "nothing" not in row
    assert list(row) == ["id", "customer_id", "status", "total", "n", "placed_at", "note"]
    assert len(row) == 7
    assert row.get("nothing", 5) == 5


def test_a_field_that_is_not_there_names_the_nearest(row):
    with pytest.raises(AttributeError, match=r"orders.order has no field 'stauts'; did you mean 'status'"):
        _ = row.stauts
    with pytest.raises(KeyError, match=r"orders.order has no field 'xyz'; it has id, customer_id"):
        _ = row["xyz"]


def test_a_row_is_read_only_and_says_how_to_write(row):
    hint = r"write with world\['orders.order'\].update\('7', status='x'\)"
    with pytest.raises(AttributeError, match=hint):
        row.status = "x"
    with pytest.raises(TypeError, match=hint):
        row["status"] = "x"
    with pytest.raises(AttributeError, match="read-only"):
        del row.status
    with pytest.raises(TypeError, match="read-only"):
        del row["status"]


def test_a_row_does_not_change_when_its_table_does(shop, row):
    shop.orders.update("7", status="returned")
    assert row.status == "placed"
    assert shop.orders["7"].status == "returned"


def test_a_row_equals_a_mapping_with_the_same_values(shop, row):
    assert row == row.to_dict()
    assert row == shop.orders["7"]
    assert row != shop.orders["1"]
    assert row != {"id": "7"}
    assert row != 7


def test_nested_values_are_copies_that_read_like_rows(nested):
    assert nested.at.city == "Oslo"
    assert nested.at == {"city": "Oslo", "codes": [1]}
    nested.at.codes.append(2)
    nested["items"].append("y")
    assert nested.at.codes == [1]
    assert nested.items == ["x"]
    with pytest.raises(AttributeError, match="rows are read-only copies, city cannot be set here"):
        nested.at.city = "Bergen"
    with pytest.raises(AttributeError, match="this row has no field 'cty'; did you mean 'city'"):
        _ = nested.at.cty


def test_a_field_named_like_a_method_is_what_the_attribute_means(nested):
    assert nested.items == ["x"]
    assert nested.get == "g"
    assert (
        dict(nested)
        == nested.to_dict()
        == {"id": "1", "items": ["x"], "get": "g", "at": {"city": "Oslo", "codes": [1]}}
    )
    assert {**nested}["get"] == "g"


def test_to_dict_is_a_deep_copy(nested):
    copied = nested.to_dict()
    copied["at"]["codes"].append(9)
    assert nested.at.codes == [1]


def test_rows_show_their_record_and_values(row):
    assert repr(row).startswith("order(id='7', customer_id='ada', status='placed', total=10.0")


def test_copies_of_a_row_are_the_row_and_a_pickled_one_has_the_values(row, nested):
    assert copy.copy(row) is row
    assert copy.deepcopy([row])[0] is row
    travelled = pickle.loads(pickle.dumps(row))  # noqa: S301 - made here
    assert travelled == row
    assert origin(travelled) is None
    assert pickle.loads(pickle.dumps(nested)).at.city == "Oslo"  # noqa: S301 - made here


def test_fields_are_offered_by_dir(row):
    assert {"status", "total", "to_dict"} <= set(dir(row))


def test_rows_are_no_more_hashable_than_dicts(row):
    with pytest.raises(TypeError, match="unhashable"):
        hash(row)
