from __future__ import annotations

import pytest

from squall.checks.kinds.unrecovered_model_error import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


def raises(talk, error="APIStatusError: overloaded", **said):
    return talk.reply(None, keep=False, ok=False, error=error, complete=False, **said)


def test_an_outage_that_the_agent_hides_fires(run):
    raises(run.talk().uses("get", {"id": 1}), status=503)
    verdict = judged(run)
    assert verdict.step == 3
    assert verdict.reason == (
        "step 3: the call of m came to 'APIStatusError: overloaded', no later one succeeded, and the agent carried on"
    )


def test_an_empty_answer_hides_it_no_better(run):
    raises(run.talk())
    run.final("")
    assert judged(run).fired


def test_another_agent_that_is_answered_makes_up_for_nothing(run):
    raises(run.talk("one"))
    run.talk("two").says("Two.")
    assert judged(run).step == 1


def test_a_request_that_is_made_again_passes(run):
    talk = raises(raises(run.talk()))
    talk.says("It is shipped.")
    assert judged(run).verdict == "pass"


def test_another_model_that_is_asked_the_same_passes(run):
    raises(run.talk("where is it?", system="you are one"))
    run.talk("where is it?", system="you are another").says("It is shipped.")
    assert not judged(run).fired


@pytest.mark.parametrize("wrapped", ["APIStatusError: overloaded", "AgentError: no model today"])
def test_an_error_that_leaves_the_agent_passes(run, wrapped):
    raises(run.talk())
    run.final(error=wrapped)
    assert not judged(run).fired


def test_an_error_that_the_test_expects_passes(run):
    raises(run.talk("one"))
    run.expected("APIStatusError: overloaded")
    run.talk("two").says("Two.")
    assert not judged(run).fired


def test_an_answer_that_owns_up_to_it_passes(run):
    raises(run.talk())
    run.final("Sorry, I cannot answer at the moment.")
    assert not judged(run).fired


def test_a_client_that_left_raised_nothing(run):
    run.talk().reply("It i", ok=False, complete=False, disconnected=True)
    assert not judged(run).fired


def test_a_stream_that_merely_ended_early_raised_nothing(run):
    run.talk(stream=True).reply("It i", ok=False, status=200, complete=False)
    assert not judged(run).fired


def test_what_the_outer_agent_was_told_passes(run):
    outer = run.talk("outer").calls(("ask_expert", {"q": 1}))
    raises(run.talk("inner"))
    outer.results("Error: the expert is away").says("All done.")
    assert not judged(run).fired


def test_what_a_later_text_owns_up_to_passes(run):
    outer = run.talk("outer").calls(("ask_expert", {"q": 1}))
    raises(run.talk("inner"))
    outer.results("nothing").says("The expert could not be reached.")
    assert not judged(run).fired
