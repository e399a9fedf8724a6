from __future__ import annotations

from squall.checks.kinds.orphan_call import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


def test_a_call_without_a_result_fires(run):
    run.talk().calls(("get", {"id": 1})).user("Well?").says("It is shipped.")
    verdict = judged(run)
    assert verdict.step == 1
    assert verdict.reason == "step 1: no result of get(id=1) in the request that follows"


def test_one_of_two_calls_without_a_result_fires(run):
    run.talk().calls(("get", {"id": 1}), ("get", {"id": 2})).results("a").says("It is shipped.")
    assert "no result of get(id=2)" in judged(run).reason


def test_a_result_that_comes_too_late_fires(run):
    talk = run.talk().calls(("get", {"id": 1}), ("get", {"id": 2})).results("a").says("One moment.")
    talk.results("a", "b").says("It is shipped.")
    assert judged(run).step == 1


def test_one_result_for_two_calls_of_one_id_is_one_too_few(run):
    talk = run.talk().calls(("get", {"id": 1}), ("get", {"id": 2}), ids=["same", "same"]).results("a")
    talk.says("It is shipped.")
    assert judged(run).fired


def test_a_call_that_a_hook_saw_fires_where_others_were_told(run):
    talk = run.talk().calls(("get", {"id": 1}), ("get", {"id": 2}))
    run.hook("get", {"id": 1}, "a")
    run.hook("get", {"id": 2}, "b")
    talk.results("a").says("It is shipped.")
    assert judged(run).fired


def test_calls_that_all_have_results_pass(run):
    talk = run.talk().calls(("get", {"id": 1}), ("get", {"id": 2})).results("a", "b").uses("get", {"id": 3})
    talk.says("It is shipped.")
    assert judged(run).verdict == "pass"


def test_ids_that_are_used_again_pass(run):
    talk = run.talk()
    for n in range(3):
        talk.calls(("get", {"id": n}), ids=["call_1"]).results(str(n))
    talk.says("done")
    assert not judged(run).fired


def test_results_in_another_order_pass(run):
    talk = run.talk().calls(("get", {"id": 1}), ("get", {"id": 2})).results("a", "b")
    talk.messages[-2:] = talk.messages[:-3:-1]
    talk.says("done")
    assert not judged(run).fired


def test_the_last_call_is_another_matter(run):
    run.talk().uses("get").calls(("get", {"id": 2}))
    assert not judged(run).fired


def test_a_request_that_was_refused_and_is_mended_passes(run):
    talk = run.talk().calls(("get", {"id": 1}))
    talk.reply(None, keep=False, ok=False, error="BadRequestError: no result", status=400, complete=False)
    talk.results("a").says("It is shipped.")
    assert not judged(run).fired


def test_a_refused_request_fires_where_nobody_mends_it(run):
    talk = run.talk().calls(("get", {"id": 1}))
    talk.reply(None, keep=False, ok=False, error="BadRequestError: no result", status=400, complete=False)
    assert judged(run).fired


def test_a_reply_that_is_thrown_away_passes(run):
    talk = run.talk()
    talk.calls(("get", {"id": 1}), keep=False)
    talk.uses("get", {"id": 2}).says("It is shipped.")
    assert not judged(run).fired


def test_declared_terminal_tools_owe_no_result(run):
    run.talk().calls(("hand_over", {})).user("Thanks").says("Welcome.")
    assert judged(run).fired
    assert not judged(run, terminal_tools=("hand_over",)).fired


def test_a_trace_without_messages_of_results_is_taken_by_its_hooks(run):
    talk = run.talk().calls(("get", {"id": 1}))
    run.hook("get", {"id": 1}, "a")
    talk.user("Well?").says("It is shipped.")
    assert not judged(run).fired
