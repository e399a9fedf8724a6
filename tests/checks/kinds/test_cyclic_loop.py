from __future__ import annotations

from squall.checks.kinds.cyclic_loop import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


def rounds(talk, *results, times=2):
    """A and B in turn; each round's results."""
    for n in range(times):
        one, two = results[min(n, len(results) - 1)]
        talk.uses("get_order", {"id": 1}, one).uses("get_policy", {"topic": "refund"}, two)
    return talk


def test_two_calls_in_turn_that_give_the_same_again_fire(run):
    rounds(run.talk(), ("a", "b")).says("done")
    verdict = judged(run)
    assert verdict.step == 8
    assert verdict.reason == (
        "get_order(id=1) → get_policy(topic='refund'), 2 times in a row with the same results (steps 2 to 8)"
    )


def test_a_circle_of_three_fires_wherever_it_begins(run):
    talk = run.talk().uses("search", {"q": "x"}, "found")
    for _ in range(2):
        for tool in ("a", "b", "c"):
            talk.uses(tool, {}, tool)
    talk.says("done")
    assert judged(run).step == 14


def test_a_failing_write_and_a_look_in_turn_fire(run):
    rounds(run.talk(), ({"status": "open"}, "Error: locked")).says("done")
    assert judged(run).fired


def test_time_stamps_make_no_other_result(run):
    rounds(
        run.talk(), ({"at": "2025-06-01T10:00:00Z", "s": 1}, "b"), ({"at": "2025-06-01T10:00:09Z", "s": 1}, "b")
    ).says("done")
    assert judged(run).fired


def test_the_threshold_says_how_many_rounds(run):
    rounds(run.talk(), ("a", "b")).says("done")
    assert not judged(run, cycle_threshold=3).fired


def test_a_poll_that_progresses_is_fine(run):
    rounds(run.talk(), ("1 of 3", "b"), ("2 of 3", "b"), ("3 of 3", "b"), times=3).says("done")
    assert judged(run).verdict == "pass"


def test_other_arguments_are_other_calls(run):
    talk = run.talk()
    for n in range(4):
        talk.uses("get_order", {"id": n}, "a").uses("get_policy", {"topic": n}, "b")
    talk.says("done")
    assert not judged(run).fired


def test_looking_again_after_a_write_has_a_reason(run):
    talk = run.talk()
    for n in range(3):
        talk.uses("list_items", {}, "a").uses("get_total", {}, "b").uses("add_item", {"n": n}, "ok")
    talk.says("done")
    assert not judged(run).fired


def test_waiting_in_between_is_polling(run):
    talk = run.talk()
    for _ in range(3):
        talk.uses("get_status", {}, "pending").uses("wait", {"seconds": 5}, "ok")
    talk.says("done")
    assert not judged(run).fired


def test_one_call_alone_is_another_matter(run):
    talk = run.talk()
    for _ in range(6):
        talk.uses("get_order", {"id": 1}, "a")
    talk.says("done")
    assert not judged(run).fired


def test_a_user_who_asks_again_gets_the_same_again(run):
    talk = run.talk()
    for _ in range(3):
        rounds(talk, ("a", "b"), times=1).says("It is a.").user("And now?")
    assert not judged(run).fired


def test_agents_side_by_side_go_round_in_no_circle(run):
    for who in ("one", "two", "three"):
        rounds(run.talk(who), ("a", "b"), times=1).says("done")
    assert not judged(run).fired
