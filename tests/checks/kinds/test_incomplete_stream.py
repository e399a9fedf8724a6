from __future__ import annotations

import pytest

from squall.checks.kinds.incomplete_stream import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


def stream(run, user="find it"):
    return run.talk(user, stream=True)


def cut(talk, text="It is on its w", uses=(), **said):
    """A reply whose stream ends early, and nobody is told."""
    return talk.reply(text, uses, **{"ok": False, "status": 200, "complete": False, "finish": None, **said})


def test_a_stream_that_ends_early_and_is_the_answer_fires(run):
    cut(stream(run))
    verdict = judged(run)
    assert verdict.step == 1
    what = "the stream ended without its terminal event, after 'It is on its w', and was used as if it were complete"
    assert verdict.reason == f"step 1: {what}"


def test_a_call_that_lost_its_last_arguments_and_was_made_fires(run):
    talk = cut(stream(run), None, [("refund", {"order": 7})]).results("ok").says("Done.")
    assert talk
    assert judged(run).step == 1
    assert "after refund(order=7)" in judged(run).reason


def test_a_broken_stream_that_the_conversation_goes_on_from_fires(run):
    cut(stream(run), error="APIConnectionError: gone").user("And?").says("There.")
    assert "(APIConnectionError: gone)" in judged(run).reason.replace("'", "")


def test_an_answer_made_of_what_had_come_fires(run):
    cut(stream(run))
    run.final("It is on its w")
    assert judged(run).fired


def test_a_whole_stream_passes(run):
    stream(run).uses("get").says("It is on its way.")
    assert judged(run).verdict == "pass"


def test_a_request_that_is_made_again_passes(run):
    cut(stream(run), keep=False).says("It is on its way.")
    assert not judged(run).fired


def test_another_model_that_is_asked_the_same_passes(run):
    cut(stream(run))
    run.talk("find it", system="be brief").says("It is on its way.")
    assert not judged(run).fired


def test_a_client_that_left_early_passes(run):
    cut(stream(run), disconnected=True)
    assert not judged(run).fired


@pytest.mark.parametrize("error", ["CutStream: no terminal event", "AgentError: gave up"])
def test_an_app_that_notices_and_raises_passes(run, error):
    cut(stream(run))
    run.final(error=error)
    assert not judged(run).fired


def test_an_app_that_notices_and_is_caught_by_its_test_passes(run):
    cut(stream(run))
    run.expected("CutStream: no terminal event")
    assert not judged(run).fired


@pytest.mark.parametrize("answer", ["Sorry, please try again.", "(nothing)"])
def test_an_app_that_notices_and_says_something_else_passes(run, answer):
    cut(stream(run))
    run.final(answer)
    assert not judged(run).fired


def test_a_stream_that_broke_with_an_error_at_the_end_is_another_matter(run):
    cut(stream(run), error="APIConnectionError: gone")
    assert not judged(run).fired


def test_what_is_no_stream_is_another_matter(run):
    cut(run.talk())
    assert not judged(run).fired
