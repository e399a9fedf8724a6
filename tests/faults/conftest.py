"""A small shop: the targets that plans are parsed against."""

from __future__ import annotations

from typing import Any

import pytest

from squall.call import LISTING, Target
from squall.documents import parse
from squall.errors import UsageError
from squall.faults import Inline, Plan, parse_plan

REFUND = ("id", "order_id", "amount", "created_at")
ORDER = ("id", "customer_id", "status", "total", "created_at")

SHOP = (
    Target("payments.issue_refund", "issue_refund", access="write", fields=("order_id", "amount"), returns=REFUND),
    Target("payments.list_refunds", "list_refunds", fields=("order_id",), returns=REFUND, many=True, empty=[]),
    Target("orders.get_order", "get_order", fields=("order_id",), returns=ORDER, dated=True),
    Target("orders.list_orders", "list_orders", fields=("customer_id",), returns=ORDER, many=True, empty=[]),
    Target("orders.create_return", "create_return", access="write", fields=("order_id", "reason"), dated=True),
    LISTING,
    Target("orders.order_delivered", "", wire="event", access="write"),
)


class Shop:
    """Parses plans against the targets of a shop."""

    targets = SHOP[: SHOP.index(LISTING)]  # those that can be called

    def target(self, name: str) -> Target:
        return next(target for target in SHOP if target.name == name)

    def read(self, text: str, format: str = "yaml") -> Plan:
        """The plan in the text of a file."""
        return parse_plan(parse(text, format=format, name=f"plan.{format}"), SHOP)  # type: ignore[arg-type]  # as given

    def inline(self, data: Any) -> Plan:
        """The plan in Python data."""
        return parse_plan(Inline(data), SHOP)

    def wrong_with(self, plan: Any, format: str = "yaml") -> str:
        """Everything that is wrong with a file's text, or with Python data."""
        with pytest.raises(UsageError) as caught:
            _ = self.read(plan, format) if isinstance(plan, str) else self.inline(plan)
        return str(caught.value)

    def rule(self, text: str) -> Any:
        """The only rule of a plan, with its parameters."""
        plan = self.read(text)
        (rule,) = plan.rules.faults
        return rule


@pytest.fixture
def shop() -> Shop:
    return Shop()
