"""Rows from CSV, JSON and JSON Lines: typed, checked, and wrong ones named with file, line, row and column."""

from __future__ import annotations

import json
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.documents import parse
from squall.errors import UsageError
from squall.worlds import World, no_orphans
from squall.worlds.seeds import csvfiles, jsonfiles

WORLD = """
services:
  shop:
    records:
      customer: { id: str, name: str }
      order:
        { id: str, customer: "ref[shop.customer]", status: "enum[placed, shipped]", total: "decimal[0..]", n: "int?",
          weight: float, paid: bool, at: datetime, day: "date?", note: "str?", tags: list[str], size: { w: int } }
    seed:
      customer: [{ id: ada, name: Ada }, { id: bo, name: Bo }]
      order: { from: %s }
    operations: { list_orders: { kind: list, record: order } }
"""
CSV = """\
id,customer,status,total,n,weight,paid,at,day,note,tags,size
7,ada,placed,10.50,3,0.5,true,2025-05-01T10:00:00Z,2025-05-02,"hello, ""you""\nthere",[],"{""w"": 1}"
8,bo,shipped,0.1,,2,FALSE,2025-05-01,,,"[""new""]","{""w"": 2}"
"""
ROWS = [
    {
        "id": "7",
        "customer": "ada",
        "status": "placed",
        "total": "10.50",
        "n": 3,
        "weight": 0.5,
        "paid": True,
        "at": "2025-05-01T10:00:00Z",
        "day": "2025-05-02",
        "note": 'hello, "you"\nthere',
        "tags": [],
        "size": {"w": 1},
    },
    {
        "id": "8",
        "customer": "bo",
        "status": "shipped",
        "total": "0.1",
        "n": None,
        "weight": 2.0,
        "paid": False,
        "at": "2025-05-01T00:00:00Z",
        "day": None,
        "note": None,
        "tags": ["new"],
        "size": {"w": 2},
    },
]


@pytest.fixture
def load(make):
    """Loads the world with a data file beside it."""

    def loaded(name, text, world=WORLD):
        path = make(world % name)
        (path.parent / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return World.load(path)

    return loaded


def wrong(load, name, text, world=WORLD):
    with pytest.raises(UsageError) as caught:
        load(name, text, world)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("orders.csv", CSV),
        ("orders.csv", "\ufeff" + CSV.replace("\n8,bo", "\r\n\r\n8,bo")),
        ("ORDERS.CSV", CSV),
        ("orders.json", json.dumps(ROWS)),
        ("orders.jsonl", "\n\n".join(map(json.dumps, ROWS)) + "\n"),
        ("orders.ndjson", "\r\n".join(map(json.dumps, ROWS))),
    ],
)
def test_the_same_rows_come_from_every_kind_of_file(load, name, text):
    world = load(name, text)
    assert list(world.snapshot()["shop.order"].values()) == ROWS
    no_orphans(world)


def test_columns_that_a_file_does_not_have_are_generated(load):
    text = "customer,total\nada,5\nbo,6\n"
    world = load("orders.csv", text)
    assert [(row.id, row.customer, row.n, row.note) for row in world.orders] == [
        ("1", "ada", None, None),
        ("2", "bo", None, None),
    ]
    assert all(row.status in ("placed", "shipped") for row in world.orders)
    fixed = WORLD.replace("{ from: %s }", "[{ customer: ada, total: 5 }, { customer: bo, total: 6 }] # %s")
    assert load("orders.csv", text, fixed).snapshot() == world.snapshot()


def test_a_row_without_an_id_is_numbered_in_every_kind_of_file(load):
    for name, text in [
        ("orders.csv", "id,customer\n2,ada\n,bo\n,ada\n"),
        ("orders.jsonl", '{"id": "2", "customer": "ada"}\n{"customer": "bo"}\n{"customer": "ada"}\n'),
    ]:
        assert [(row.id, row.customer) for row in load(name, text).orders] == [("2", "ada"), ("1", "bo"), ("3", "ada")]


def test_columns_that_are_told_apart_by_something_else_are_told(load):
    for sign, word in [(";", "semicolons"), ("\t", "tabs")]:
        assert problems(wrong(load, "orders.csv", f"id{sign}total\n7{sign}5\n")) == [
            f"orders.csv:1: the columns are told apart by {word}, not by commas",
        ]


def test_given_rows_come_first_then_the_file_then_generated_ones(load):
    text = "id,customer\na,ada\nb,bo\n"
    world = load("orders.csv", text, WORLD.replace("{ from: %s }", "{ from: %s, rows: [{ id: x }], count: 5 }"))
    assert [row.id for row in world.orders] == ["x", "a", "b", "1", "2"]
    assert [row.customer for row in world.orders][1:3] == ["ada", "bo"]


def test_a_service_with_one_record_may_say_only_the_file(load):
    text = "services: { a: { records: { x: { n: int } }, seed: { from: %s, count: 4 } } }"
    assert [row.n for row in load("x.csv", "n\n5\n6\n", text).x][:2] == [5, 6]
    assert len(load("x.csv", "n\n5\n6\n", text).x) == 4
    message = wrong(load, "x.csv", "n\n5\n", text.replace("x: { n: int }", "x: { n: int }, y: { n: int }"))
    assert message.startswith("world.yaml:1:") or ":1:" in message
    assert "it is not said which record this file is for\n    Write seed: { x: { from: x.csv } }." in message


def test_a_record_may_be_called_from(world_of):
    world = world_of("services: { a: { records: { from: { n: int } }, seed: { from: 3 } } }")
    assert len(world["from"]) == 3


def problems(text):
    return [line.split("/")[-1] for line in text.splitlines() if not line.startswith("    ")]


def test_cells_that_do_not_fit_are_named_with_file_line_row_and_column(load):
    text = """\
        id,customer,status,total,n,paid,at
        7,ada,placed,10,3,true,2025-05-01
        8,adda,placd,ten,3.5,yes,soon

        7,bo,,-1,x,,2025-05-01
        """
    assert problems(wrong(load, "orders.csv", textwrap.dedent(text))) == [
        "orders.csv:3: row 2: customer: there is no customer with id 'adda'; did you mean 'ada'?",
        "orders.csv:3: row 2: status: 'placd' is not one of placed, shipped; did you mean 'placed'?",
        "orders.csv:3: row 2: total: 'ten' is not a decimal number",
        "orders.csv:3: row 2: n: '3.5' is not a whole number",
        "orders.csv:3: row 2: paid: 'yes' is not true or false",
        "orders.csv:3: row 2: at: 'soon' is not a date and time such as 2025-06-01T12:00:00Z",
        "orders.csv:5: row 3: id: '7' is taken by another row",
        "orders.csv:5: row 3: status: '' is not one of placed, shipped",
        "orders.csv:5: row 3: total: -1 is not in 0..",
        "orders.csv:5: row 3: n: 'x' is not a whole number",
        "orders.csv:5: row 3: paid: '' is not true or false",
    ]


def test_numbers_and_json_that_are_none_are_named_as_they_are_written(load):
    text = "id,weight,size,tags\n1,heavy,wide,new\n2,1_0,{},[1]\n"
    assert problems(wrong(load, "orders.csv", text)) == [
        "orders.csv:2: row 1: weight: 'heavy' is not a number",
        "orders.csv:2: row 1: tags: 'new' is not a list",
        "orders.csv:2: row 1: size: 'wide' is not a mapping of w",
        "orders.csv:3: row 2: weight: '1_0' is not a number",
        "orders.csv:3: row 2: tags[0]: 1 is not a string",
    ]


def test_of_many_broken_lines_some_are_told(load):
    assert len(problems(wrong(load, "orders.jsonl", "{]\n" * 50))) == 20


def test_a_row_that_begins_after_one_of_several_lines_is_found(load):
    text = 'note,total\n"one\ntwo\nthree",5\nfour,x\n'
    assert problems(wrong(load, "orders.csv", text)) == ["orders.csv:5: row 2: total: 'x' is not a decimal number"]


def test_in_json_the_very_place_is_named(load):
    text = '[\n  {"total": 5},\n  {"n": 1, "total": "x", "size": {"w": "wide"}}\n]'
    assert problems(wrong(load, "orders.json", text)) == [
        "orders.json:3:21: row 2: total: 'x' is not a decimal number",
        "orders.json:3:40: row 2: size.w: 'wide' is not a whole number",
    ]
    lines = '{"total": 5}\n\n{"n": 1, "total": "x"}\n'
    assert problems(wrong(load, "orders.jsonl", lines)) == [
        "orders.jsonl:3:19: row 2: total: 'x' is not a decimal number"
    ]


@pytest.mark.parametrize("block", [1, 5, 40, 1_000_000])
def test_json_lines_are_the_same_however_many_are_looked_at_together(load, monkeypatch, block):
    monkeypatch.setattr(jsonfiles, "BLOCK", block)
    lines = ['{"id": "a", "total": 5}', "", "  ", '{"id": "b", "note": "\u2028 \x85"}', '{"id": "c", "total": 7}\r']
    assert [row.id for row in load("orders.jsonl", "\n".join(lines)).orders] == ["a", "b", "c"]
    assert [row.id for row in load("orders.jsonl", "\n".join(lines) + "\n\n").orders] == ["a", "b", "c"]
    broken = "\n".join([*lines, '{"total": "x"}', '{"id": "e"', "[]", '{"totl": 5}'])
    assert problems(wrong(load, "orders.jsonl", broken))[0].startswith("orders.jsonl:7:")
    broken = "\n".join([*lines, '{"total": "x"}', "[]", '{"totl": 5}'])
    assert problems(wrong(load, "orders.jsonl", broken)) == ["orders.jsonl:7:1: row 5: [] is not an object"]
    broken = "\n".join([*lines, '{"total": "x"}', '{"totl": 5}'])
    found = problems(wrong(load, "orders.jsonl", broken))
    assert found[0].startswith("orders.jsonl:7:2: shop.order has no field 'totl'; did you mean 'total'?")
    broken = "\n".join([*lines, '{"total": "x"}'])
    assert problems(wrong(load, "orders.jsonl", broken)) == [
        "orders.jsonl:6:11: row 4: total: 'x' is not a decimal number"
    ]


def test_many_wrong_cells_of_one_column_are_counted(load):
    text = "total\n" + "x\n" * 30
    found = problems(wrong(load, "orders.csv", text))
    assert len(found) == 21
    assert found[-1] == "orders.csv:22: row 21: total: of this row and 9 more it does not fit either"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "o.csv",
            "id,totl\n1,2\n",
            "o.csv:1: shop.order has no field 'totl'; did you mean 'total'?\n    Fields: id",
        ),
        ("o.csv", "id,n,id\n1,2,3\n", "o.csv:1: the column 'id' is there twice\n    Leave one of them out."),
        ("o.csv", "", "o.csv:1: the first line names no columns\n    Name fields there: id, customer"),
        ("o.csv", "id,n\n1,2\n3\n", "o.csv:3: row 2 has 1 cell, and there are 2 columns: ['3']\n    Write the commas"),
        (
            "o.csv",
            "id,n\n1,2,3\n",
            "o.csv:2: row 1 has 3 cells, and there are 2 columns: ['1', '2', '3']\n    A cell",
        ),
        ("o.csv", 'id,n\n"1,2\n', "o.csv:2: this is not valid CSV: unexpected end of data"),
        ("o.csv", b"id\n\xff\n", "o.csv:2: b'\\xff' is not UTF-8\n    Save the file as UTF-8."),
        ("o.json", "[{]", "o.json:1:3: this is not valid JSON"),
        ("o.json", '{"id": "1"}', "o.json:1:1: {'id': '1'} is not a list of rows"),
        ("o.json", '[{"id": "1"},\n 5]', "o.json:2:2: row 2: 5 is not an object"),
        ("o.json", '[{"id": "1"},\n {"totl": 5}]', "o.json:2:3: shop.order has no field 'totl'; did you mean 'total'?"),
        ("o.jsonl", '{"id": "1"}\n{"id": \n', "o.jsonl:2:"),
        ("o.jsonl", '{"id": "1"}\n[5]\n', "o.jsonl:2:1: row 2: [5] is not an object"),
        ("o.jsonl", '{"id": "1"}\n\n{"totl": 5}\n', "o.jsonl:3:"),
    ],
)
def test_a_file_of_the_wrong_form_is_named_with_its_place(load, name, text, message):
    found = wrong(load, name, text)
    assert f"/{message}" in found  # with its folder, as errors in the world's file are
    assert len(problems(found)) == 1


def test_a_file_that_is_not_there_is_named_with_the_nearest(load, make):
    path = make(WORLD % "order.csv")
    (path.parent / "orders.csv").write_text(CSV)
    with pytest.raises(UsageError) as caught:
        World.load(path)
    place, _, message = str(caught.value).partition(": ")
    assert place.endswith("world.yaml:11:22")
    assert message.startswith("there is no file 'order.csv'; did you mean 'orders.csv'?\n    It is looked for beside")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("orders.xlsx", "'orders.xlsx' is no data file"),
        (
            "orders.cvs",
            "'orders.cvs' is no data file; did you mean '.csv'?\n    Data files end with .csv, .json",
        ),
        ("5", "5 is not the name of a file\n    Write from: orders.csv."),
        ("[a.csv]", "['a.csv'] is not the name of a file"),
    ],
)
def test_what_is_no_data_file_is_named(make, name, message):
    with pytest.raises(UsageError) as caught:
        World.load(make(WORLD % name))
    assert str(caught.value).partition(": ")[2].startswith(message)


def test_wrong_rows_are_told_together_with_what_else_is_wrong(load):
    found = problems(wrong(load, "o.csv", "total\nx\n", WORLD.replace("kind: list", "kind: lst")))
    assert ["lst" in line or "total: 'x'" in line for line in found] == [True, True]


def test_a_changed_data_file_is_read_anew_and_changes_the_digest(make):
    path = make(WORLD % "o.csv")
    data = path.parent / "o.csv"
    data.write_text("id,n\na,1\n")
    first = World.load(path)
    assert World.load(path).digest == first.digest
    data.write_text("id,n\na,22\n")
    second = World.load(path)
    assert (first.orders["a"].n, second.orders["a"].n) == (1, 22)
    assert first.digest != second.digest


def test_ids_that_are_numbers_are_numbers(load):
    text = "services: { a: { records: { x: { id: int, of: 'ref[a.x]?' } }, seed: { x: { from: %s, count: 3 } } } }"
    world = load("x.csv", "id,of\n2,5\n5,\n", text)
    assert [(row.id, row.of) for row in world.x][:2] == [(2, 5), (5, None)]
    assert world.x.all()[2].id == 1


@given(st.lists(st.tuples(st.text(), st.integers(-(10**20), 10**20), st.booleans(), st.floats(allow_nan=False))))
def test_what_a_csv_writer_writes_is_read_as_it_was(rows):
    import csv  # what is drawn is written by the standard library
    import io

    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["s", "n", "b", "x"])
    writer.writerows(rows)
    found = csvfiles.columns(text.getvalue(), "r.csv", PLAIN.r.record)
    assert list(zip(*(found.columns[name] for name in ("s", "n", "b", "x")), strict=True)) == rows


PLAIN = World.parse(
    parse("services: { a: { records: { r: { s: str, n: int, b: bool, x: float } } } }", format="yaml", name="w.yaml")
)
