from __future__ import annotations

import enum
import hashlib
import json
import math
import os
import re
import struct
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall import canonical
from squall.canonical import (
    CanonicalError,
    digest,
    digest_bytes,
    dumps,
    instant,
    integer,
    number,
    plain,
    token,
    uniform,
)

quick = settings(max_examples=80, deadline=None)


def double(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


# RFC 8785, appendix B: a double by its bits, and how it is written.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_a_double_is_written_as_rfc_8785_lists_it(bits, text):
    assert number(double(bits)) == text
    assert dumps(double(bits)) == text.encode()


@pytest.mark.parametrize(
    ("bits", "name"), [("7fffffffffffffff", "nan"), ("7ff0000000000000", "inf"), ("fff0000000000000", "-inf")]
)
def test_a_double_that_json_lacks_is_refused_with_the_path_to_it(bits, name):
    with pytest.raises(CanonicalError, match=rf"^the value at a\.1\.b is {name}, and JSON has no such number$"):
        dumps({"a": [0, {"b": double(bits)}]})


@pytest.mark.parametrize(
    ("value", "text"),
    [(4.5, "4.5"), (2e-3, "0.002"), (1e30, "1e+30"), (1e-27, "1e-27"), (10.0, "10"), (123456.789e3, "123456789")],
)
def test_a_number_takes_its_shortest_form(value, text):
    assert number(value) == text


@quick
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_comes_back_from_its_text(value):
    assert float(number(value)) == value


def test_the_example_of_rfc_8785_comes_out_byte_for_byte():
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert dumps(value) == (
        rb'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        b'"string":"\xe2\x82\xac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_sorted_as_the_example_of_rfc_8785_sorts_them():
    value = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    assert list(json.loads(dumps(value))) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_a_key_beyond_the_basic_plane_comes_before_private_use_for_its_first_code_unit_is_smaller():
    assert dumps({"\ue000": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ue000":1}'.encode()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\b\t\n\f\r", rb'"\b\t\n\f\r"'),
        ('"\\', rb'"\"\\"'),
        ("\x00\x0f\x1f", rb'"\u0000\u000f\u001f"'),
        ("/\x7f", b'"/\x7f"'),
        ("\u2028é😀", '"\u2028é😀"'.encode()),
    ],
)
def test_only_what_must_be_is_escaped(text, written):
    assert dumps(text) == written
    assert dumps({text: 0}) == b"{%b:0}" % written


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(  # a double beyond 2**53 is written as a whole number, which Python reads as one
    st.none() | st.booleans() | st.integers() | st.floats(-(2.0**53), 2.0**53) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)


@quick
@given(JSON)
def test_what_is_written_reads_back_equal(value):
    assert json.loads(dumps(value)) == value


@quick
@given(
    st.dictionaries(TEXT, JSON, min_size=2, max_size=6).flatmap(
        lambda d: st.tuples(st.just(d), st.permutations(list(d)))
    )
)
def test_the_order_in_which_keys_were_added_leaves_no_mark(case):
    value, order = case
    permuted = {key: value[key] for key in order}
    assert dumps(permuted) == dumps(value)
    assert digest(permuted) == digest(value)


@quick
@given(JSON)
def test_what_is_written_is_canonical_already(value):
    assert dumps(json.loads(dumps(value))) == dumps(value)


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 10**18 + 1, 2**64, 10**30 + 7, -(10**40)])
def test_a_whole_number_keeps_all_its_digits(value):
    assert dumps(value) == str(value).encode()


def test_a_whole_number_may_be_longer_than_python_prints():
    assert dumps(10**5000 + 7) == b"1" + b"0" * 4999 + b"7"
    assert dumps(-(10**5000)) == b"-1" + b"0" * 5000


def test_two_long_ids_never_fall_together():
    assert digest(9007199254740993) != digest(9007199254740992)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2025, 6, 1, 12, 30, tzinfo=UTC), "2025-06-01T12:30:00Z"),
        (datetime(2025, 6, 1, 12, 30, 0, 5), "2025-06-01T12:30:00.000005Z"),
        (datetime(2025, 6, 1, 12, 30, tzinfo=timezone(timedelta(hours=2))), "2025-06-01T10:30:00Z"),
        (date(2025, 6, 1), "2025-06-01"),
        (Decimal("10.50"), "10.50"),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))), "9999-12-31T23:59:59.999999-01:00"),
    ],
)
def test_moments_days_and_decimals_are_strings(value, text):
    assert json.loads(dumps(value)) == text


def test_one_moment_has_one_form_in_every_zone():
    here = datetime(2025, 6, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert instant(here) == instant(here.astimezone(UTC)) == "2025-05-31T19:30:00Z"


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity")])
def test_a_decimal_that_is_no_number_is_refused(value):
    with pytest.raises(CanonicalError, match=f"the value at price is {value}"):
        dumps({"price": value})


class Colour(str):
    __slots__ = ()


class Level(enum.IntEnum):
    LOW = 1


class Share(float):
    __slots__ = ()


def test_subclasses_and_other_mappings_are_written_as_what_they_stand_for():
    value = {Colour("c"): Colour("red"), "l": Level.LOW, "s": Share(0.5), "m": MappingProxyType({"b": (1, 2)})}
    assert dumps(value) == b'{"c":"red","l":1,"m":{"b":[1,2]},"s":0.5}'
    with pytest.raises(CanonicalError, match="the value at s is nan"):
        dumps({"s": Share("nan")})


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({1: "x"}, "the value has the key 1, and"),
        ({"a": [{None: 1}]}, "the value at a.0 has the key None, and"),
        ({"a": {(1, 2): 1}}, r"the value at a has the key (1, 2), and"),
    ],
)
def test_a_key_that_is_no_string_is_refused_with_the_path_to_its_mapping(value, where):
    with pytest.raises(CanonicalError) as caught:
        dumps(value)
    assert str(caught.value) == f"{where} a key must be a string"


@pytest.mark.parametrize("value", [{1}, b"x", object(), print, 1j])
def test_a_foreign_type_is_refused_with_the_path_and_the_type(value):
    with pytest.raises(CanonicalError, match=rf"^the value at a\.0 is .* of type {type(value).__name__}, which has no"):
        dumps({"a": [value]})


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ("ab\ud800", "the value holds a lone surrogate (character 2)"),
        ({"a": ["x", "\udfff"]}, "the value at a.1 holds a lone surrogate (character 0)"),
        ({"\ud800": 1}, "a key of the value holds a lone surrogate (character 0)"),
        ({"a": {"b\udead": 1}}, "a key of the value at a holds a lone surrogate (character 1)"),
        (
            {"a": ({"ok": 1}, MappingProxyType({"x": "\ud800"}))},
            "the value at a.1.x holds a lone surrogate (character 0)",
        ),
    ],
)
def test_a_lone_surrogate_is_refused_with_the_path_to_it(value, where):
    with pytest.raises(CanonicalError) as caught:
        dumps(value)
    assert str(caught.value) == f"{where}, which no UTF-8 text can"


def test_a_whole_pair_of_surrogates_is_one_character_and_welcome():
    assert dumps("\U0001f600") == b'"\xf0\x9f\x98\x80"'


def test_a_message_about_a_value_under_a_lone_surrogate_can_be_printed():
    with pytest.raises(CanonicalError) as caught:
        dumps({"\ud800": math.nan})
    assert str(caught.value).encode() == rb"the value at \ud800 is nan, and JSON has no such number"


def test_a_value_that_holds_itself_is_refused():
    loop: list[object] = []
    loop.append({"again": loop})
    with pytest.raises(CanonicalError, match="holds itself"):
        dumps(loop)


def test_a_refusal_is_a_value_error_to_those_who_do_not_know_squall():
    assert issubclass(CanonicalError, ValueError)


def test_a_digest_is_sha_256_of_the_bytes():
    assert digest({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()
    assert digest_bytes(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


# ------------------------------------------------------------------------------------------------- keyed numbers


GOLDEN = {
    (): 16476032584258269876,
    ("",): 2669058277339150580,
    ("ab", "c"): 3990012163878999643,
    ("a", "bc"): 9665430490451974936,
    (0,): 12297546399917769860,
    ("0",): 768314844241317839,
    (-1, 2**70): 12357942107758303557,
    ("é", "\U0001f600", 7): 3788007150956762086,
}
GOLDEN_UNIFORM = 0.27023393924366024


def test_keyed_numbers_are_pinned_for_a_change_would_change_every_run_of_every_user():
    assert {key: integer(*key) for key in GOLDEN} == GOLDEN
    assert uniform(0, 0, "tool", "", "orders.get_order", "abcdef0123456789", 1, 1) == GOLDEN_UNIFORM


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c"), ("a", "bc")),
        (("abc",), ("ab", "c")),
        (("1",), (1,)),
        ((1, 2), (12,)),
        ((1, 2), (2, 1)),
        (("",), ()),
        (("a", ""), ("", "a")),
        (("a", "i1:1"), ("a", 1)),
        (("\ud800",), ("\ud801",)),
    ],
)
def test_keys_that_differ_in_any_way_give_other_numbers(one, other):
    assert integer(*one) != integer(*other)


@quick
@given(st.lists(st.text() | st.integers(), max_size=4), st.lists(st.text() | st.integers(), max_size=4))
def test_equal_keys_and_only_those_give_equal_numbers(one, other):
    assert (integer(*one) == integer(*other)) == (one == other)


@quick
@given(st.lists(st.text() | st.integers(), max_size=4))
def test_a_uniform_number_is_the_top_of_the_integer_in_zero_to_one(key):
    value = uniform(*key)
    assert 0.0 <= value < 1.0
    assert value * 2**53 == integer(*key) >> 11


def test_the_largest_integer_still_gives_less_than_one(monkeypatch):
    monkeypatch.setattr(canonical, "integer", lambda *_: 2**64 - 1)
    assert uniform("any") < 1.0


def test_neighbouring_keys_spread_evenly():
    draws = sorted(uniform(seed, "tool", nth) for seed in range(20) for nth in range(200))
    expected = [(n + 0.5) / len(draws) for n in range(len(draws))]
    # Kolmogorov–Smirnov at 1 in 1,000; the draws are fixed, so this either holds or does not.
    assert max(abs(a - b) for a, b in zip(draws, expected, strict=True)) < 1.95 / math.sqrt(len(draws))
    assert all(a < b for a, b in pairwise(draws))


def test_neighbouring_keys_do_not_lean_on_each_other():
    draws = [uniform(0, n) - 0.5 for n in range(4000)]
    correlation = sum(a * b for a, b in pairwise(draws)) / sum(a * a for a in draws)
    assert abs(correlation) < 0.05


def test_keyed_numbers_are_the_same_in_another_process():
    code = "from squall.canonical import digest, uniform; print(uniform(7, 'é', 1), digest({'b': 1, 'a': [0.1]}))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "4"},
    )
    assert ran.stdout.split() == [str(uniform(7, "é", 1)), digest({"b": 1, "a": [0.1]})]


# ----------------------------------------------------------------------------------------------- the plain form


@pytest.mark.parametrize("value", [None, True, 0, -(2**63), 2**64 - 1, 0.5, "text", [1, {"a": None}], {}])
def test_what_json_can_hold_is_its_own_plain_form(value):
    assert plain(value) == value
    assert type(plain(value)) is type(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2**64, str(2**64)),
        (-(2**63) - 1, str(-(2**63) - 1)),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ("a\ud800b", r"a\ud800b"),
        (Colour("red"), "red"),
        (Level.LOW, 1),
        ((1, 2), [1, 2]),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({1, "a", None}), ["a", 1, None]),
        ({1: "x", None: "y", False: "z"}, {"1": "x", "null": "y", "false": "z"}),
        ({(1, "a"): 0, "\ud800": 1}, {'[1,"a"]': 0, r"\ud800": 1}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (datetime(2025, 6, 1), "2025-06-01T00:00:00Z"),
        (date(2025, 6, 1), "2025-06-01"),
        (Decimal("1.50"), "1.50"),
        (b"x", "<bytes>"),
        (1j, "<complex>"),
        (object(), "<object>"),
        (dict, "<type>"),
    ],
)
def test_what_json_cannot_hold_has_a_plain_form_without_addresses(value, expected):
    found = plain(value)
    assert found == expected
    assert json.loads(dumps(found)) == expected


def test_a_number_too_long_for_python_to_print_keeps_its_digits_in_its_plain_form():
    assert plain({10**5000: 10**5000}) == {"1" + "0" * 5000: "1" + "0" * 5000}


def test_the_plain_form_of_a_value_that_holds_itself_ends():
    loop: dict[str, list[object]] = {"items": []}
    loop["items"].append(loop)
    assert plain(loop) == {"items": ["<itself>"]}


def test_what_stands_in_two_places_is_written_in_both():
    twice = ["x"]
    assert plain([twice, twice]) == [["x"], ["x"]]


def test_what_is_nested_too_deeply_is_cut_at_one_fixed_depth():
    deep: object = "bottom"
    for _ in range(canonical.DEEPEST):
        deep = [deep]
    assert plain(deep) == deep
    cut = plain([deep])
    for _ in range(canonical.DEEPEST):
        (cut,) = cut
    assert cut == "<nested too deeply>"


HOSTILE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.complex_numbers()
    | st.decimals()
    | st.datetimes(timezones=st.none() | st.timezones()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.none() | st.text() | st.integers() | st.floats(), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.frozensets(st.text() | st.integers(), max_size=3)
    ),
    max_leaves=10,
)


@quick
@given(HOSTILE)
def test_every_value_has_a_plain_form_with_canonical_bytes(value):
    assert plain(json.loads(dumps(plain(value)))) == json.loads(dumps(plain(value)))


def test_a_token_is_24_letters_and_digits_that_depend_on_the_whole_key_alone():
    assert token("a", 1) == token("a", 1)
    assert len({token("ab", "c"), token("a", "bc"), token("abc"), token("ab", "c", 0), token("1"), token(1)}) == 6
    assert re.fullmatch(r"[0-9a-f]{24}", token("a", 1))
