"""Agents with a planted bug each, and the same agents without it. They are what exploration must tell apart.

Each takes the run. What a property asks of the end is in `holds`, and raises where it is violated.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx
from mcp import Client, MCPError

import squall
from squall import ToolError, at_most_once

LOST = (TimeoutError, ConnectionError)
FAILED = (ToolError, *LOST, ValueError)
HTTP = httpx.Client(timeout=60, verify=False, trust_env=False)  # noqa: S501 - the address is one of this machine
ANSWER = "It comes on Tuesday, before noon."


class Planted(NamedTuple):
    """One bug: both agents, the property, how many faults it takes, how its run ends, and the kinds that are tried."""

    name: str
    buggy: Callable[[Any], Any]
    repaired: Callable[[Any], Any]
    holds: Callable[[Any], Any]
    faults: int = 1
    ends: str = "failed"
    kinds: tuple[str, ...] = ()
    world: bool = True


def again(call: Callable[[], Any], times: int = 2, on: Any = FAILED) -> Any:
    """Up to so many attempts; what the last one raises."""
    for left in reversed(range(times)):
        try:
            return call()
        except on:
            if not left:
                raise
    raise AssertionError


# two faults, of which the second can only happen while the agent recovers


def refund_carefully(run: Any, *, trust: bool) -> str:
    for _ in range(2):
        try:
            run.tools.issue_refund(order="A1", amount=40)
            return "refunded"
        except LOST:
            squall.sometimes("looked", true=True)
        except FAILED:
            return "failed"
        try:
            if run.tools.list_refunds(order="A1"):
                return "refunded"
        except FAILED:
            return "unclear"
        if not trust:
            return "unclear"  # it may be there and not be shown
    return "failed"


def one_refund(run: Any) -> None:
    at_most_once(run.world.refunds, by="order")


# a key that is made of the time


def charge_with_key(run: Any, key: Callable[[], str]) -> str:
    try:
        again(lambda: run.tools.charge(order="A1", amount=40, key=key()), times=3)
    except FAILED:
        return "unclear"
    return "charged"


def one_charge(run: Any) -> None:
    at_most_once(run.world.charges, by="order")


# a batch that begins anew


def ship_all(run: Any, *, anew: bool) -> str:
    left = ["lamp", "sofa", "desk"]
    for _ in range(3):
        try:
            for sku in list(left):
                run.tools.ship(order="A1", sku=sku)
                if not anew:
                    left.remove(sku)
            return "shipped"
        except ToolError as error:
            if error.status != 429:
                return "unclear"
        except FAILED:
            return "unclear"
    return "partly shipped"


def each_parcel_once(run: Any) -> None:
    at_most_once(run.world.parcels, by=("order", "sku"))


# a compensation that runs in two places


def book(run: Any, *, everywhere: bool) -> str:
    tools, booked = run.tools, False
    try:
        tools.hold_seat(order="A1")
        try:
            tools.send_mail(to="ann", text="held")
            booked = True
        except FAILED:
            if everywhere:
                tools.give_credit(order="A1", amount=5)
            raise
    except FAILED:
        pass
    if not booked:
        try:
            tools.give_credit(order="A1", amount=5)
        except FAILED:
            return "unclear"
    return "booked" if booked else "compensated"


def one_credit(run: Any) -> None:
    at_most_once(run.world.credits, by="order")


# a budget of retries that all calls share


def sell(run: Any, *, shared: bool) -> str:
    tools, budget = run.tools, [1]

    def tried(call: Callable[[], Any]) -> Any:
        if not shared:
            budget[0] = 1
        while True:
            try:
                return call()
            except ToolError:
                if not budget[0]:
                    raise
                budget[0] -= 1

    try:
        tried(lambda: tools.get_order(id="A1"))
        tried(lambda: tools.charge(order="A1", amount=40, key="k1"))
    except ToolError:
        return "not sold"
    try:
        tried(lambda: tools.ship(order="A1", sku="lamp"))
    except ToolError:
        if shared:
            return "not sold"
        again(lambda: tools.credit(order="A1", amount=40, key="k2"))
        return "paid back"
    return "sold"


def paid_means_shipped(run: Any) -> None:
    if run.world.charges.count():
        assert run.world.parcels.count() or run.world.credits.count(), "it is paid, and neither shipped nor paid back"


# a mail that says what is not so


def charge_and_mail(run: Any, *, first: bool) -> str:
    def mail() -> None:
        run.tools.send_mail(to="ann", text="You have paid.")

    try:
        if first:
            mail()
        charged = run.tools.charge(order="A1", amount=40, key="k1")
        if not first and "id" in charged:
            mail()
    except FAILED:
        return "unclear"
    return "done"


def mails_are_true(run: Any) -> None:
    if run.world.mails.count():
        assert run.world.charges.count(), "a mail says that it is paid, and nothing is"


# an error that is read as a number


def top_up(run: Any, *, default: bool) -> str:
    try:
        balance = run.tools.get_account(id="ann").get("balance")
    except FAILED:
        balance = None
    if balance is None:
        if not default:
            return "unclear"
        balance = 0
    if balance < 50:
        try:
            run.tools.set_balance(id="ann", balance=balance + 50)
        except FAILED:
            return "unclear"
    return "done"


def nothing_lost(run: Any) -> None:
    assert run.world.accounts.get("ann").balance >= 100, "money is gone"


# money that is taken here, and not given there


def transfer(run: Any, *, back: bool) -> str:
    def put(who: str, balance: int) -> None:
        if "id" not in again(lambda: run.tools.set_balance(id=who, balance=balance), times=3):
            raise ValueError("not done")

    try:
        put("ann", 60)
    except FAILED:
        return "not transferred"
    try:
        put("bob", 40)
    except FAILED:
        if not back:
            return "not transferred"
        again(lambda: put("bob", 0))
        again(lambda: put("ann", 100))
    return "transferred"


def all_money_is_there(run: Any) -> None:
    squall.conserved(run.world.accounts, "balance")


# a reply that is not what it was taken for


def total(run: Any, *, checked: bool) -> str:
    try:
        order = run.tools.get_order(id="A1")
    except FAILED:
        return "unclear"
    if checked and "total" not in order:
        return "unclear"
    return f"It is {order['total']} euros."


def anything(_run: Any) -> None:
    """Nothing is asked of the end: that it is reached is enough."""


# swallowing all that is raised


def wait_for_refund(run: Any, *, forever: bool) -> str:
    try:
        run.tools.issue_refund(order="A1", amount=40)
    except Exception:
        run.trace.mark("refund failed")
    tries = 0
    while forever or tries < 3:
        tries += 1
        try:
            if run.tools.list_refunds(order="A1")[0]["amount"] == 40:
                return "refunded"
        except Exception as error:
            run.trace.mark(type(error).__name__)
    return "unclear"


def retry_forever(run: Any) -> str:
    """No pause, no limit, and no fault either: it asks for what is never there."""
    while True:
        try:
            return str(run.tools.get_order(id="none"))
        except Exception as error:
            run.trace.mark(type(error).__name__)


# two calls at once, both made again when one fails


async def ship_two(run: Any, *, both: bool) -> str:
    left = ["lamp", "sofa"]
    for _ in range(2):
        made = await asyncio.gather(*(run.tools.aio.ship(order="A1", sku=sku) for sku in left), return_exceptions=True)
        bad = [sku for sku, came in zip(left, made, strict=True) if isinstance(came, BaseException)]
        if not bad:
            return "shipped"
        if any(not isinstance(came, ToolError | dict) or getattr(came, "status", 429) != 429 for came in made):
            return "unclear"
        left = left if both else bad
    return "partly shipped"


# asking again before the time


def read_politely(run: Any, *, politely: bool) -> str:
    for _ in range(4):
        try:
            run.tools.get_order(id="A1")
        except ToolError as error:
            time.sleep(error.retry_after or 1 if politely else 0.1)
        except FAILED:
            continue
        else:
            return "read"
    return "failed"


def waits_are_kept(run: Any) -> None:
    until = 0.0
    for envelope, event in run.trace:
        if event.__struct_config__.tag == "tool_call":
            assert envelope.t >= until, f"it asked again at {envelope.t:g} s, and was told to wait until {until:g} s"
        until = envelope.t + (getattr(event, "retry_after", None) or 0)


# a stale read that is written back


def deposit_twice(run: Any, *, remember: bool) -> str:
    balance = 0
    for amount in (10, 5):
        try:
            if not (remember and balance):
                balance = run.tools.get_account(id="bob")["balance"]
            balance = run.tools.set_balance(id="bob", balance=balance + amount)["balance"]
        except FAILED:
            return "unclear"
    return "deposited"


def fifteen(run: Any) -> None:
    assert run.world.accounts.get("bob").balance == 15, "a deposit is lost"


# over MCP, with the official client


async def refund_over_mcp(run: Any, *, resend: bool) -> str:
    async with Client(run.mcp_server, read_timeout_seconds=30) as client:
        for _ in range(2):
            try:
                if not (await client.call_tool("issue_refund", {"order": "A1", "amount": 40})).is_error:
                    return "refunded"
            except MCPError:
                run.trace.mark("no reply")
            if not resend:
                return "unclear"
    return "unclear"


# over the wire of models


def asked(run: Any, *, stream: bool = False) -> httpx.Response:
    body = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "When does it come?"}], "stream": stream}
    return HTTP.post(f"{run.model.openai_base_url}/chat/completions", json=body)


def mail_answer(run: Any, read: Callable[[httpx.Response], str | None], *, stream: bool = False) -> str:
    run.model.brain(lambda _request: ANSWER)
    try:
        text = read(asked(run, stream=stream))
    except (httpx.HTTPError, ValueError):
        return "failed"
    if text is None:
        return "failed"
    try:
        run.tools.send_mail(to="ann", text=text)
    except FAILED:
        return "unclear"
    return "answered"


def mails_are_whole(run: Any) -> None:
    for mail in run.world.mails:
        assert mail.text == ANSWER, f"the model never said {mail.text!r}"


def streamed(response: httpx.Response, *, ended: bool) -> str | None:
    text, done = "", False
    for line in response.text.splitlines():
        data = line.removeprefix("data: ")
        if data == "[DONE]":
            done = True
        elif data.startswith("{"):
            for choice in json.loads(data).get("choices", ()):
                text += choice["delta"].get("content") or ""
    return text if (done or not ended) and response.is_success else None


def first_choice(response: httpx.Response) -> dict[str, Any]:
    choices = response.json().get("choices") or [{"message": {"content": ""}, "finish_reason": None}]
    found: dict[str, Any] = choices[0]
    return found


def content(response: httpx.Response) -> str | None:
    """Takes whatever there is, in a 200."""
    return first_choice(response)["message"]["content"] if response.is_success else None


def whole_content(response: httpx.Response) -> str | None:
    """Takes what is complete, and not empty."""
    if not response.is_success:
        return None
    choice = first_choice(response)
    return (choice["message"]["content"] or None) if choice["finish_reason"] == "stop" else None


def fill_in(response: httpx.Response) -> str | None:
    """Takes anything for an answer, and puts something in its place where there is none."""
    try:
        return content(response) or "Thank you!"
    except ValueError:
        return "Thank you!"


PLANTED = (
    Planted(
        "an empty list trusted",
        lambda run: refund_carefully(run, trust=True),
        lambda run: refund_carefully(run, trust=False),
        one_refund,
        faults=2,
        kinds=("connection_lost", "http_429", "empty_result"),
    ),
    Planted(
        "a key made of the clock",
        lambda run: charge_with_key(run, lambda: f"A1 at {run.clock.elapsed():.0f}"),
        lambda run: charge_with_key(run, lambda: "A1"),
        one_charge,
    ),
    Planted(
        "a fresh key for each attempt",
        lambda run: charge_with_key(run, lambda: str(uuid.uuid4())),
        lambda run: charge_with_key(run, lambda: "A1"),
        one_charge,
    ),
    Planted(
        "a batch begun anew",
        lambda run: ship_all(run, anew=True),
        lambda run: ship_all(run, anew=False),
        each_parcel_once,
        kinds=("http_429", "http_503", "timeout"),
    ),
    Planted(
        "a compensation in two places",
        lambda run: book(run, everywhere=True),
        lambda run: book(run, everywhere=False),
        one_credit,
        kinds=("http_503", "timeout", "malformed_json", "empty_result"),
    ),
    Planted(
        "a budget of retries that all calls share",
        lambda run: sell(run, shared=True),
        lambda run: sell(run, shared=False),
        paid_means_shipped,
        faults=2,
        kinds=("http_429",),
    ),
    Planted(
        "a mail before the deed",
        lambda run: charge_and_mail(run, first=True),
        lambda run: charge_and_mail(run, first=False),
        mails_are_true,
        kinds=("http_503", "timeout", "error_in_200", "empty_result", "malformed_json"),
    ),
    Planted(
        "an error read as zero",
        lambda run: top_up(run, default=True),
        lambda run: top_up(run, default=False),
        nothing_lost,
    ),
    Planted(
        "half a transfer",
        lambda run: transfer(run, back=False),
        lambda run: transfer(run, back=True),
        all_money_is_there,
        kinds=("error_in_200", "empty_result"),
    ),
    Planted(
        "a reply without its field",
        lambda run: total(run, checked=False),
        lambda run: total(run, checked=True),
        anything,
        ends="crashed",
    ),
    Planted(
        "everything swallowed for ever",
        lambda run: wait_for_refund(run, forever=True),
        lambda run: wait_for_refund(run, forever=False),
        anything,
        ends="hung",
        kinds=("http_429", "connection_lost"),
    ),
    Planted(
        "two calls at once, both made again",
        lambda run: ship_two(run, both=True),
        lambda run: ship_two(run, both=False),
        each_parcel_once,
        kinds=("http_429", "http_503", "timeout"),
    ),
    Planted(
        "a wait cut short",
        lambda run: read_politely(run, politely=False),
        lambda run: read_politely(run, politely=True),
        waits_are_kept,
    ),
    Planted(
        "a stale balance written back",
        lambda run: deposit_twice(run, remember=False),
        lambda run: deposit_twice(run, remember=True),
        fifteen,
        kinds=("stale_read",),
    ),
    Planted(
        "a request over MCP sent again",
        lambda run: refund_over_mcp(run, resend=True),
        lambda run: refund_over_mcp(run, resend=False),
        one_refund,
        kinds=("timeout", "http_503"),
    ),
    Planted(
        "a cut stream taken as whole",
        lambda run: mail_answer(run, lambda response: streamed(response, ended=False), stream=True),
        lambda run: mail_answer(run, lambda response: streamed(response, ended=True), stream=True),
        mails_are_whole,
        kinds=("clean_eof", "stream_disconnect"),
    ),
    Planted(
        "silence sent as an answer",
        lambda run: mail_answer(run, content),
        lambda run: mail_answer(run, whole_content),
        mails_are_whole,
        kinds=("empty_content", "length_cut", "http_503"),
    ),
    Planted(
        "an error in a 200 taken for an answer",
        lambda run: mail_answer(run, fill_in),
        lambda run: mail_answer(run, whole_content),
        mails_are_whole,
        kinds=("error_in_200", "malformed_json"),
    ),
)
