"""The world is altered behind the agent's back: a test that asserts something about it notices."""

from __future__ import annotations

import pytest

TEST = """
import pytest, squall
from explored_agents import careful

@pytest.mark.world("shop.yaml")
@pytest.mark.explore(kinds=["timeout"])
def test_refund(tools, world):
    BEFORE
    careful(tools)
    AFTER
"""
ASSERTIONS = {
    "in a function for the end": ('squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))', "pass"),
    "in the body": ("pass", "assert len(world.refunds) < 2"),
    "by a call of its own": ("pass", 'assert len(tools.list_refunds(order="1")) < 2'),
}


def written(before="pass", after="pass"):
    return TEST.replace("BEFORE", before).replace("AFTER", after)


@pytest.mark.parametrize("where", ASSERTIONS)
def test_a_row_that_is_there_twice_is_noticed_wherever_that_is_asserted(session, where):
    before, after = ASSERTIONS[where]
    after = after if "tools" not in after else f"try:\n        {after}\n    except TimeoutError:\n        pass"
    done = session(written(before, after), "--squall-mutate-world")
    assert done.counts == {"passed": 1}
    assert "refund '1' is there twice: noticed (" in done.text
    assert "the last insert of refund, '1', never happened: NOT noticed" in done.text
    assert "amount of refund '1' is 41 in place of 40: NOT noticed" in done.text


def test_a_number_that_is_another_is_noticed(session):
    code = written(after="assert all(refund.amount == 40 for refund in world.refunds)")
    done = session(code, "--squall-mutate-world")
    assert done.counts == {"passed": 1}
    assert "amount of refund '1' is 41 in place of 40: noticed (AssertionError at test_it.py:9)" in done.text


def test_a_test_that_asserts_nothing_about_the_world_fails(session):
    done = session(written(), "--squall-mutate-world")
    assert done.counts == {"failed": 1}
    assert "the test did not notice: it asserts nothing about it" in done.text
    assert "refund '1' is there twice: NOT noticed" in done.text


def test_an_async_operation_is_altered_when_it_has_ended(session, refunds):
    file = refunds / "shop.yaml"
    custom = file.read_text().replace("kind: create, record: refund", "kind: custom, handler: desk.refund")
    file.write_text(custom, encoding="utf-8")
    (refunds / "desk.py").write_text(
        "async def refund(world, clock, order: str, amount: int):\n"
        "    return world.refunds.insert({'order': order, 'amount': amount})\n",
        encoding="utf-8",
    )
    done = session(written(after="assert len(world.refunds) < 2"), "--squall-mutate-world")
    assert "refund '1' is there twice: noticed (" in done.text


def test_a_run_that_changes_nothing_leaves_nothing_to_alter(session):
    code = written().replace("careful(tools)", "")
    done = session(code, "--squall-mutate-world")
    assert done.counts == {"passed": 1}
    assert "The run without faults changed nothing in a world, so nothing was altered." in done.text


def test_without_a_world_there_is_nothing_to_ask_for(session):
    done = session("def test_plain(): pass", "--squall-mutate-world")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "there is no test whose world could be altered" in done.text
