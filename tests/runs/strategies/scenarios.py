"""Scenarios that the tests of strategies share, as texts, and how one adds a fault."""

from __future__ import annotations

TWO = """
[scenario]
name = "two-steps"
seed = 7

[[steps]]
tool = "issue_refund"
arguments = { order = "1", amount = 40 }
result = { refund = "r_1" }

[[steps]]
tool = "get_order"
arguments = { order = "1" }
result = { order = "1", status = "refunded", total = 40 }
writes = false
"""
WORLD = """
name: shop
services:
  payments:
    records:
      refund: { id: str, order: str, amount: int }
    operations:
      issue_refund: { kind: create, record: refund }
      list_refunds: { kind: list, record: refund, filter: [order] }
"""
KEYED = WORLD.replace("record: refund }", "record: refund, idempotency_key: request_id }", 1)
BLIND = WORLD.replace("      list_refunds: { kind: list, record: refund, filter: [order] }\n", "")
LARGE = """
task = "Refund order 1, 40."
world = "world.yaml"
provider = "script.toml"

[scenario]
name = "large"
seed = 3

[expect]
answer_contains = "refunded"

[[expect.properties]]
property = "at_most_once"
table = "refunds"
by = "order"
"""


def fault(**keys):
    """One `[[faults]]`."""
    return _table("faults", keys)


def turn(**keys):
    """One `[[turn]]` of a model's script."""
    return _table("turn", keys)


def _table(name, keys):
    return f"\n[[{name}]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in keys.items())


def _toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')


REFUND = {"call": "issue_refund", "arguments": {"order": "1", "amount": 40}}
SAID = {"say": "I have refunded 40."}
SCRIPT = turn(**REFUND) + turn(**SAID)
