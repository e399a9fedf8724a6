"""Both outcomes of every property, and the words in which each fails."""

from __future__ import annotations

from typing import Any, cast

import pytest

from squall.call import CallRef
from squall.errors import UsageError
from squall.worlds import at_most_once, conserved, exactly_once, no_orphans, unchanged

BANK = """
services:
  bank:
    records:
      account: { id: str, owner: str, balance: decimal, points: float, level: int }
      transfer: { source: ref[bank.account]?, target: ref[bank.account]?, lines: list[ref[bank.account]], key: str }
    seed: { account: [{ id: a, balance: 10, points: 0.1, level: 1 }, { id: b, balance: 20.5, points: 0.2, level: 2 }] }
    operations:
      transfer: { kind: create, record: transfer }
      update_account: { kind: update, record: account }
      delete_account: { kind: delete, record: account }
"""


@pytest.fixture
def bank(world_of):
    return world_of(BANK)


def call(world, number, tool, **args):
    return world.call(tool, args, ref=CallRef(number, tool, args))


def failing(check, *args, **kwargs):
    with pytest.raises(AssertionError) as caught:
        check(*args, **kwargs)
    return str(caught.value)


def test_at_most_once_holds_where_no_value_repeats(bank):
    at_most_once(bank.transfers, by="key")
    bank.transfers.insert(key="x")
    bank.transfers.insert(key="y")
    at_most_once(bank.transfers, by="key")
    at_most_once(bank.transfers.where(key="x"), by="key")


def test_at_most_once_shows_rows_effects_and_calls(bank):
    call(bank, 3, "transfer", source="a", target="b", key="k")
    bank.clock.advance(61)
    call(bank, 4, "transfer", source="a", target="b", key="k")
    assert failing(at_most_once, bank.transfers, by="key") == (
        "at most one transfer per key, but 'k' has 2:\n"
        "    transfer(id='1', source='a', target='b', lines=None, key='k')\n"
        "        transfer '1': rev 1 at 0 s: insert by call 3: transfer(source='a', target='b', key='k')\n"
        "    transfer(id='2', source='a', target='b', lines=None, key='k')\n"
        "        transfer '2': rev 2 at 61 s: insert by call 4: transfer(source='a', target='b', key='k')"
    )


def test_values_may_be_several_fields_or_a_function(bank):
    bank.transfers.insert(source="a", target="b", key="1")
    bank.transfers.insert(source="a", target="a", key="2")
    at_most_once(bank.transfers, by=("source", "target"))
    assert "per source, key, but" in failing(at_most_once, [*bank.transfers, *bank.transfers], by=["source", "key"])
    assert "per value, but 'a' has 2" in failing(at_most_once, bank.transfers, by=lambda row: row.source)
    assert "per value, but \"['a']\" has 2" in failing(at_most_once, bank.transfers, by=lambda row: [row.source])


def test_rows_may_be_plain_mappings_or_objects():
    at_most_once([{"k": 1}, {"k": 2}], by="k")
    assert failing(at_most_once, [{"k": 1}, {"k": 1}], by="k").startswith(
        "at most one row per k, but 1 has 2:\n    {'k': 1}"
    )
    assert "per order_id" in failing(at_most_once, [CallRefLike(), CallRefLike()], by="order_id")


class CallRefLike:
    order_id = 1


def test_a_field_that_rows_do_not_have_is_a_usage_error_though_there_are_no_rows(bank):
    assert not bank.transfers.count()
    for names in ("kye", ["key", "kye"]):
        with pytest.raises(UsageError, match=r"by='kye': bank.transfer has no field 'kye'; did you mean 'key'"):
            at_most_once(bank.transfers, by=names)


def test_a_field_that_rows_do_not_have_is_a_usage_error(bank):
    bank.transfers.insert(key="x")
    with pytest.raises(UsageError, match=r"by='kye': bank.transfer has no field 'kye'; did you mean 'key'"):
        at_most_once(bank.transfers, by="kye")
    with pytest.raises(UsageError, match="by='k': a row has no such key"):
        at_most_once([{}], by="k")


def test_many_offending_rows_are_counted_not_listed(bank):
    for key in "abcdefg" * 7:
        bank.transfers.insert(key=key)
    text = failing(at_most_once, bank.transfers, by="key")
    assert "… and 2 more\n" in text
    assert text.endswith("… and 2 more values of key")
    assert text.count("but") == 5


def test_exactly_once_holds_where_each_value_occurs_once(bank):
    bank.transfers.insert(key="x")
    exactly_once(bank.transfers, by="key")
    exactly_once(bank.transfers, by="key", of=["x"])
    bank.transfers.insert(key="y")
    exactly_once(bank.transfers, by="key", of=["x"])


def test_exactly_once_fails_for_none_and_for_several(bank):
    assert failing(exactly_once, bank.transfers, by="key") == "exactly one row per key, but there are no rows at all"
    assert failing(exactly_once, bank.transfers, by="key", of=["x", "y"]) == (
        "exactly one row per key, but there is none for 'x', 'y'"
    )
    bank.transfers.insert(key="x")
    bank.transfers.insert(key="x")
    assert failing(exactly_once, bank.transfers, by="key").startswith("exactly one transfer per key, but 'x' has 2:\n")
    text = failing(exactly_once, bank.transfers, by="key", of=["x", "y", "y", "1", "2", "3", "4", "5"])
    assert text.startswith("exactly one transfer per key, but 'x' has 2:\n")
    assert text.endswith("exactly one transfer per key, but there is none for 'y', '1', '2', '3', '4' and 1 more")


@pytest.mark.parametrize("field", ["balance", "points", "level"])
def test_conserved_holds_where_what_one_loses_another_gains(bank, field):
    one, other = (bank.accounts[id][field] for id in "ab")
    bank.accounts.update("a", {field: one - type(one)(5)})
    bank.accounts.update("b", {field: other + type(one)(5)})
    conserved(bank.accounts, field)


def test_conserved_shows_both_sums_and_every_effect_on_the_field(bank):
    call(bank, 1, "update_account", id="a", balance="7.50")
    call(bank, 2, "update_account", id="a", owner="x")
    bank.accounts.delete("b")
    assert failing(conserved, bank.accounts, "balance") == (
        "the sum of bank.account.balance was 30.5 after seeding and is 7.50 now (-23.00)\n"
        "    id 'a': update balance 10 → 7.50, rev 1 at 0 s by call 1: update_account(id='a', balance='7.50')\n"
        "    id 'b': delete balance 20.5 → None, rev 3 at 0 s by the test itself"
    )


def test_conserved_counts_null_as_nothing_and_lists_only_so_many_effects(bank):
    bank.accounts.insert(id="c")
    conserved(bank.accounts, "level")
    for level in range(20):
        bank.accounts.update("c", level=level + 1)
    text = failing(conserved, bank.accounts, "level")
    assert text.endswith("    … and 10 more effects")
    assert "(+20)" in text


def test_conserved_needs_a_number(bank):
    with pytest.raises(
        UsageError, match=r"the field 'owner' of bank.account is not a number; numbers: balance, points"
    ):
        conserved(bank.accounts, "owner")
    with pytest.raises(UsageError, match=r"the field 'balanc' of bank.account does not exist; did you mean 'balance'"):
        conserved(bank.accounts, "balanc")


def test_no_orphans_holds_where_references_point_at_rows(bank):
    bank.transfers.insert(source="a", lines=["a", "b"])
    no_orphans(bank)


def test_no_orphans_shows_who_points_where_and_who_removed_it(bank):
    call(bank, 1, "transfer", source="a", lines=["b", "a"])
    call(bank, 2, "delete_account", id="a")
    assert failing(no_orphans, bank) == (
        "2 references point at nothing:\n"
        "bank.transfer '1': source is 'a', but bank.account has no such row\n"
        "    account 'a': rev 2 at 0 s: delete by call 2: delete_account(id='a')\n"
        "    transfer '1': rev 1 at 0 s: insert by call 1: transfer(source='a', lines=['b', 'a'])\n"
        "bank.transfer '1': lines[1] is 'a', but bank.account has no such row\n"
        "    account 'a': rev 2 at 0 s: delete by call 2: delete_account(id='a')\n"
        "    transfer '1': rev 1 at 0 s: insert by call 1: transfer(source='a', lines=['b', 'a'])"
    )


def test_no_orphans_looks_into_nested_mappings(world_of):
    world = world_of("services: {a: {records: {x: {at: {y: 'ref[a.y]?', n: int}}, y: {n: int}}, seed: {count: 1}}}")
    world.y.delete("1")
    world.x.update("1", at={"n": 1})
    no_orphans(world)
    world.y.insert(id="z")
    world.x.update("1", at={"y": "z"})
    world.y.delete("z")
    assert "a.x '1': at.y is 'z', but a.y has no such row" in failing(no_orphans, world)


def test_no_orphans_counts_what_it_does_not_list(bank):
    for _ in range(7):
        bank.transfers.insert(source="a")
    bank.accounts.delete("a")
    text = failing(no_orphans, bank)
    assert text.startswith("7 references point at nothing:")
    assert text.endswith("… and 2 more")
    bank.transfers.delete("1")
    for id in "23456":
        bank.transfers.update(id, source=None)
    assert failing(no_orphans, bank).startswith("1 reference points at nothing:")


def test_unchanged_holds_where_nothing_or_only_what_is_excepted_changed(bank):
    before = bank.snapshot()
    unchanged(bank, before)
    bank.transfers.insert(key="x")
    bank.accounts.update("a", level=5)
    for except_ in (["transfers", "account.level"], {"bank.transfer", "bank.account.level"}, ["transfer", "accounts"]):
        unchanged(bank, before, except_=except_)
    bank.accounts.update("a", level=1)
    unchanged(bank, before, except_="transfers")


def test_unchanged_shows_what_changed_and_who_did_it(bank):
    before = bank.snapshot()
    call(bank, 1, "update_account", id="a", level=5, points=1)
    assert failing(unchanged, bank, before, except_="account.points") == (
        "1 row has changed that should not have:\n"
        "bank.account 'a': level 1 → 5\n"
        "    account 'a': rev 1 at 0 s: update (points 0.1 → 1.0, level 1 → 5) "
        "by call 1: update_account(id='a', level=5, points=1)"
    )


def test_unchanged_counts_what_it_does_not_list(bank):
    before = bank.snapshot()
    for _ in range(7):
        bank.transfers.insert()
    text = failing(unchanged, bank, before)
    assert text.startswith("7 rows have changed that should not have:\nbank.transfer '1': added")
    assert text.endswith("… and 2 more")


def test_unchanged_shows_a_table_that_the_world_does_not_have(bank):
    text = failing(unchanged, bank, {**bank.snapshot(), "old.table": {"1": {"id": "1"}}})
    assert text.endswith("old.table '1': removed {'id': '1'}")


def test_what_is_excepted_must_exist(bank):
    with pytest.raises(UsageError, match="has no table 'transfrs'; did you mean 'transfers'"):
        unchanged(bank, {}, except_="transfrs")
    with pytest.raises(UsageError, match=r"bank.account has no field 'levl'; did you mean 'level'"):
        unchanged(bank, {}, except_="account.levl")


def test_a_row_that_nobody_touched_says_that_it_was_seeded(bank):
    assert "account 'a' is as it was seeded" in failing(at_most_once, [bank.accounts["a"]] * 2, by="owner")


NO_ROWS = [None, 5, "rooms", {"key": "x"}, object()]


@pytest.mark.parametrize("check", [at_most_once, exactly_once])
@pytest.mark.parametrize("given", NO_ROWS)
def test_what_holds_no_rows_is_a_usage_error(check, given):
    with pytest.raises(UsageError, match=rf"{check.__name__}: .* is no list of rows: give a table"):
        check(given, by="key")


@pytest.mark.parametrize("check", [at_most_once, exactly_once])
def test_a_world_or_one_row_is_no_list_of_rows(bank, check):
    bank.transfers.insert(key="x")
    for given in (bank, bank.transfers["1"]):
        with pytest.raises(UsageError, match="is no list of rows"):
            check(given, by="key")
    with pytest.raises(UsageError, match="1 is no row: it has no 'key'"):
        check([1], by="key")


@pytest.mark.parametrize("by", [(), [], "", None, 5, ["key", 5]])
def test_rows_are_told_apart_by_at_least_one_field(bank, by):
    with pytest.raises(UsageError, match=r"by='order'|has no field ''"):
        at_most_once(bank.transfers, by=by)


@pytest.mark.parametrize("of", [101, "7", {"a": 1}])
def test_the_wanted_values_are_a_list(bank, of):
    with pytest.raises(UsageError, match=r"exactly_once: of=.* is no list of values: give of=\["):
        exactly_once(bank.transfers, by="key", of=of)


def test_each_property_says_what_it_is_to_be_given(bank):
    with pytest.raises(UsageError, match=r"conserved: 'accounts' is no table: give .* world\['accounts'\]"):
        conserved(cast("Any", "accounts"), "balance")
    with pytest.raises(UsageError, match=r"conserved: \[\] is no table"):
        conserved(cast("Any", []), "balance")
    with pytest.raises(UsageError, match=r"the field 5 of bank.account does not exist"):
        conserved(bank.accounts, cast("Any", 5))
    with pytest.raises(UsageError, match=r"no_orphans: <table bank.account.* is no world"):
        no_orphans(bank.accounts)
    with pytest.raises(UsageError, match=r"unchanged: None is no world"):
        unchanged(cast("Any", None), {})
    with pytest.raises(UsageError, match=r"unchanged: 3 is no snapshot: give what world.snapshot\(\) returned"):
        unchanged(bank, cast("Any", 3))
    with pytest.raises(UsageError, match=r"except_=5 names no tables or fields"):
        unchanged(bank, bank.snapshot(), except_=cast("Any", 5))


def test_values_are_told_as_people_write_them(world_of):
    world = world_of("""
        services:
          a:
            records: { stay: { room: str, price: decimal, at: datetime, day: date } }
            seed: { stay: [{ room: "7", price: 240, at: 2025-06-01T10:00:00Z, day: 2025-06-01 }] }
    """)
    before = world.snapshot()
    world.stays.update("1", price="90.5", room="8", at="2025-06-02T10:00:00Z")
    changes = "room '7' → '8', price 240 → 90.5, at 2025-06-01T10:00:00Z → 2025-06-02T10:00:00Z"
    assert changes in failing(unchanged, world, before)
    assert f"1: {changes}" in str(world.diff(before)).replace("'1'", "1")
    assert f"update ({changes}) by" in str(world.ledger[0])
    row = "stay(id='1', room='8', price=90.5, at=2025-06-02T10:00:00Z, day=2025-06-01)"
    assert repr(world.stays["1"]) == row
    text = failing(at_most_once, [*world.stays, *world.stays], by=("price", "at"))
    assert text.startswith("at most one stay per price, at, but (90.5, 2025-06-02T10:00:00Z) has 2")
    assert row in text
