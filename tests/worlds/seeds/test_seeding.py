from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from squall import canonical
from squall.clock import START, VirtualClock
from squall.errors import UsageError
from squall.worlds import World, no_orphans

EVERYTHING = """
services:
  a:
    records:
      every:
        name: str
        email: str
        unit_price: float
        count: int
        narrow: int[3..4]
        ratio: float[0..0.01]
        money: decimal[1..2]
        cost: decimal
        open_low: int[..5]
        open_high: float[7..]
        on: bool
        kind: enum[x, y]
        at: datetime
        soon: datetime[1d..2d]
        before: datetime[..-30d]
        after: datetime[5d..]
        day: date
        birthday: date
        tags: list[str]
        where: { city: str, zip: str }
        other: ref[b.target]
        others: list[ref[b.target]]
        iban: str(iban)
        note: str?
    seed: { every: 40 }
  b:
    records:
      target: { title: str, url: str }
    seed: { count: 3 }
"""


@pytest.fixture
def rows(world_of):
    return world_of(EVERYTHING).every.all()


def test_generated_numbers_are_never_a_bound_that_their_range_leaves_out(world_of):
    world = world_of(
        """
        services:
          a:
            records:
              every: { share: float[>0..<0.01], weight: "decimal[>0..<0.01]", n: "int[>0..<2]", money: decimal[>0..] }
            seed: { count: 40 }
        """
    )
    for row in world.every.all():
        world.every.update(row.id, share=row.share, weight=row.weight, n=row.n, money=row.money)
        assert row.n == 1


def test_every_cell_fits_its_type(world_of):
    """Writing each generated row back is checked as any write is."""
    world = world_of(EVERYTHING)
    for row in world.every:
        values = {name: value for name, value in row.to_dict().items() if name != "id"}
        assert world.every.update(row.id, values) == row
    no_orphans(world)


def test_numbers_moments_and_days_lie_where_they_should(rows):
    for row in rows:
        assert 3 <= row.narrow <= 4
        assert 0 <= row.ratio <= 0.01
        assert Decimal(1) <= row.money <= Decimal(2)
        assert row.money.as_tuple().exponent == -2
        assert row.open_low <= 5
        assert row.open_high >= 7
        assert START - timedelta(days=20) <= row.at <= START
        assert START + timedelta(days=1) <= row.soon <= START + timedelta(days=2)
        assert row.before <= START - timedelta(days=30)
        assert row.after >= START + timedelta(days=5)
        assert (START - timedelta(days=20)).date() <= row.day <= START.date()
        assert row.birthday.year < 2010
        assert 1 <= len(row.tags) <= 3


def test_the_values_vary(rows):
    for name in ("kind", "on", "narrow", "other", "note", "email", "ratio"):
        assert len({str(row[name]) for row in rows}) > 1, name
    assert any(row.note is None for row in rows)
    assert any(row.note for row in rows)


def test_names_that_mean_something_are_filled_to_match(world_of):
    world = world_of("""
        services:
          a:
            records:
              person:
                { name: str, first_name: str, email: str, phone: str, city: str, country: str, currency: str,
                  price: float, shipping_address: str, quantity: int, word: str }
              product: { name: str, sku: str }
              company: { name: str }
            seed: { count: 5 }
    """)
    for row in world.person:
        assert len(row.name.split()) == 2
        assert row.email.endswith("@example.com")
        assert row.phone.startswith("+1-555-")
        assert row.city[0].isupper()
        assert row.first_name.isalpha()
        assert len(row.currency) == 3
        assert 5 <= row.price <= 500
        assert "," in row.shipping_address
        assert 1 <= row.quantity <= 10
        assert row.word.islower()
    assert len({row.email for row in world.person}) == 5
    assert world.product["1"].name.islower()
    assert world.company["1"].name.split()[1][0].isupper()


PEOPLE = """
services:
  a:
    records:
      person: { name: str, email: str, username: str, first_name: str, last_name: str }
      order: { customer_name: str, customer_email: str, sender: str, sender_email: str, contact: str(email) }
      ticket: { email: str }
    seed:
      person: [{ id: ada, name: Åsa-Li von Öberg }, { id: x, name: "?", email: x@example.org }, { id: y, name: 李 }]
      count: 6
"""


def test_name_and_address_of_one_person_go_together(world_of):
    world = world_of(PEOPLE)
    for row in list(world.person)[3:]:
        first, last = row.name.split()
        assert (row.first_name, row.last_name) == (first, last)
        assert row.email == f"{first}.{last}{row.id}@example.com".lower()
        assert row.username == f"{first}{last[0]}{row.id}".lower()
    for row in world.order:
        assert row.customer_email.startswith(row.customer_name.replace(" ", ".").lower())
        assert row.sender_email.startswith(row.sender.replace(" ", ".").lower())
    assert any(row.sender != row.customer_name for row in world.order)
    assert world.person["ada"].email == "asali.obergada@example.com"
    assert world.person["ada"].username == "asalioada"
    assert world.person["x"].email == "x@example.org"
    assert world.person["y"].email.endswith("y@example.com")


def test_a_name_that_comes_to_a_record_changes_no_address(world_of):
    without = world_of(
        PEOPLE.replace("person: { name: str, email: str", "person: { email: str").replace(
            '[{ id: ada, name: Åsa-Li von Öberg }, { id: x, name: "?", email: x@example.org }, { id: y, name: 李 }]',
            "6",
        )
    )
    world = world_of(PEOPLE)
    assert [without.person[id].email for id in "123"] == [world.person[id].email for id in "123"]


def test_references_point_at_rows_also_of_records_declared_later(rows):
    assert {row.other for row in rows} <= {"1", "2", "3"}


def test_a_service_seeds_each_record_and_a_record_its_own_number(world_of):
    world = world_of("""
        services:
          a:
            records: { x: { n: int }, y: { n: int }, z: { n: int }, w: { n: int } }
            seed: { count: 2, y: 5, z: { count: 3, rows: [{ n: 1 }] }, w: [{ n: 9 }] }
    """)
    assert [len(world[name]) for name in "xyzw"] == [2, 5, 3, 2]
    assert world.z["1"].n == 1


def test_count_fills_up_beside_fixed_rows(shop):
    assert [row.id for row in shop.orders] == ["7", "1", "2", "3", "4", "5"]
    assert shop.orders["7"] == {**shop.orders["7"], "customer_id": "ada", "status": "placed", "total": 10.0, "n": 2}


def test_fixed_rows_may_be_more_than_count_and_leave_fields_out(world_of):
    world = world_of("services: {a: {records: {x: {n: int, note: str?}}, seed: {x: [{n: 1}, {id: b}], count: 1}}}")
    assert [row.id for row in world.x] == ["1", "b"]
    assert world.x["b"].n is not None
    assert world.x["b"].note is None


def test_ids_of_whole_numbers_are_assigned_too(world_of):
    world = world_of("services: {a: {records: {x: {id: int}, y: {x: 'ref[a.x]'}}, seed: {x: [{id: 2}], count: 3}}}")
    assert [row.id for row in world.x] == [2, 1, 3]
    assert world.y["1"].x in (1, 2, 3)


def test_a_new_field_or_row_changes_no_other_cell(world_of):
    def seeded(fields, count):
        return world_of(f"services: {{a: {{records: {{x: {{{fields}}}}}, seed: {{x: {count}}}}}}}").x.all()

    few = seeded("name: str, n: int", 3)
    more = seeded("city: str, n: int, name: str, at: datetime", 5)
    assert [(row.name, row.n) for row in few] == [(row.name, row.n) for row in more[:3]]


def test_the_seed_decides_and_the_argument_goes_before_the_file(world_of, shop_text):
    first, again, other = (world_of(shop_text, seed=seed).snapshot() for seed in (7, None, 8))
    assert first == again
    assert first != other


def test_generated_moments_follow_the_start_of_the_clock(world_of, shop_text):
    usual = world_of(shop_text)
    moved = world_of(shop_text, clock=VirtualClock(start=datetime(2030, 1, 1, tzinfo=UTC)))
    shift = datetime(2030, 1, 1, tzinfo=UTC) - START
    assert moved.orders["1"].placed_at - usual.orders["1"].placed_at == shift
    assert moved.orders["1"].total == usual.orders["1"].total


def test_the_seeded_bytes_are_pinned(world_of):
    """Whatever changes this changes every user's worlds: it belongs in the changelog."""
    world = world_of(EVERYTHING)
    assert world.every["1"].name == "Samir Peters"
    assert canonical.digest(world.snapshot()) == PINNED


PINNED = "084984bb8070e1e0e2b5767d9f6de864c2af6749cbfe831e6edf8ab5fb736f74"


def test_the_bytes_are_the_same_in_every_process_whatever_the_hash_seed(make):
    path = make(EVERYTHING)
    code = "import sys; from squall import canonical; from squall.worlds import World; "
    code += "print(canonical.digest(World.load(sys.argv[1]).snapshot()))"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "4242")
    }
    assert digests == {canonical.digest(World.load(path).snapshot())}


def problems(world_of, text):
    with pytest.raises(UsageError) as caught:
        world_of(text)
    return str(caught.value)


def test_fixed_rows_that_do_not_fit_are_all_named_with_their_places(world_of):
    text = problems(
        world_of,
        """\
services:
  people:
    records: { customer: { name: str } }
    seed: { customer: [{ id: ada }, { id: ada }, { id: 5 }] }
  orders:
    records: { order: { by: ref[people.customer], n: int, at: { x: int } } }
    seed:
      order:
        - { by: adda, n: many }
        - { bye: ada, at: { x: y } }
""",
    )
    assert text == (
        "world.yaml:4:43: id: 'ada' is taken by another row\n"
        "world.yaml:4:56: id: 5 is not a string\n"
        "world.yaml:9:17: by: there is no customer with id 'adda'; did you mean 'ada'?\n"
        "world.yaml:9:26: n: 'many' is not a whole number\n"
        "world.yaml:10:13: order has no field 'bye'; did you mean 'by'?\n"
        "world.yaml:10:32: at.x: 'y' is not a whole number"
    )


def test_rows_that_must_refer_to_an_empty_table_are_an_error(world_of):
    text = problems(
        world_of,
        """\
services:
  a:
    records:
      x: { y: ref[a.y] }
      y: { n: int }
    seed: { x: 1 }
""",
    )
    assert text == (
        "world.yaml:4:15: a.x has rows whose 'y' must refer to a.y, which has none\n"
        "    Seed some, or make the field optional (?)."
    )


def test_optional_references_and_lists_of_them_may_point_at_nothing(world_of):
    world = world_of("""
        services:
          a:
            records: { x: { y: ref[a.y]?, ys: list[ref[a.y]] }, y: { n: int } }
            seed: { x: 8 }
    """)
    assert {row.y for row in world.x} == {None}
    assert all(row.ys == [] for row in world.x)
