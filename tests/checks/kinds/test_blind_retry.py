from __future__ import annotations

import pytest

from squall.checks.kinds.blind_retry import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


REFUND = {"order": "7", "amount": 40}


def write(run, args=REFUND, tool="issue_refund", **said):
    run.hook(tool, args, "ok", access="write", **said)


@pytest.mark.parametrize(
    "said",
    [
        {"error": "no reply", "form": "timeout"},
        {"error": "connection reset by peer", "form": "lost"},
        {"error": "500 Internal Server Error", "status": 500},
        {"error": "502 Bad Gateway", "status": 502},
    ],
)
def test_a_write_that_may_have_happened_and_is_made_again_fires(run, said):
    write(run, **said)
    write(run)
    verdict = judged(run)
    assert verdict.step == 2
    assert verdict.parts[0].startswith("step 1: issue_refund(amount=40, order='7') may have taken effect (")
    assert verdict.parts[1] == "step 2 makes it again without a look in between and without one idempotency key"


def test_a_model_that_asks_again_fires(run):
    talk = run.talk().uses("issue_refund", REFUND, "Error: request timed out").uses("issue_refund", REFUND)
    talk.says("done")
    assert judged(run).step == 4


def test_another_key_is_no_stable_key(run):
    write(run, key="a", error="no reply", form="timeout")
    write(run, key="b")
    assert judged(run).fired


def test_one_key_on_both_passes(run):
    write(run, key="a", error="no reply", form="timeout")
    write(run, key="a")
    assert judged(run).verdict == "pass"


def test_a_look_in_between_passes(run):
    write(run, error="no reply", form="timeout")
    run.hook("list_refunds", {"order": "7"}, [])
    write(run)
    assert not judged(run).fired


@pytest.mark.parametrize(
    "said",
    [
        {"error": "no such order", "status": 404},
        {"error": "rate limit exceeded", "status": 429},
        {"error": "invalid amount"},
        {"error": "501 Not Implemented", "status": 501},
    ],
)
def test_a_clean_refusal_passes(run, said):
    write(run, **said)
    write(run)
    assert not judged(run).fired


def test_other_arguments_are_another_write(run):
    write(run, error="no reply", form="timeout")
    write(run, args={"order": "8", "amount": 40})
    assert not judged(run).fired


def test_what_is_the_same_done_twice_passes(run):
    write(run, tool="cancel_order", error="no reply", form="timeout")
    write(run, tool="cancel_order")
    assert not judged(run).fired


def test_reads_may_be_repeated(run):
    for _ in range(2):
        run.hook("get_order", {"id": 7}, error="no reply", form="timeout")
    assert not judged(run).fired
