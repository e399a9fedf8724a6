from __future__ import annotations

import pytest

from squall.checks.kinds.unrecovered_tool_error import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


ERROR = "Error: internal error"


@pytest.mark.parametrize(
    "answer",
    [
        "Your order is on its way and arrives on Friday.",
        "Done! The refund was issued. Is there anything else I can help you with?",
        "All set. Please don't hesitate to ask if you have any problems.",
        "Sunny, 24 degrees.",
        '{"weather": "sunny"}',
    ],
)
def test_a_failure_that_the_answer_is_silent_about_fires(run, answer):
    run.talk().uses("get_order", {"id": 7}, ERROR).says(answer)
    verdict = judged(run)
    assert verdict.step == 2
    assert verdict.reason.startswith(f"step 2: get_order(id=7) failed with '{ERROR}', and the answer says ")


@pytest.mark.parametrize(
    "error",
    [
        {"success": False, "message": "boom"},
        {"error": "boom"},
        "An error occurred while running the tool. Please try again.",
    ],
)
def test_a_failure_shows_in_many_ways(run, error):
    run.talk().uses("get_order", {"id": 7}, error).says("It arrives on Friday.")
    assert judged(run).fired


def test_a_failure_at_the_hook_counts_whatever_the_model_was_told(run):
    talk = run.talk().calls(("get_order", {"id": 7}))
    run.hook("get_order", {"id": 7}, error="TimeoutError: no reply", form="crashed")
    talk.results("").says("It arrives on Friday.")
    assert judged(run).fired


def test_success_for_another_thing_makes_up_for_nothing(run):
    talk = run.talk().uses("get_order", {"id": 7}, "Error: 503 Service Unavailable")
    talk.uses("get_order", {"id": 8}, {"id": 8}).says("Both orders arrive on Friday.")
    assert judged(run).step == 2


def test_another_city_is_another_thing(run):
    talk = run.talk().uses("get_weather", {"city": "Paris"}, "Error: timeout")
    talk.uses("get_weather", {"city": "London"}, "rain").says("Rain in London, sun in Paris.")
    assert judged(run).fired


def test_a_call_beside_it_puts_no_arguments_right(run):
    talk = run.talk().calls(("get_order", {"id": 7}), ("get_order", {"id": 8}))
    talk.results("Error: order 7 not found", {"id": 8}).says("Both orders arrive on Friday.")
    assert judged(run).fired


def test_many_failures_are_counted(run):
    talk = run.talk()
    for n in range(8):
        talk.uses("get_order", {"id": n}, ERROR)
    talk.says("They arrive on Friday.")
    assert len(judged(run).parts) == 6
    assert judged(run).parts[-1] == "and 3 more"


def test_success_before_the_failure_makes_up_for_nothing(run):
    run.talk().uses("get_order", {"id": 7}, "ok").uses("get_order", {"id": 7}, ERROR).says("It arrives on Friday.")
    assert judged(run).step == 4


@pytest.mark.parametrize(
    "answer",
    [
        "Sorry, I could not look it up.",
        "The order system is unavailable at the moment.",
        "I couldn't reach the shop. Please try again later.",
        "Which order do you mean?",
        "Could you confirm the number?",
        "⚠ no data",
        "Die Bestellung ist leider nicht abrufbar.",
        "Fehler beim Abruf",
        "注文は確認できませんでした。",
        '{"status": "failed"}',
    ],
)
def test_an_answer_that_may_say_so_passes(run, answer):
    run.talk().uses("get_order", {"id": 7}, ERROR).says(answer)
    assert judged(run).verdict == "pass"


def test_a_text_on_the_way_may_say_so_too(run):
    talk = run.talk().uses("get_order", {"id": 7}, ERROR)
    talk.says("That failed. Shall I look by name?").user("No, tell me the time.").uses("clock", {}, "10:00").says(
        "10:00."
    )
    assert not judged(run).fired


def test_the_same_call_again_that_works_passes(run):
    run.talk().uses("get_order", {"id": 7}, ERROR).uses("get_order", {"id": 7, "retry": 1}, "ok").says("On Friday.")
    assert not judged(run).fired


@pytest.mark.parametrize(
    ("bad", "error", "good"),
    [
        ({"user": "mia"}, "Error: user not found", {"user": "mia_li"}),
        ({"id": "7"}, "Error: invalid id, expected #7", {"id": "#7"}),
        ({"city": "Rom"}, "Say it in English.\n\nFix the errors and try again.", {"city": "Rome"}),
        ({"q": "order from paris"}, ERROR, {"q": "paris order"}),
        ({"order_id": "7", "card_id": "1"}, "Error: boom", {"order_id": "7", "card_id": "2"}),
    ],
)
def test_arguments_that_are_put_right_pass(run, bad, error, good):
    run.talk().uses("get_order", bad, error).uses("get_order", good, "ok").says("It arrives on Friday.")
    assert not judged(run).fired


@pytest.mark.parametrize(
    ("tool", "args", "other", "others"),
    [
        ("search_web", {"q": "paris"}, "search_docs", {"q": "paris"}),
        ("get_order", {"id": 7}, "list_orders", {}),
        ("fetch_page", {"url": "http://a.b"}, "open_browser", {"url": "http://a.b"}),
        ("charge_card", {"amount": 5}, "charge_paypal", {"amount": 5}),
        ("get_rates", {"day": "x"}, "bash", {"command": "curl rates"}),
        ("cancel_booking", {"id": 7}, "transfer_to_human", {}),
    ],
)
def test_another_tool_that_takes_its_place_passes(run, tool, args, other, others):
    run.talk().uses(tool, args, ERROR).uses(other, others, "ok").says("It arrives on Friday.")
    assert not judged(run).fired


@pytest.mark.parametrize(
    ("other", "args"), [("get_time", {"city": "Paris"}), ("send_mail", {"to": "a@b.c"}), ("get_news", {})]
)
def test_a_tool_for_something_else_takes_no_place(run, other, args):
    run.talk().uses("get_weather", {"city": "Paris"}, ERROR).uses(other, args, "ok").says("It is sunny.")
    assert judged(run).fired


def test_what_was_not_there_and_is_made_passes(run):
    talk = run.talk().uses("read_file", {"path": "a.txt"}, "Error: a.txt: no such file")
    talk.uses("write_file", {"path": "a.txt", "text": "hello"}, "ok").says("a.txt now says hello.")
    assert not judged(run).fired


@pytest.mark.parametrize(
    ("error", "other", "path"),
    [
        ("Error: disk failure", "write_file", "a.txt"),
        ("Error: a.txt: no such file", "write_file", "b.txt"),
        ("Error: a.txt: no such file", "post_message", "a.txt"),
    ],
)
def test_a_write_makes_up_for_a_read_only_where_it_makes_what_was_absent(run, error, other, path):
    talk = run.talk().uses("read_file", {"path": "a.txt"}, error)
    talk.uses(other, {"path": path}, "ok").says("a.txt says hello.")
    assert judged(run).fired


def test_an_error_that_leaves_the_agent_is_told(run):
    talk = run.talk().calls(("get_order", {"id": 7}))
    run.hook("get_order", {"id": 7}, error="TimeoutError: no reply")
    talk.results(ERROR).says("It arrives on Friday.")
    run.final(error="AgentError: the order could not be read")
    assert not judged(run).fired


def test_an_error_that_the_test_expects_is_told(run):
    run.talk("first").uses("get_order", {"id": 7}, ERROR).calls(("get_order", {"id": 7}))
    run.expected("AgentError: gave up")
    run.talk("second").says("Hello.")
    assert not judged(run).fired


def test_an_error_that_left_another_agent_tells_nothing_of_this_one(run):
    run.talk("first").uses("get_order", {"id": 7}, ERROR).says("It arrives on Friday.")
    run.talk("second").uses("get_order", {"id": 8}, ERROR)
    run.expected("AgentError: gave up")
    assert judged(run).step == 2


@pytest.mark.parametrize("result", ["order not found", {"status": "failed", "id": 7}, "No results", []])
def test_what_is_a_result_is_no_failure(run, result):
    run.talk().uses("get_order", {"id": 7}, result).says("It arrives on Friday.")
    assert not judged(run).fired


def test_a_person_who_said_no_is_no_failure(run):
    run.talk().uses("delete_file", {"path": "a"}, "Error: the user declined this call").says("All right.")
    assert not judged(run).fired


def test_a_caller_who_no_longer_waits_is_no_failure(run):
    talk = run.talk().calls(("get_order", {"id": 7}))
    run.hook("get_order", {"id": 7}, error="the caller gave up (CancelledError)", form="cancelled")
    talk.says("It arrives on Friday.")
    assert not judged(run).fired


def test_without_an_answer_nobody_knows(run):
    run.hook("get_order", {"id": 7}, error="no reply", form="timeout")
    assert not judged(run).fired
    run.talk().uses("get_order", {"id": 8}, ERROR).calls(("other", {}))
    assert not judged(run).fired


def test_what_the_agent_gave_back_counts_as_its_answer(run):
    run.hook("get_order", {"id": 7}, error="no reply", form="timeout")
    run.final("It arrives on Friday.")
    assert judged(run).fired


def test_what_the_agent_gave_back_may_admit_it(run):
    run.talk().uses("get_order", {"id": 7}, ERROR).says("It arrives on Friday.")
    run.final("I could not look it up.")
    assert not judged(run).fired
