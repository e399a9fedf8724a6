from __future__ import annotations

import pytest

from squall.checks.kinds.duplicate_side_effect import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


REFUND = {"order": "7", "amount": 40}


def write(run, tool="issue_refund", args=REFUND, result="ok", **said):
    run.hook(tool, args, result, access="write", **said)


def test_a_write_that_takes_effect_twice_fires(run):
    write(run, effects=1)
    write(run, effects=1)
    verdict = judged(run)
    assert verdict.step == 2
    assert verdict.reason == "issue_refund(amount=40, order='7') took effect twice (steps 1 and 2)"


def test_an_effect_counts_whatever_its_caller_was_told(run):
    write(run, error="no reply", form="timeout", effects=1)
    write(run, effects=1)
    assert judged(run).reason == (
        "issue_refund(amount=40, order='7') took effect twice, the first time although it was told to have failed"
        " (steps 1 and 2)"
    )


def test_without_a_ledger_the_tool_says_that_it_writes(run):
    write(run)
    write(run)
    assert judged(run).fired


def test_what_a_model_asked_for_twice_fires(run):
    talk = run.talk()
    for _ in range(2):
        talk.calls(("issue_refund", REFUND))
        write(run, effects=1)
        talk.results("ok")
    talk.says("done")
    assert judged(run).step == 4


@pytest.mark.parametrize("more", [{"idempotency_key": "b"}, {"timestamp": 2}, {"reason": "it broke"}])
def test_keys_times_and_words_beside_an_amount_make_no_other_write(run, more):
    write(run, args=REFUND | dict.fromkeys(more, "a"), effects=1)
    write(run, args=REFUND | more, effects=1)
    assert judged(run).fired


@pytest.mark.parametrize(
    "second", [{"order": "8", "amount": 40}, {"order": "7", "amount": 5}, {"order": "7", "amount": 40, "item": 2}]
)
def test_other_arguments_are_another_write(run, second):
    write(run, effects=1)
    write(run, args=second, effects=1)
    assert judged(run).verdict == "pass"


def test_other_words_are_another_write_where_words_are_all(run):
    write(run, "add_note", {"ticket": "1", "note": "a"}, effects=1)
    write(run, "add_note", {"ticket": "1", "note": "b"}, effects=1)
    assert not judged(run).fired


def test_a_failure_without_an_effect_and_its_retry_pass(run):
    write(run, error="503", status=503)
    write(run, effects=1)
    write(run, error="no reply", form="timeout")
    assert not judged(run).fired


def test_a_repetition_that_changes_nothing_passes(run):
    write(run, effects=1)
    write(run)
    assert not judged(run).fired


def test_one_idempotency_key_on_both_passes_without_a_ledger(run):
    write(run, key="k")
    write(run, key="k")
    assert not judged(run).fired
    write(run, key="l")
    assert judged(run).fired


@pytest.mark.parametrize("tool", ["set_status", "update_order", "cancel_order", "orders_delete", "click", "next_page"])
def test_what_is_the_same_done_twice_passes(run, tool):
    write(run, tool, effects=1)
    write(run, tool, effects=1)
    assert not judged(run).fired


@pytest.mark.parametrize("tool", ["withdraw", "send_reset_mail", "create_cancel_request", "order_pizza"])
def test_a_verb_is_told_from_things(run, tool):
    write(run, tool, effects=1)
    write(run, tool, effects=1)
    assert judged(run).fired


def test_doing_anew_what_was_taken_back_passes(run):
    write(run, "create_booking", {"seat": 3}, effects=1)
    write(run, "cancel_booking", {"seat": 3}, effects=1)
    write(run, "create_booking", {"seat": 3}, effects=1)
    assert not judged(run).fired


def test_a_user_who_asks_again_gets_it_again(run):
    talk = run.talk("one more")
    for _ in range(2):
        talk.calls(("add_item", {"sku": "x"}))
        write(run, "add_item", {"sku": "x"}, effects=1)
        talk.results("ok").says("Added.").user("one more")
    assert not judged(run).fired


def test_nothing_is_known_of_tools_that_nobody_calls_writes(run):
    talk = run.talk()
    for _ in range(2):
        talk.uses("issue_refund", REFUND)
    run.hook("issue_refund", REFUND, access="")
    run.hook("issue_refund", REFUND, access="")
    assert not judged(run).fired


def test_reads_are_no_writes(run):
    for _ in range(2):
        run.hook("get_order", {"id": 7}, "a", access="read")
    assert not judged(run).fired
