"""Money, as decimals and as whole minor units: kept, shown and summed without a cent of drift."""

from __future__ import annotations

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
