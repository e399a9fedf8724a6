"""Events of a world as places where faults are tried: delivered twice, or late."""

from __future__ import annotations

import pytest

import squall

WORLD = """
name: shop
services:
  orders:
    records:
      order: { id: str, total: int }
      booking: { id: str, order: str, amount: int }
    operations:
      create_order: { kind: create, record: order, required: [total], emits: order_placed }
      list_bookings: { kind: list, record: booking, filter: [order] }
    listens:
      order_placed: books.LISTENER
"""
BOOKS = """
def book_each_time(world, clock, event):
    world.bookings.insert(order=event.data["id"], amount=event.data["total"])


def book_once(world, clock, event):
    if not world.bookings.where(order=event.data["id"]):
        world.bookings.insert(order=event.data["id"], amount=event.data["total"])
"""


@pytest.fixture
def explored(tmp_path):
    """Explores an agent that places an order, with a listener that books it."""

    def explored(listener, **more):
        (tmp_path / "books.py").write_text(BOOKS)
        (tmp_path / "shop.yaml").write_text(WORLD.replace("LISTENER", listener))
        return squall.find_failures(
            lambda run: run.tools.create_order(total=40),
            tmp_path / "shop.yaml",
            holds=lambda run: squall.at_most_once(run.world.bookings, by="order"),
            targets=("orders.order_placed",),
            **more,
        )

    return explored


def test_a_listener_that_books_an_event_twice_is_found_by_a_delivery_that_comes_twice(explored):
    found = explored("book_each_time")
    (failure,) = found.found
    assert [(each.kind, each.point.wire) for each in failure.schedule] == [("duplicate", "event")]
    assert "at_most_once" in failure.observed.what


def test_a_listener_that_looks_first_stands_both_faults(explored):
    found = explored("book_once")
    assert found.found == ()
    tried = {(line.kind, line.faulted, line.seen) for line in found.coverage.lines}
    assert tried == {("duplicate", 1, 1), ("delay", 1, 1)}


def test_an_event_is_lost_where_somebody_asks_for_that(explored):
    (line,) = explored("book_once", kinds=("lost",)).coverage.lines
    assert (line.kind, line.faulted) == ("lost", 1)
