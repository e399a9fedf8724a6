"""World files of faultbench 0.1: how they are told apart, and what they become in squall's words."""

from __future__ import annotations

import textwrap

import pytest

from squall.documents import parse
from squall.documents.faultbench import in_our_words, is_faultbench

LIBRARY = """\
name: library
services:
  stock:
    records:
      books: { id: str, title: str, shelf: enum[a, b] }
    seed: { count: 3 }
    operations:
      get_book: { kind: get, record: books }
  desk:
    records:
      loans: { id: str, book_id: ref[stock.books], due: datetime }
"""


def document(text):
    return parse(textwrap.dedent(text), format="yaml", name="world.yaml")


def theirs(*changes):
    text = LIBRARY
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return document(text)


def field(ours, service, record, name):
    return ours.data["services"][service]["records"][record][name]


def test_a_file_that_says_all_that_faultbench_demands_and_names_a_collection_is_faultbenchs():
    assert is_faultbench(document(LIBRARY).data)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name: library\n", ""),
        ("name: library", "name: library\ntool_names: short"),
        ("name: library", "name: 12"),
        ("record: books", "record: books, description: One book."),
        ("record: books", "recrod: books"),
        ("{ count: 3 }", "{ count: 3, books: [{ title: Solaris }] }"),
        ("{ count: 3 }", "3"),
        ("title: str", "title: str?"),
        ("title: str", "title: str(title)"),
        ("title: str", "title: strr"),
        ("title: str", "title: [str]"),
        ("id: str, book_id", "book_id"),
        ("  desk:", "  desk:\n    auth: { token: t }"),
        ("      loans:", "      books:"),
        ("{ id: str, title: str, shelf: enum[a, b] }", "{ fields: { id: str } }"),
        ("  desk:\n    records:\n      loans:", "  desk: nothing\n  other:\n    records:\n      loans:"),
    ],
)
def test_a_file_that_says_anything_else_is_squalls(before, after):
    file = theirs((before, after))
    assert not is_faultbench(file.data)
    assert in_our_words(file) is file


def test_a_file_whose_records_are_all_singular_is_squalls():
    file = theirs(("books", "book"), ("loans", "address"))
    assert not is_faultbench(file.data)


@pytest.mark.parametrize("data", [None, [], "text", {}, {"name": "x", "services": None}, {"name": "x", "services": []}])
def test_what_is_no_world_at_all_is_not_faultbenchs(data):
    assert not is_faultbench(data)


@pytest.mark.parametrize("written", ["ref[books]", "ref[desk.books]", "ref[a.b.books]", " ref[stock.books] "])
def test_a_reference_goes_by_the_name_of_the_record(written):
    ours = in_our_words(theirs(("ref[stock.books]", f"'{written}'")))
    assert field(ours, "desk", "loans", "book_id") == "ref[stock.books]"


def test_a_reference_to_an_unknown_record_is_left_for_the_reader_of_worlds_to_complain_of():
    ours = in_our_words(theirs(("ref[stock.books]", "ref[stock.boks]")))
    assert field(ours, "desk", "loans", "book_id") == "ref[stock.boks]"


def test_a_row_may_begin_without_a_reference_to_a_table_that_begins_empty():
    ours = in_our_words(theirs(("title: str", "title: str, loan_id: ref[desk.loans]")))
    assert field(ours, "stock", "books", "loan_id") == "ref[desk.loans]?"


@pytest.mark.parametrize(
    ("written", "read"), [("enum[a,, b,]", "enum[a, b]"), ("enum[a, b, a]", "enum[a, b]"), ("enum[a, b]", "enum[a, b]")]
)
def test_empty_and_repeated_members_of_an_enum_are_passed_over(written, read):
    assert field(in_our_words(theirs(("enum[a, b]", f"'{written}'"))), "stock", "books", "shelf") == read


@pytest.mark.parametrize(("written", "read"), [("str", "str"), ("int", "int"), ("datetime", "str"), ("enum[x]", "str")])
def test_an_id_is_text_unless_it_is_a_number(written, read):
    ours = in_our_words(theirs(("{ id: str, title", f"{{ id: {written}, title")))
    assert field(ours, "stock", "books", "id") == read


@pytest.mark.parametrize(
    ("written", "read"), [("3", 3), ("'3'", 3), ("3.0", 3), ("1_000", 1000), ("-2", 0), ("many", "many"), ("2.5", 2.5)]
)
def test_a_count_is_a_number_however_it_is_written(written, read):
    ours = in_our_words(theirs(("count: 3", f"count: {written}")))
    assert ours.data["services"]["stock"]["seed"] == {"count": read}


def test_empty_sections_are_empty():
    ours = in_our_words(theirs(("  desk:", "  nothing:\n    records:\n    operations:\n  desk:")))
    assert ours.data["services"]["nothing"] == {"records": {}, "operations": {}}


def test_keys_that_are_for_other_kinds_are_passed_over():
    ours = in_our_words(theirs(("record: books }", "record: books, filter: [title], handler: rules.get }")))
    assert ours.data["services"]["stock"]["operations"]["get_book"] == {"kind": "get", "record": "books"}


def test_empty_rules_and_parts_of_rules_are_passed_over_and_texts_of_numbers_are_numbers():
    rules = """
    faults:
      default:
      stock.get_book:
        latency_ms:
        errors: { timeout: "0.5", not_found_if_newer_than: 2h }
        rate_limit: { calls: "5", per_seconds: "60" }
      desk.x: text
      desk.y: { errors: [], rate_limit: 5 }
    """
    ours = in_our_words(document(LIBRARY + textwrap.dedent(rules)))
    assert ours.data["faults"] == {
        "default": {},
        "stock.get_book": {
            "errors": {"timeout": 0.5, "not_found_if_newer_than": "2h"},
            "rate_limit": {"calls": 5, "per_seconds": 60},
        },
        "desk.x": "text",
        "desk.y": {"errors": [], "rate_limit": 5},
    }


def test_rules_that_are_no_mapping_stay_what_they_are():
    assert in_our_words(document(LIBRARY + "faults: [x]\nseed: '7'\n")).data["faults"] == ["x"]


def test_the_document_itself_and_its_places_stay_what_they_are():
    file = theirs(("ref[stock.books]", "ref[books]"))
    ours = in_our_words(file)
    assert field(file, "desk", "loans", "book_id") == "ref[books]"
    loc = ("services", "desk", "records", "loans", "book_id")
    assert ours.at(loc) == file.at(loc)
