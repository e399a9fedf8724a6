from __future__ import annotations

import copy
import math
import uuid
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall import canonical
from squall.decide import Point, digest_of
from squall.decide.point import NEAR

CLOCK = datetime(2025, 6, 1, tzinfo=UTC)
WALL = datetime(2031, 3, 4, 5, 6, 7, tzinfo=UTC)
NOWS = (CLOCK.timestamp(), WALL.timestamp())
HEX = "0123456789abcdef"


def masked(value, volatile=()):
    return digest_of({"it": value}, volatile, NOWS)[1] == ["it"]


def digest(args, volatile=()):
    return digest_of(args, volatile, NOWS)[0]


def test_the_digest_of_arguments_is_pinned_for_it_names_points_in_files():
    assert digest_of({"order": "7", "amount": 12.5}, (), NOWS) == ("c4eb63aac0744086", [])


def test_a_digest_is_16_hexadecimal_digits_and_knows_no_order_of_arguments():
    assert len(digest({"a": 1, "b": 2})) == 16
    assert set(digest({"a": 1, "b": 2})) <= set(HEX)
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": "1"}),
        ({"a": 1}, {"b": 1}),
        ({}, {"a": None}),
        ({"a": [1]}, {"a": [1, 1]}),
    ],
)
def test_other_arguments_make_another_point(one, other):
    assert digest(one) != digest(other)


def test_a_points_key_names_all_that_tells_it_from_others():
    point = Point("tool", "s", "orders.get", "0" * 16, 2, 3)
    assert point.key == ("tool", "s", "orders.get", "0" * 16, 2, 3)
    assert Point("tool", "s", "orders.get", "0" * 16, 2).attempt == 1


# --------------------------------------------------------------------------------------------------------- UUIDs


@pytest.mark.parametrize("form", ["{}", "{{{}}}"])
@pytest.mark.parametrize("version", [uuid.UUID(int=5), uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), uuid.uuid4()])
def test_what_looks_like_a_uuid_is_masked(version, form):
    assert masked(form.format(version))
    assert masked(str(version).upper())
    assert masked(version.hex)


@settings(max_examples=50, deadline=None)
@given(one=st.uuids(), other=st.uuids())
def test_calls_that_differ_in_a_uuid_alone_are_one_point(one, other):
    assert digest({"key": str(one), "n": 1}) == digest({"key": str(other), "n": 1})


@pytest.mark.parametrize(
    "value",
    [
        HEX * 2 + "0",
        (HEX * 2)[1:],
        HEX * 4,
        "g" * 32,
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8-1",
        "6ba7b810 9dad 11d1 80b4 00c04fd430c8",
        "order-6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8\n",
        "a customer wrote a rather long sentence here",
        "DE89370400440532013000",
        "4111111111111111",
        "",
    ],
)
def test_what_is_merely_long_is_not_masked(value):
    assert not masked(value)
    assert digest({"it": value}) != digest({"it": value + "x"})


# --------------------------------------------------------------------------------------------------------- times


@pytest.mark.parametrize("now", [CLOCK, WALL], ids=["the clock's", "the wall's"])
@pytest.mark.parametrize("off", [0, 90, -90, NEAR, -NEAR])
def test_the_current_time_is_masked_in_any_spelling(now, off):
    when = now + timedelta(seconds=off)
    for text in (
        when.isoformat(),
        when.isoformat().replace("+00:00", "Z"),
        when.isoformat(" "),
        when.replace(tzinfo=None).isoformat(),
        when.isoformat(timespec="milliseconds"),
        when.isoformat(timespec="microseconds").replace("+00:00", "123Z"),
        when.astimezone(timezone(timedelta(hours=-7))).isoformat(),
    ):
        assert masked(text), text
    assert masked(when)
    assert masked(when.replace(tzinfo=None))


@pytest.mark.parametrize("now", [CLOCK, WALL], ids=["the clock's", "the wall's"])
@pytest.mark.parametrize("off", [0, 90, -90, NEAR, -NEAR])
def test_the_current_time_is_masked_as_seconds_and_milliseconds_since_the_epoch(now, off):
    epoch = now.timestamp() + off
    assert all(masked(value) for value in (epoch, int(epoch), epoch * 1000, int(epoch * 1000)))


@pytest.mark.parametrize("now", [CLOCK, WALL], ids=["the clock's", "the wall's"])
@pytest.mark.parametrize("off", [NEAR + 1, -NEAR - 1, 86400, -86400 * 365])
def test_times_that_are_not_current_stay_for_they_are_what_the_agent_means(now, off):
    when, epoch = now + timedelta(seconds=off), now.timestamp() + off
    for value in (when, when.isoformat(), epoch, int(epoch), epoch * 1000, int(epoch * 1000)):
        assert not masked(value), value


@pytest.mark.parametrize("text", ["2025-06-01T00:00", "2025-06-01 00:00Z"])
def test_minutes_are_enough_of_a_time(text):
    assert masked(text)


@pytest.mark.parametrize(
    "value",
    [
        "2025-06-01",
        date(2025, 6, 1),
        "2025-06-01T99:99:00Z",
        "2025-06-01T00:00:00Z is when it began",
        "0000-00-00T00:00:00",
        "00:00:00",
        True,
        0,
        12.5,
        -1748736000,
        999_999_999,
        10**9 + 1,
        1748736000 * 1_000_000,
        10**400,
        -(10**400),
        math.inf,
        Decimal(1748736000),
        "1748736000",
        None,
    ],
    ids=lambda value: str(value)[:20],
)
def test_days_amounts_and_ids_are_no_current_times(value):
    assert not masked(value)


@pytest.mark.parametrize("edge", [datetime.min, datetime.max])
@pytest.mark.parametrize("offset", [None, -12, 0, 12])
def test_the_ends_of_the_calendar_are_times_like_others(edge, offset):
    zone = None if offset is None else timezone(timedelta(hours=offset))
    assert not masked(edge.replace(tzinfo=zone))
    assert not masked(edge.replace(tzinfo=zone).isoformat())


def test_without_a_clock_no_time_is_current():
    assert digest_of({"it": CLOCK.isoformat()}, (), ())[1] == []


# ------------------------------------------------------------------------------------------------ volatile names


def test_a_volatile_name_is_masked_wherever_it_stands():
    args = {"id": 1, "a": {"id": 2, "b": [{"id": 3}, 4]}, "ids": [5]}
    found, paths = digest_of(args, {"id"}, NOWS)
    assert paths == ["id", "a.id", "a.b.0.id"]
    assert found == digest({"id": 9, "a": {"id": [], "b": [{"id": None}, 4]}, "ids": [5]}, {"id"})
    assert found != digest({"id": 1, "a": {"id": 2, "b": [{"id": 3}, 4]}, "ids": [6]}, {"id"})


def test_a_volatile_name_is_a_whole_name():
    assert digest_of({"order.id": 1, "a": {"b.id": 2}, "0": 3}, {"id"}, NOWS)[1] == []
    assert digest_of({"items": [7]}, {"0"}, NOWS)[1] == []


def test_what_is_volatile_is_masked_as_a_whole_and_told_once():
    assert digest_of({"trace": {"id": str(uuid.uuid4()), "n": 1}}, {"trace"}, NOWS)[1] == ["trace"]


def test_uuids_and_times_are_masked_deep_within_and_told_with_their_path():
    args = {"a": [{"key": str(uuid.uuid4())}, (CLOCK.isoformat(), "x")], "n": 1}
    assert digest_of(args, (), NOWS)[1] == ["a.0.key", "a.1.0"]


def test_a_masked_argument_is_not_the_same_as_none():
    assert digest({"key": str(uuid.uuid4())}) != digest({})


def test_arguments_are_left_as_they_were():
    args = {"id": 1, "a": [{"key": str(uuid.uuid4())}]}
    before = copy.deepcopy(args)
    digest_of(args, {"id"}, NOWS)
    assert args == before


SIMPLE = st.one_of(
    st.text(max_size=20),
    st.integers(-(10**18), 10**18),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)


@given(st.dictionaries(st.sampled_from(["a", "b", "key"]), SIMPLE))
def test_a_digest_is_of_the_canonical_bytes_whatever_equal_values_had_one_before(args):
    for kind in (int, float, bool):  # 1, 1.0 and True are one key of a dict, but not one argument
        digest({name: kind(value) for name, value in args.items() if isinstance(value, int | float)})
    found, paths = digest_of(args, {"key"}, ())
    kept = {name: "\N{BULLET}" if name in paths else value for name, value in args.items()}
    assert found == canonical.digest(kept)[:16]
    assert ("key" in paths) == ("key" in args)


# -------------------------------------------------------------------------------------------- whatever is passed


class Opaque:
    pass


def loop(item):
    value = [item]
    value.append(value)
    return value


def nested(levels):
    value: object = "bottom"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "make",
    [
        lambda: math.nan,
        lambda: "\ud800",
        lambda: {"\ud800": 1},
        lambda: {1: "x", None: "y"},
        lambda: {10**5000: 1},
        lambda: 10**5000,
        lambda: {"b", "a", "c"},
        lambda: b"x",
        Opaque,
        lambda: {Opaque(): Opaque()},
        lambda: loop("x"),
        lambda: nested(3000),
    ],
)
def test_any_argument_has_a_digest_which_is_the_same_next_time(make):
    one, other = (digest_of({"it": make(), "key": str(uuid.uuid4()), "id": n}, {"id"}, NOWS) for n in range(2))
    assert one == other
    assert one[1] == ["key", "id"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (math.nan, math.inf),
        ("\ud800", "\ud801"),
        (loop("x"), loop("y")),
        ({1: "x"}, {2: "x"}),
        ({"a"}, {"b"}),
        ([1, Opaque()], [2, Opaque()]),
    ],
)
def test_arguments_that_json_cannot_hold_still_tell_calls_apart(one, other):
    assert digest({"it": one}) != digest({"it": other})
