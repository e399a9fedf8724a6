"""Seven tests of a refund agent that look at its answers, as most tests of agents do. All of them pass.

`pytest` in this folder says what the answers hide; `pytest --squall=off` is what their author saw.
"""

from __future__ import annotations

from refund_agent import SORRY, Shop, help_customer
from replies import call, model, say


def test_a_lamp_is_paid_back() -> None:
    client = model(
        call("find_orders", item="lamp"),
        call("get_order", order="7"),
        call("refund", order="7", amount=40),
        say("Your 40.00 are on their way."),
    )
    assert "40.00" in help_customer(client, Shop(), "My lamp is broken, I want my money back.")


def test_a_colleague_writes_where_no_order_is_found() -> None:
    client = model(*(call("find_orders", item=item) for item in ("desk", "table", "board", "bench", "shelf", "rack")))
    assert help_customer(client, Shop(), "Where is my desk?") == SORRY


def test_the_price_of_a_lamp_is_told() -> None:
    client = model(*(call("get_order", order="7") for _ in range(4)), say("You paid 40.00 for it."))
    assert "40.00" in help_customer(client, Shop(), "What did I pay for order 7?")


def test_a_customer_hears_that_the_money_comes() -> None:
    client = model(
        call("get_order", order="7"),
        call("refund", order="7", amount=40),
        say("Done! You will have your 40.00 within three days."),
    )
    assert "within three days" in help_customer(client, Shop(payments_down=True), "Order 7 is broken.")


def test_a_sofa_is_paid_back() -> None:
    client = model(
        call("get_order", order="8"),
        call("refund", order="8", amount=900),
        say("Your 900.00 are on their way."),
    )
    assert "900.00" in help_customer(client, Shop(), "I do not like the sofa of order 8 any more.")


def test_an_address_is_changed() -> None:
    client = model(
        call("change_address", order="7", city="Oslo"),
        say("We will send it to Oslo."),
    )
    assert "Oslo" in help_customer(client, Shop(), "Please send order 7 to Oslo.")


def test_the_terms_are_told() -> None:
    client = model(say("You can return it within 30 days, unless it was on sale: in that case we", finish="length"))
    assert "within 30 days" in help_customer(client, Shop(), "Can I return a lamp?")
