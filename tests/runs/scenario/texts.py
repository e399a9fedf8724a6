"""Scenarios as people write them, and the files that they name."""

from __future__ import annotations

from typing import Any

HEAD = '[scenario]\nname = "pay"\n'
STEPS = """
[[steps]]
tool = "get_order"
arguments = { order = "7" }
result = { order = "7", total = 40, note = "to be paid back" }
writes = false

[[steps]]
tool = "pay"
arguments = { order = "7", amount = 40 }
result = { payment = "p_1", state = "sent" }
"""
STEPPED = HEAD + STEPS
WORLD = """\
name: shop
services:
  payments:
    records:
      refund: { id: str, order: str, amount: "int[1..]", at: datetime? }
    operations:
      issue_refund: { kind: create, record: refund, required: [order, amount] }
      list_refunds: { kind: list, record: refund, filter: [order] }
"""
SCRIPT = """\
[[turn]]
call = "issue_refund"
arguments = { order = "7", amount = 40 }

[[turn]]
expect = { tool = "issue_refund" }
say = "I have refunded 40 for order 7."
"""
LARGE = 'task = "Refund order 7."\nworld = "world.yaml"\nprovider = "script.toml"\n' + HEAD


def fault(kind: str, **more: Any) -> str:
    """One fault as TOML."""
    return "\n[[faults]]\n" + "".join(f"{key} = {value!r}\n" for key, value in {"kind": kind, **more}.items())
