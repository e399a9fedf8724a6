"""Idempotency keys: one row for one key, the first answer for the same request, a refusal for another."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import squall
from squall.call import Refused
from squall.documents import parse
from squall.errors import UsageError
from squall.worlds import World

TEXT = """
services:
  pay:
    records:
      charge: { id: str, amount: "int[1..]", currency: "enum[eur, usd]", request_id: str? }
      part: { charge: "ref[pay.charge]", n: int }
    operations:
      charge:
        { kind: create, record: charge, required: [amount], include: [parts],
          idempotency_key: { field: key, expires: 2h } }
      charge_stored: { kind: create, record: charge, idempotency_key: request_id }
      must: { kind: create, record: charge, required: [token], idempotency_key: token }
      update_charge: { kind: update, record: charge }
"""


@pytest.fixture
def pay(world_of):
    return world_of(TEXT)


def refused(world, tool, args):
    with pytest.raises(Refused) as caught:
        world.call(tool, args)
    return caught.value.reason, str(caught.value)


def test_the_same_request_with_the_same_key_is_done_once_and_answered_the_same(pay):
    args = {"amount": 500, "key": "k1", "parts": [{"n": 1}]}
    first = pay.call("charge", args)
    pay.charges.update(first["id"], amount=900)
    assert pay.call("charge", args) == first
    assert (len(pay.charges), len(pay.parts)) == (1, 1)
    assert "key" not in first


def test_the_first_answer_is_kept_from_whoever_changes_his_copy(pay):
    args = {"amount": 500, "key": "k1", "parts": [{"n": 1}]}
    pay.call("charge", args)["parts"].clear()
    pay.call("charge", args)["parts"].clear()
    assert len(pay.call("charge", args)["parts"]) == 1


def test_another_request_with_the_same_key_is_refused(pay):
    pay.call("charge", {"amount": 500, "key": "k1"})
    for other in ({"amount": 501}, {"amount": 500, "currency": "eur"}, {"amount": 500, "parts": []}):
        assert refused(pay, "charge", other | {"key": "k1"}) == (
            "invalid",
            "key 'k1' was already used for a request with other parameters; use another key for another request",
        )
    assert pay.revision == 1


@pytest.mark.parametrize("same", [{"amount": 500.0, "key": "k1"}, {"key": "k1", "amount": 500}])
def test_a_request_is_the_same_however_it_is_spelt(pay, same):
    assert pay.call("charge", {"amount": 500, "key": "k1"}) == pay.call("charge", same)


SPELT = """
services:
  pay:
    records:
      fee:
        { id: str, amount: "decimal[0..]", at: datetime?, on: date?, rates: "list[decimal]?", how: { cut: decimal },
          part: "ref[pay.fee]?" }
      line: { fee: "ref[pay.fee]", price: decimal, n: int? }
    seed: { fee: 1 }
    operations:
      pay: { kind: create, record: fee, include: [lines], idempotency_key: key }
"""
PAID = {
    "amount": "1.5",
    "at": "2025-06-01T12:00:00Z",
    "on": "2025-06-01",
    "rates": ["100", 0],
    "how": {"cut": 2},
    "lines": [{"price": "0.10", "n": 1}],
    "part": "1",
}


@pytest.mark.parametrize(
    "spelt",
    [
        {"amount": 1.5},
        {"amount": "1.50"},
        {"amount": " 15e-1"},
        {"at": "2025-06-01T14:00:00+02:00"},
        {"on": " 2025-06-01 "},
        {"rates": [100.0, "-0.00"]},
        {"rates": ("1e2", 0)},
        {"how": {"cut": "2.0"}},
        {"lines": [{"n": 1.0, "price": 0.1}]},
    ],
)
def test_a_value_is_the_same_however_it_is_spelt(world_of, spelt):
    pay = world_of(SPELT)
    first = pay.call("pay", PAID | {"key": "a"})
    assert pay.call("pay", PAID | spelt | {"key": "a"}) == first
    assert (len(pay.fees), len(pay.lines)) == (2, 1)


@pytest.mark.parametrize(
    "other",
    [
        {"amount": "1.51"},
        {"amount": 15},
        {"amount": "one and a half"},
        {"amount": True},
        {"at": "2025-06-01T12:00:00+02:00"},
        {"rates": [1, 0]},
        {"rates": "100"},
        {"how": {"cut": 20}},
        {"lines": [{"price": "0.01", "n": 1}]},
        {"lines": ["0.10"]},
        {"lines": None},
        {"lines": [{"price": "0.10", "n": True}]},
        {"part": None},
    ],
)
def test_another_value_is_another_request_and_so_is_one_that_does_not_fit(world_of, other):
    pay = world_of(SPELT)
    pay.call("pay", PAID | {"key": "a"})
    assert refused(pay, "pay", PAID | other | {"key": "a"})[0] == "invalid"


def test_other_keys_and_no_key_make_rows_of_their_own(pay):
    for key in ({"key": "a"}, {"key": "b"}, {}, {}, {"key": None}):
        pay.call("charge", {"amount": 5, **key})
    assert len(pay.charges) == 5


def test_a_key_belongs_to_one_operation(pay):
    pay.call("charge", {"amount": 5, "key": "a"})
    pay.call("charge_stored", {"amount": 5, "request_id": "a"})
    assert len(pay.charges) == 2


def test_keys_expire_by_the_clock(pay):
    first = pay.call("charge", {"amount": 5, "key": "a"})
    pay.clock.advance(2 * 3600 - 1)
    assert pay.call("charge", {"amount": 5, "key": "a"}) == first
    pay.clock.advance(1)
    assert pay.call("charge", {"amount": 6, "key": "a"})["id"] == "2"
    assert refused(pay, "charge", {"amount": 5, "key": "a"})[0] == "invalid"


def test_a_key_lasts_a_day_unless_the_file_says_otherwise(pay):
    pay.call("charge_stored", {"request_id": "a"})
    pay.clock.advance(86_399)
    pay.call("charge_stored", {"request_id": "a"})
    assert len(pay.charges) == 1
    pay.clock.advance(1)
    pay.call("charge_stored", {"request_id": "a"})
    assert [row.request_id for row in pay.charges] == ["a", "a"]


def test_a_key_that_is_a_field_is_kept_in_the_row(pay):
    assert pay.call("charge_stored", {"amount": 5, "request_id": "a"})["request_id"] == "a"


def test_what_was_refused_leaves_its_key_free(pay):
    assert refused(pay, "charge", {"amount": 0, "key": "a"})[1] == "amount: 0 is not in 1.."
    assert refused(pay, "charge", {"amount": 5, "key": "a", "parts": [{"m": 1}]})[0] == "arguments"
    assert pay.call("charge", {"amount": 5, "key": "a"})["amount"] == 5


@pytest.mark.parametrize("key", [5, "", ["a"], True])
def test_what_is_no_key_is_refused(pay, key):
    reason, text = refused(pay, "charge", {"amount": 5, "key": key})
    assert (reason, text) == ("arguments", f"key: {key!r} is not a key; send a text of your choice")


def test_a_key_may_be_required(pay):
    assert refused(pay, "must", {"amount": 5}) == ("arguments", "missing argument 'token'")
    assert pay.operations["must"].input_schema["required"] == ["token"]
    assert pay.operations["charge"].input_schema["properties"]["key"]["type"] == "string"


def test_a_dry_run_uses_no_key_up(pay):
    args = {"amount": 5, "key": "a"}
    assert pay.call("charge", args, commit=False) == pay.call("charge", args, commit=False)
    assert pay.call("charge", {"amount": 6, "key": "a"})["amount"] == 6
    assert pay.call("charge", {"amount": 6, "key": "a"}, commit=False)["amount"] == 6


def test_keys_are_masked_where_faults_are_decided(pay):
    assert pay.idempotency_fields == ("key", "request_id", "token")


def test_a_lost_reply_and_a_retry_make_one_row(make):
    path = make(TEXT)
    lost = [{"target": "pay.charge", "kind": "connection_lost", "nth": 1}]
    with squall.world(path, faults=lost) as run:
        with pytest.raises(ConnectionError):
            run.tools.charge(amount=5, key="a")
        assert run.tools.charge(amount=5, key="a")["id"] == "1"
        squall.exactly_once(run.world.charges, by="amount", of=[5])


def test_a_request_that_is_delivered_twice_makes_one_row(make):
    twice = [{"target": "pay.charge", "kind": "duplicate_delivery", "nth": 1}]
    with squall.world(make(TEXT), faults=twice) as run:
        run.tools.charge(amount=5, key="a")
        assert len(run.world.charges) == 1


@pytest.mark.parametrize("pause", [0, 60])
def test_a_request_that_lands_late_and_its_retry_make_one_row(make, pause):
    late = [{"target": "pay.charge", "kind": "timeout", "phase": "late", "late_by": 30, "nth": 1}]
    with squall.world(make(TEXT), faults=late) as run:
        with pytest.raises(TimeoutError):
            run.tools.charge(amount=5, key="a")
        run.clock.advance(pause)
        assert run.tools.charge(amount=5, key="a")["id"] == "1"
        run.world.settle()
        assert len(run.world.charges) == 1


HANDLERS = """
import asyncio

def pay_twice(world, clock, amount: int, fail: bool):
    first = world.call("charge", {"amount": amount, "key": "h"})
    assert world.call("charge", {"amount": amount, "key": "h"}) == first
    if fail:
        raise ValueError("declined")
    return first

async def slow(world, clock, amount: int):
    first = world.call("charge", {"amount": amount, "key": "h"})
    await asyncio.sleep(0)
    return first
"""


@pytest.fixture
def handled(make):
    operations = "".join(f"      {name}: {{ kind: custom, handler: rules.{name} }}\n" for name in ("pay_twice", "slow"))
    return World.load(make(TEXT + operations, rules=HANDLERS))


def test_a_handler_that_is_refused_gives_the_keys_back_that_it_used(handled):
    assert refused(handled, "pay_twice", {"amount": 5, "fail": True}) == ("invalid", "declined")
    assert handled.call("pay_twice", {"amount": 6, "fail": False})["amount"] == 6
    assert len(handled.charges) == 1


def test_of_two_requests_that_meet_with_one_key_the_second_is_told_to_wait(handled):
    async def both():
        return await asyncio.gather(*(handled.call("slow", {"amount": 5}) for _ in "ab"), return_exceptions=True)

    first, second = asyncio.run(both())
    assert first["amount"] == 5
    assert (second.reason, str(second)) == ("conflict", "a request with the same key is under way; try again later")
    assert len(handled.charges) == 1
    assert handled.call("charge", {"amount": 5, "key": "h"}) == first


def test_many_threads_with_one_key_make_one_row(pay):
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: pay.call("charge", {"amount": 5, "key": "a"}), range(64)))
    assert len(pay.charges) == 1
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("5", "7:54: 5 cannot name an idempotency key\n    Write idempotency_key: NAME, or"),
        ("my-key", "7:54: 'my-key' cannot name an idempotency key"),
        ("id", "7:54: 'id' is str, and an idempotency key is a text of its own"),
        ("n", "7:54: 'n' is int, and an idempotency key is a text of its own"),
        ("{ field: k, expires: soon }", "7:75: 'soon' is no length of time: write a length of time such as 500ms"),
        ("{ field: k, expire: 2h }", "7:66: unknown key 'expire'; did you mean 'expires'?\n    Valid keys here: field"),
        ("{ expires: 2h }", "7:37: missing key 'field'\n    Write idempotency_key: NAME"),
    ],
)
def test_a_key_that_cannot_be_is_named(declared, message, world_of):
    with pytest.raises(UsageError) as caught:
        world_of(f"""
            services:
              a:
                records: {{ x: {{ n: int }} }}
                seed: {{ count: 1 }}
                operations:
                  f: {{ kind: create, record: x, idempotency_key: {declared} }}
            """)
    assert str(caught.value).startswith(f"world.yaml:{message}")


def test_a_key_and_included_rows_are_two_arguments(world_of):
    with pytest.raises(UsageError, match="'parts' is the argument for the rows that are included"):
        world_of(TEXT.replace("field: key, expires", "field: parts, expires"))


def test_only_create_has_a_key(world_of):
    with pytest.raises(UsageError, match="kind update has no 'idempotency_key'"):
        world_of(TEXT.replace("kind: update,", "kind: update, idempotency_key: k,"))


SMALL = parse(
    """
    services:
      a:
        records: { x: { n: int } }
        operations: { add: { kind: create, record: x, idempotency_key: { field: k, expires: 10s } } }
    """,
    format="yaml",
    name="w.yaml",
)


@given(st.lists(st.tuples(st.sampled_from(["p", "q"]), st.integers(0, 1), st.integers(0, 6))))
def test_whatever_is_sent_a_key_answers_one_request_for_its_time(requests):
    world = World.parse(SMALL)
    model: dict[str, tuple[int, Any, float]] = {}
    rows = 0
    for key, n, pause in requests:
        now = world.clock.elapsed()
        known = model.get(key, (None, None, -1.0))
        try:
            answer = world.call("add", {"n": n, "k": key})
        except Refused:
            assert now < known[2]
            assert known[0] != n
        else:
            if now >= known[2]:
                rows += 1
                model[key] = (n, answer, now + 10)
            else:
                assert known[:2] == (n, answer)
        assert len(world.x) == rows
        world.clock.advance(pause)
