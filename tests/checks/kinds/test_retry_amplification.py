from __future__ import annotations

from squall.checks.kinds.retry_amplification import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


def fails(talk, attempts):
    return talk.reply(None, keep=False, ok=False, error="APITimeoutError", complete=False, attempt=attempts)


def test_more_requests_than_allowed_for_one_call_fire(run):
    run.talk().says("It is shipped.", attempt=5)
    verdict = judged(run)
    assert (verdict.step, verdict.reason) == (1, "step 1: 5 requests on the wire for one call of m")
    assert not judged(run, max_attempts=5).fired


def test_retries_of_retries_are_counted_together(run):
    talk = fails(fails(run.talk(), 3), 3)
    talk.says("It is shipped.", attempt=3)
    assert judged(run).reason == (
        "step 1: 9 requests on the wire for one call of m (3 calls of the SDK, each with its own retries)"
    )


def test_few_attempts_pass(run):
    run.talk().says("It is shipped.", attempt=4)
    assert judged(run).verdict == "pass"


def test_many_calls_that_are_each_answered_pass(run):
    talk = run.talk()
    for n in range(6):
        talk.uses("get", {"id": n})
    talk.says("done")
    assert not judged(run).fired


def test_a_useless_reply_that_is_asked_for_again_is_another_call(run):
    talk = run.talk()
    for _ in range(5):
        talk.reply("", keep=False)
    talk.says("done")
    assert not judged(run).fired


def test_agents_side_by_side_retry_apart(run):
    for _ in range(3):
        run.talk("the same").says("done", attempt=2)
    assert not judged(run).fired
