from __future__ import annotations

from squall.checks.kinds.search_loop import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


def test_five_searches_that_find_nothing_and_no_answer_fire(run):
    talk = run.talk()
    for n in range(5):
        talk.uses("search", {"q": str(n)}, [])
    talk.calls(("search", {"q": "last"}))
    verdict = judged(run)
    assert verdict.fired
    assert verdict.step == 12
    assert "6 calls of tools and no answer, 5 of 5 results were empty" in verdict.reason
    assert "search(q='last')" in verdict.reason


def test_an_empty_last_turn_is_no_answer_either(run):
    talk = run.talk()
    for n in range(5):
        talk.uses("search", {"q": str(n)}, {"results": [], "total": 0})
    talk.says("")
    assert judged(run).fired


def test_an_answer_that_nothing_was_found_is_an_answer(run):
    talk = run.talk()
    for n in range(6):
        talk.uses("search", {"q": str(n)}, "No results found.")
    talk.says("I could not find it.")
    assert judged(run).verdict == "pass"


def test_four_searches_are_not_yet_a_loop_unless_the_threshold_says_so(run):
    talk = run.talk()
    for n in range(3):
        talk.uses("search", {"q": str(n)}, [])
    talk.calls(("search", {"q": "last"}))
    assert not judged(run).fired
    assert judged(run, loop_min_steps=4).fired


def test_searches_that_find_something_are_none(run):
    talk = run.talk()
    for n in range(6):
        talk.uses("search", {"q": str(n)}, [] if n < 2 else [{"id": n}])
    talk.calls(("search", {"q": "last"}))
    assert not judged(run).fired


def test_the_empty_results_of_writes_are_no_empty_searches(run):
    talk = run.talk()
    for n in range(6):
        talk.uses("delete_row", {"id": str(n)}, "")
    talk.calls(("delete_row", {"id": "last"}))
    assert not judged(run).fired


def test_what_the_agent_gave_back_is_an_answer(run):
    talk = run.talk()
    for n in range(6):
        talk.uses("search", {"q": str(n)}, [])
    run.final("nothing there")
    assert not judged(run).fired


def test_calls_of_tools_without_a_model_say_nothing_about_an_answer(run):
    for n in range(6):
        run.hook("list_orders", {"page": n}, [])
    assert not judged(run).fired


def test_searches_for_an_earlier_question_do_not_count(run):
    talk = run.talk()
    for n in range(5):
        talk.uses("search", {"q": str(n)}, [])
    talk.says("Nothing there.").user("And the other one?").calls(("search", {"q": "other"}))
    assert not judged(run).fired
