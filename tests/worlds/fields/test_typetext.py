from __future__ import annotations

from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.worlds.fields.compound import ListType, RefType
from squall.worlds.fields.numeric import IntType
from squall.worlds.fields.types import DatetimeType, EnumType, FieldType, Unfit
from squall.worlds.fields.typetext import parse
from squall.worlds.file.shapes import Misread


def key_of(target):
    if target != "people.customer":
        raise Misread(f"ref[{target}] refers to nothing")
    return "str"


def read(text):
    return parse(text, key_of)


def test_a_range_has_its_bounds_and_either_may_be_open():
    kind = read("int[ 1 .. 10 ]")
    assert isinstance(kind, IntType)
    assert (kind.low, kind.high) == (1, 10)
    assert read("float[5..]").high is None
    assert read("decimal[..9.99]").high == Decimal("9.99")


def test_a_bound_behind_a_sign_is_none_of_the_numbers_itself():
    kind = read("float[ >0 .. < 1 ]")
    assert (kind.low, kind.high, kind.above, kind.below) == (0, 1, True, True)
    assert (read("decimal[>0..]").above, read("decimal[>0..]").below) == (True, False)
    assert (read("int[>0..<10]").low, read("int[>0..<10]").high) == (1, 9)
    assert not read("float[0..1]").above


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
        ("float[>1..1]", "'float[>1..1]' is an empty range: no number is in it", None),
        ("decimal[1..<1]", "'decimal[1..<1]' is an empty range: no number is in it", None),
        ("int[>0..<1]", "'int[>0..<1]' is an empty range: no number is in it", None),
        ("float[>0..<5e-324]", "'float[>0..<5e-324]' is an empty range: no number is in it", None),
        ("float[>2..<1]", "'float[>2..<1]' is an empty range: 2 is more than 1", None),
        ("float[>..1]", "'float[>..1]' names no number after >", None),
        ("float[0..<]", "'float[0..<]' names no number after <", None),
        ("float[<0..1]", "'float[<0..1]': '<0' is no bound of a range", None),
        ("float[>=0..1]", "'float[>=0..1]': '=0' is no bound of a range", None),
        ("date[>-1d..0d]", "'date[>-1d..0d]': '>-1d' is no bound of a range", None),
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
        ("string", "unknown type 'string'", "str"),
        ("Text?", "unknown type 'Text?'", "str"),
        ("number", "unknown type 'number'", "float"),
        ("integer", "unknown type 'integer'", "int"),
        ("boolean", "unknown type 'boolean'", "bool"),
        ("timestamp", "unknown type 'timestamp'", "datetime"),
        ("uuid", "unknown type 'uuid'", "str(uuid)"),
        ("float[nan..1]", "'float[nan..1]': 'nan' is no finite number", None),
        ("float[0..1e999]", "'float[0..1e999]': '1e999' is no finite number", None),
        ("float[-1e308..1e308]", "'float[-1e308..1e308]' is too wide for a range of floats", None),
        ("decimal[nan..1]", "'decimal[nan..1]': 'nan' is no finite number", None),
        ("decimal[sNaN..1]", "'decimal[sNaN..1]': 'sNaN' is no finite number", None),
        ("decimal[0..1e9999]", "'decimal[0..1e9999]': '1e9999' has more than 1000 digits", None),
        ("date[0d..400000d]", "'date[0d..400000d]': '400000d' is more than 1000 years away", None),
    ],
)
def test_what_is_no_type_says_why_and_what_is_near(text, message, near):
    with pytest.raises(Misread) as caught:
        read(text)
    assert caught.value.message == message
    if near:
        assert caught.value.near == near


def test_a_nested_mapping_is_written_out():
    with pytest.raises(Misread) as caught:
        read("dict")
    assert caught.value.hint == "write the fields inside it: { street: str, city: str }"


def test_types_nest_as_deep_as_anyone_needs_and_no_deeper():
    assert isinstance(read("list[" * 30 + "int" + "]" * 30), ListType)
    with pytest.raises(Misread) as caught:
        read("list[" * 5_000 + "int" + "]" * 5_000)
    assert caught.value.message == "a type that is nested more than 32 deep"


def test_an_enum_of_very_many_members_is_read_and_does_not_name_them_all():
    kind = read(f"enum[{', '.join(f'm{number}' for number in range(20_000))}]")
    assert kind.check("m19999") == "m19999"
    with pytest.raises(Unfit) as caught:
        kind.check("other")
    assert str(caught.value).endswith("m29 and 19970 more")
    with pytest.raises(Misread) as twice:
        read(f"enum[{', '.join(f'm{number}' for number in range(20_000))}, m7]")
    assert "has 'm7' twice" in twice.value.message


@given(st.text(max_size=30) | st.from_regex(r"(int|float|enum|ref|list|str|datetime)[\[\](), .?\w-]{0,12}"))
def test_any_text_is_a_type_or_says_that_it_is_none(text):
    with suppress(Misread):
        assert isinstance(read(text), FieldType)
