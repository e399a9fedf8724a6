"""A small shop that most tests of the worlds use, and a way to write another one."""

from __future__ import annotations

import textwrap
from itertools import count

import pytest

from squall.documents import parse
from squall.worlds import World

SHOP = """\
name: shop
seed: 7
services:
  people:
    records:
      customer: { id: str, name: str, email: str, city: str }
    seed: { customer: [{ id: ada, name: Ada Berg }], count: 4 }
    operations:
      get_customer: { kind: get, record: customer }
  orders:
    records:
      order:
        { id: str, customer_id: ref[people.customer], status: enum[placed, delivered, returned], total: float,
          n: int[1..10], placed_at: datetime, note: str? }
      return: { order_id: ref[orders.order], reason: str }
    seed: { order: [{ id: "7", customer_id: ada, status: placed, total: 10, n: 2 }], count: 6 }
    operations:
      get_order: { kind: get, record: order }
      list_orders: { kind: list, record: order, filter: [status, customer_id, total] }
      create_order: { kind: create, record: order, required: [customer_id, total] }
      update_order: { kind: update, record: order }
      delete_order: { kind: delete, record: order }
faults:
  orders.get_order: { errors: { timeout: 0.5 } }
volatile: [request_id]
"""


@pytest.fixture
def world_of():
    """Loads a world from text; handlers are looked for beside the tests."""

    def load(text, **options):
        return World.parse(parse(textwrap.dedent(text), format="yaml", name="world.yaml"), **options)

    return load


@pytest.fixture
def shop(world_of):
    return world_of(SHOP)


@pytest.fixture
def shop_text():
    return SHOP


@pytest.fixture
def make(tmp_path):
    """Writes a world file, and beside it a module of handlers; gives the path."""
    numbers = count(1)

    def write(text, **modules):
        folder = tmp_path / f"world{next(numbers)}"
        folder.mkdir()
        for name, code in modules.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(code), encoding="utf-8")
        path = folder / "world.yaml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


@pytest.fixture
def handled(make):
    """A world with one order table and one operation for each function of `code`."""

    def load(code, **options):
        names = [line.split("def ")[1].split("(")[0] for line in textwrap.dedent(code).splitlines() if is_handler(line)]
        extra = options.pop("operation", "")
        operations = "".join(f"      {name}: {{ kind: custom, handler: rules.{name}{extra} }}\n" for name in names)
        path = make(ORDERS + "    operations:\n" + operations, rules=code)
        return World.load(path, **options)

    return load


ORDERS = """\
services:
  orders:
    records:
      order: { id: str, status: enum[placed, returned], total: float, placed_at: datetime }
      refund: { order_id: ref[orders.order], amount: float, idempotency_key: str? }
    seed: { order: { count: 3 } }
"""


def is_handler(line):
    return line.startswith(("def ", "async def "))
