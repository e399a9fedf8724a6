from __future__ import annotations

from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.worlds.compound import ListType, RefType
from squall.worlds.types import DatetimeType, EnumType, FieldType, IntType
from squall.worlds.typetext import BadType, parse


def key_of(target):
    if target != "people.customer":
        raise BadType(f"ref[{target}] refers to nothing")
    return "str"


def read(text):
    return parse(text, key_of)


def test_a_range_has_its_bounds_and_either_may_be_open():
    kind = read("int[ 1 .. 10 ]")
    assert isinstance(kind, IntType)
    assert (kind.low, kind.high) == (1, 10)
    assert read("float[5..]").high is None
    assert read("decimal[..9.99]").high == Decimal("9.99")


def test_a_range_of_days_is_in_seconds_from_the_start():
    kind = read("datetime[-20d..0d]")
    assert isinstance(kind, DatetimeType)
    assert (kind.low, kind.high) == (-20 * 86_400, 0)
    assert read("date[-1d..+1d]").high == 86_400


def test_members_of_an_enum_are_texts_whatever_they_look_like():
    kind = read("enum[no, 1, 'in transit']")
    assert isinstance(kind, EnumType)
    assert kind.members == ("no", "1", "in transit")


def test_types_nest_and_may_be_null():
    kind = read("list[ref[people.customer]?]?")
    assert isinstance(kind, ListType)
    assert kind.optional
    assert isinstance(kind.item, RefType)
    assert kind.item.optional
    assert not read("str").optional


def test_a_hint_is_kept_for_seeding():
    assert read("str(email)?").hint == "email"


@pytest.mark.parametrize(
    ("text", "message", "near"),
    [
        ("strng", "unknown type 'strng'", None),
        ("datetim", "unknown type 'datetim'", "datetime"),
        ("", "unknown type ''", None),
        ("str[1..2]", "'str[1..2]': str takes no range", None),
        ("int[1,2]", "'int[1,2]' is no range", None),
        ("int[..]", "'int[..]' is no range", None),
        ("int[10..1]", "'int[10..1]' is an empty range: 10 is more than 1", None),
        ("int[a..b]", "'int[a..b]': 'a' is no bound of a range", None),
        ("datetime[-20x..0d]", "'datetime[-20x..0d]': '-20x' is no bound of a range", None),
        ("enum", "'enum' has an empty member", None),
        ("enum[]", "'enum[]' has an empty member", None),
        ("enum[a,,b]", "'enum[a,,b]' has an empty member", None),
        ("enum[a, a]", "'enum[a, a]' has 'a' twice", None),
        ("ref", "'ref' says no record", None),
        ("ref[nobody.here]", "ref[nobody.here] refers to nothing", None),
        ("list", "'list' says nothing of its items", None),
        ("list[strg]", "unknown type 'strg'", "str"),
        ("str(emial)", "unknown hint 'emial'", "email"),
        ("bool(email)", "'bool(email)': bool takes no hint", None),
        ("int 5", "'int 5' is not a type: '5' after int means nothing", None),
        (5, "5 is not a type", None),
        (None, "None is not a type", None),
        (["str", "int"], "['str', 'int'] is not a type", None),
    ],
)
def test_what_is_no_type_says_why_and_what_is_near(text, message, near):
    with pytest.raises(BadType) as caught:
        read(text)
    assert caught.value.message == message
    if near:
        assert caught.value.near == near


@given(st.text(max_size=30) | st.from_regex(r"(int|float|enum|ref|list|str|datetime)[\[\](), .?\w-]{0,12}"))
def test_any_text_is_a_type_or_says_that_it_is_none(text):
    with suppress(BadType):
        assert isinstance(read(text), FieldType)
