from __future__ import annotations

import pytest

from squall.checks.kinds.claimed_not_done import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


@pytest.mark.parametrize(
    "text",
    [
        "I have cancelled your order.",
        "Good news! Your order has been successfully cancelled.",
        "I've gone ahead and canceled it.",
        "Successfully cancelled order 7.",
        "Your order is now cancelled.",
    ],
)
@pytest.mark.parametrize("before", [None, "Error: boom"])
def test_a_claim_without_the_deed_fires(run, text, before):
    talk = run.talk(tools=["cancel_order", "get_order"]).uses("get_order", {"q": "7"}, {"status": "open"})
    if before:
        talk.uses("cancel_order", {"q": "7"}, before)
    talk.says(text)
    verdict = judged(run)
    assert verdict.fired
    assert "and no call that does so succeeded" in verdict.reason


def test_a_deed_of_another_kind_is_no_excuse(run):
    talk = run.talk(tools=["cancel_order", "send_mail"]).uses("send_mail", {"q": "hello"})
    talk.says("I have cancelled your order.")
    assert judged(run).fired


def test_a_claim_that_is_true_passes(run):
    run.talk(tools=["cancel_order"]).uses("cancel_order", {"q": "7"}).says("I have cancelled your order.")
    assert judged(run).verdict == "pass"


@pytest.mark.parametrize(
    ("tool", "args", "result"),
    [
        ("update_order", {"id": 7, "status": "cancelled"}, "ok"),
        ("submit_form", {"id": 7}, "ok"),
        ("bash", {"command": "order --cancel 7"}, ""),
        ("frobnicate", {"id": 7}, "ok"),
        ("get_order", {"id": 7}, {"status": "cancelled"}),
    ],
)
def test_a_call_that_may_have_done_or_told_it_passes(run, tool, args, result):
    talk = run.talk(tools=["cancel_order"]).uses(tool, args, result)
    talk.says("Your order has been cancelled.")
    assert not judged(run).fired


@pytest.mark.parametrize(
    "text",
    [
        "Your order has not been cancelled.",
        "Once it has been cancelled, you get a mail.",
        "Do you want to know whether it has been cancelled?",
        "You have cancelled it before.",
        "It will have been cancelled by Friday.",
        "I can cancel the order.",
        "Die Bestellung wurde storniert.",
    ],
)
def test_what_is_no_claim_passes(run, text):
    run.talk(tools=["cancel_order"]).uses("get_order", {"q": "7"}, {"status": "open"}).says(text)
    assert not judged(run).fired


def test_what_no_tool_could_do_is_a_way_of_speaking(run):
    run.talk(tools=["search"]).uses("search", {"q": "x"}, "y").says("I have created a list and updated the text.")
    assert not judged(run).fired


def test_an_agent_that_another_one_asked_may_have_done_it(run):
    run.talk("inner", tools=["cancel_order"]).uses("cancel_order", {"q": "7"}).says("ok")
    run.talk("outer", tools=["cancel_order"]).says("I have cancelled your order.")
    assert not judged(run).fired
