"""Money, as decimals and as whole minor units: kept, shown and summed without a cent of drift."""

from __future__ import annotations

import asyncio
from decimal import Context, Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.call import Refused
from squall.documents import parse
from squall.worlds import World, conserved

BANK = parse(
    """
    services:
      bank:
        records:
          account: { id: str, balance: decimal, cents: int, credit: "int(minor_units)" }
        seed: { account: [{ id: a, balance: "0.10", cents: 10 }, { id: b, balance: "0.20", cents: 20 }] }
        operations:
          get_account: { kind: get, record: account }
          update_account: { kind: update, record: account }
    """,
    format="yaml",
    name="bank.yaml",
)


@pytest.fixture
def bank():
    return World.parse(BANK)


def test_what_floats_would_lose_is_kept(bank):
    for _ in range(10):
        a, b = bank.accounts["a"], bank.accounts["b"]
        bank.accounts.update("a", balance=a.balance - Decimal("0.01"), cents=a.cents - 1)
        bank.accounts.update("b", balance=b.balance + Decimal("0.01"), cents=b.cents + 1)
    conserved(bank.accounts, "balance")
    conserved(bank.accounts, "cents")
    assert bank.call("get_account", {"id": "b"})["balance"] == "0.30"


@pytest.mark.parametrize(
    ("field", "off", "text"), [("balance", Decimal("1E-25"), r"\(\+1E-25\)"), ("cents", -1, r"30 .* is 29 now \(-1\)")]
)
def test_the_smallest_part_that_is_missing_is_seen(bank, field, off, text):
    bank.accounts.update("a", {field: bank.accounts["a"][field] + off})
    with pytest.raises(AssertionError, match=text):
        conserved(bank.accounts, field)


@pytest.mark.parametrize("most", [10**40, Decimal("1E+40"), "1" + "0" * 40])
def test_sums_have_as_many_digits_as_they_need(bank, most):
    with localcontext(Context(prec=5)):
        bank.accounts.update("a", balance=most)
        bank.accounts.update("b", balance="0.30")
        with pytest.raises(AssertionError, match="is 1" + "0" * 40 + r"\.30 now"):
            conserved(bank.accounts, "balance")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("12.50", "12.50"), (12.5, "12.5"), (0.1, "0.1"), (7, "7"), ("1E+2", "100"), ("1e-7", "0.0000001"), ("-0", "-0")],
)
def test_a_decimal_is_shown_in_plain_digits(bank, sent, kept):
    assert bank.call("update_account", {"id": "a", "balance": sent})["balance"] == kept


@pytest.mark.parametrize("sent", ["1E+999999999", "1E-999999999", "9" * 2000, "0." + "0" * 1500 + "1"])
def test_a_decimal_that_would_fill_the_memory_is_refused(bank, sent):
    with pytest.raises(Refused, match="is not a decimal number of at most 1000 digits on either side"):
        bank.call("update_account", {"id": "a", "balance": sent})


def test_minor_units_are_whole(bank):
    assert isinstance(bank.accounts["a"].credit, int)
    with pytest.raises(Refused, match=r"cents: 10\.5 is not a whole number"):
        bank.call("update_account", {"id": "a", "cents": 10.5})


MOVES = st.lists(st.tuples(st.sampled_from(["ab", "ba"]), st.decimals(0, 10**12, places=2)), max_size=20)


@given(MOVES)
def test_whatever_is_moved_nothing_is_lost_in_either_form(moves):
    world = World.parse(BANK)
    for (source, to), amount in moves:
        cents = int(amount * 100)
        giver, taker = world.accounts[source], world.accounts[to]
        world.accounts.update(source, balance=giver.balance - amount, cents=giver.cents - cents)
        world.accounts.update(to, balance=taker.balance + amount, cents=taker.cents + cents)
    conserved(world.accounts, "balance")
    conserved(world.accounts, "cents")


OVERLAPPING = """
services:
  bank:
    records:
      account:
        fields: { id: str, balance: decimal, cents: int, version: int }
        version: version
    seed:
      account:
        - { id: a, balance: "100.10", cents: 10010 }
        - { id: b, balance: "0.00", cents: 0 }
        - { id: c, balance: "7.003", cents: 700 }
    operations:
      transfer: { kind: custom, handler: bank_rules.transfer }
"""
SLOWLY = """
import asyncio
from decimal import Decimal

async def transfer(world, clock, source: str, to: str, amount: Decimal, careful: bool):
    for name, sign in ((source, -1), (to, 1)):
        row = world.accounts[name]
        known = {"version": row.version} if careful else {}
        values = {"balance": row.balance + sign * amount, "cents": row.cents + sign * int(amount * 100)}
        await asyncio.sleep(0.01)
        world.accounts.update(name, **values, **known)
"""
TRANSFERS = [("a", "b", "10.05"), ("a", "c", "20.01"), ("b", "c", "1.02"), ("c", "a", "0.03"), ("a", "b", "5.00")]


async def all_at_once(world, *, careful):
    calls = [{"source": source, "to": to, "amount": amount, "careful": careful} for source, to, amount in TRANSFERS]
    return await asyncio.gather(*(world.call("transfer", args) for args in calls), return_exceptions=True)


def test_transfers_that_overlap_lose_updates_which_is_seen_in_either_form_of_money(make):
    world = World.load(make(OVERLAPPING, bank_rules=SLOWLY))
    assert asyncio.run(all_at_once(world, careful=False)) == [None] * len(TRANSFERS)
    for field in ("balance", "cents"):
        with pytest.raises(AssertionError, match=rf"the sum of bank.account.{field} was"):
            conserved(world.accounts, field)


def test_transfers_that_overlap_and_name_the_version_that_they_read_move_money_or_are_refused(make):
    world = World.load(make(OVERLAPPING, bank_rules=SLOWLY))
    answers = asyncio.run(all_at_once(world, careful=True))
    refused = [answer for answer in answers if answer is not None]
    assert 0 < len(refused) < len(TRANSFERS)
    assert all(isinstance(answer, Refused) and "changed in the meantime" in str(answer) for answer in refused)
    conserved(world.accounts, "balance")
    conserved(world.accounts, "cents")
    assert world.revision == 2 * (len(TRANSFERS) - len(refused))
