"""A shop to explore, and an agent that pays back twice."""

from __future__ import annotations

import pytest

REFUNDS = """
name: shop
services:
  payments:
    records:
      refund: { id: str, order: str, amount: int }
    operations:
      issue_refund: { kind: create, record: refund }
      list_refunds: { kind: list, record: refund, filter: [order] }
"""
HASTY = """
import squall

def agent(tools):
    '''Pays back again whenever it was not told that it has.'''
    for _ in range(3):
        try:
            return tools.issue_refund(order="1", amount=40)
        except Exception:
            continue

def careful(tools):
    '''Pays back once, and leaves it at that.'''
    for _ in range(2):
        try:
            if tools.list_refunds(order="1"):
                return
            break
        except Exception:
            continue
    else:
        return
    try:
        tools.issue_refund(order="1", amount=40)
    except Exception:
        return
"""


@pytest.fixture(autouse=True)
def refunds(pytester):
    """The world `shop.yaml` and the module `explored_agents` with `agent` and `careful`, beside the test file."""
    (pytester.path / "shop.yaml").write_text(REFUNDS, encoding="utf-8")
    (pytester.path / "explored_agents.py").write_text(HASTY, encoding="utf-8")
    pytester.syspathinsert()
    return pytester.path
