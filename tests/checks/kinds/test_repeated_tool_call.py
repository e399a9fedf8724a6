from __future__ import annotations

import pytest

from squall.checks.kinds.repeated_tool_call import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


def repeat(talk, *results, tool="get", args=None):
    for result in results:
        talk.uses(tool, args or {"id": 1}, result)
    return talk


def test_the_same_call_with_the_same_result_three_times_fires(run):
    repeat(run.talk(), "a", "a", "a").says("done")
    verdict = judged(run)
    assert verdict.reason == "get(id=1) gave the same result 3 times (steps 2, 4 and 6)"
    assert verdict.step == 6


def test_twice_is_fine_unless_the_threshold_says_otherwise(run):
    repeat(run.talk(), "a", "a").says("done")
    assert not judged(run).fired
    assert judged(run, repeat_threshold=2).fired


def test_other_arguments_are_other_calls(run):
    talk = run.talk()
    for n in range(4):
        talk.uses("get", {"id": n}, "a")
    assert not judged(run).fired


def test_the_order_of_arguments_does_not_matter(run):
    talk = run.talk()
    for args in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 2}):
        talk.uses("get", args, "x")
    talk.says("done")
    assert judged(run).fired


def test_a_poll_that_progresses_is_fine(run):
    repeat(run.talk(), {"status": "pending"}, {"status": "pending"}, {"status": "pending"}, {"status": "done"}).says(
        "ok"
    )
    assert not judged(run).fired


def test_a_poll_whose_progress_shows_in_numbers_is_fine(run):
    repeat(run.talk(), *({"status": "pending", "progress": n} for n in (10, 20, 30, 40))).says("ok")
    assert not judged(run).fired


@pytest.mark.parametrize(
    "results",
    [
        [f"checked at 2025-06-01T10:00:0{n}Z: nothing" for n in range(3)],
        [{"status": "pending", "request_id": f"r{n}", "took_ms": n} for n in range(3)],
        [{"status": "pending", "timestamp": 1748736000 + n} for n in range(3)],
        [f"request #{n}: rejected" for n in range(3)],
    ],
)
def test_time_stamps_and_counters_do_not_make_another_result(run, results):
    repeat(run.talk(), *results).says("ok")
    assert judged(run).fired


def test_the_time_itself_is_another_result(run):
    repeat(run.talk(), *(f"2025-06-01T10:00:0{n}Z" for n in range(3)), tool="get_time").says("ok")
    assert not judged(run).fired


def test_waiting_is_not_repeating(run):
    repeat(run.talk(), "ok", "ok", "ok", tool="wait", args={"seconds": 5}).says("done")
    assert not judged(run).fired


def test_looking_again_after_a_write_has_a_reason(run):
    talk = run.talk()
    for n in range(3):
        talk.uses("list_items", {}, "a").uses("add_item", {"n": n}, {"id": n})
    talk.says("done")
    assert not judged(run).fired


def test_the_same_write_again_and_again_fires(run):
    repeat(run.talk(), "sent", "sent", "sent", tool="send_mail").says("done")
    assert judged(run).fired


def test_the_same_error_again_and_again_fires(run):
    repeat(run.talk(), *["Error: no such order"] * 3).says("sorry")
    assert judged(run).fired


def test_a_user_who_asks_again_gets_the_same_result_again(run):
    talk = run.talk()
    for _ in range(3):
        talk.uses("get", {"id": 1}, "a").says("It is a.").user("And now?")
    assert not judged(run).fired


def test_three_agents_that_are_asked_the_same_repeat_nothing(run):
    for _ in range(3):
        run.talk("the same").uses("get", {"id": 1}, "a").says("It is a.")
    assert not judged(run).fired


def test_retries_by_code_of_what_failed_for_a_moment_are_another_matter(run):
    for _ in range(3):
        run.hook("get", {"id": 1}, error="503 Service Unavailable", status=503)
    assert not judged(run).fired
    for _ in range(3):
        run.hook("get", {"id": 2}, error="no such order", status=404)
    assert judged(run).fired
