from __future__ import annotations

import pytest

from squall.checks.kinds.context_overflow import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


TOO_LONG = "BadRequestError: This model's maximum context length is 8192 tokens"


def test_an_answer_that_stops_at_the_limit_fires(run):
    run.talk(max_tokens=100).says("It is on its w", finish="length")
    verdict = judged(run)
    assert verdict.step == 1
    assert verdict.reason == (
        "step 1: the reply stopped at its limit of 100 tokens, after 'It is on its w', and nothing came after it"
    )


def test_a_limit_that_is_reached_before_a_word_fires(run):
    run.talk().says("", finish="length")
    assert judged(run).reason.startswith("step 1: the reply stopped at the limit of tokens before it said anything")


def test_a_cut_answer_that_the_user_was_given_fires(run):
    run.talk().says("It is on its w", finish="length").user("And the other one?").says("Delivered.")
    assert judged(run).step == 1


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (TOO_LONG, 400),
        ("prompt is too long: 210000 tokens > 200000 maximum", 400),
        ("RequestTooLargeError", 413),
        ("ContextWindowExceededError: input", 400),
        ("input length and `max_tokens` exceed context limit", 400),
    ],
)
def test_a_request_that_is_refused_as_too_long_fires(run, error, status):
    run.talk().uses("get").reply(None, keep=False, ok=False, error=error, status=status, complete=False)
    assert judged(run).step == 3


def test_a_shorter_request_afterwards_passes(run):
    talk = run.talk().uses("get", {}, "long " * 9)
    talk.reply(None, keep=False, ok=False, error=TOO_LONG, status=400, complete=False)
    talk.messages[-1]["content"] = "short"
    talk.says("It is shipped.")
    assert judged(run).verdict == "pass"


@pytest.mark.parametrize("word", ["continue", "Please go on.", "Your reply was truncated, finish it"])
def test_a_model_that_is_asked_to_go_on_passes(run, word):
    run.talk().says("It is on its w", finish="length").user(word).says("ay.")
    assert not judged(run).fired


def test_a_cut_reply_that_is_asked_for_again_passes(run):
    talk = run.talk()
    talk.reply("It is on its w", keep=False, finish="length")
    talk.says("It is on its way.")
    assert not judged(run).fired


def test_whoever_asks_for_a_word_gets_a_word(run):
    run.talk(max_tokens=1).says("Yes", finish="length")
    assert not judged(run).fired


def test_a_rate_limit_that_counts_tokens_is_another_matter(run):
    talk = run.talk()
    error = "RateLimitError: Request too large for m on tokens per min (TPM)"
    talk.reply(None, keep=False, ok=False, error=error, status=429, complete=False)
    assert not judged(run).fired


def test_an_error_that_leaves_the_agent_or_is_expected_passes(run):
    run.talk("one").reply(None, keep=False, ok=False, error=TOO_LONG, status=400, complete=False)
    run.expected(TOO_LONG)
    run.talk("two", max_tokens=50).says("It is on its w", finish="length")
    run.final(error="LengthFinishReasonError: cut")
    assert not judged(run).fired


def test_an_answer_that_owns_up_to_it_passes(run):
    run.talk().says("It is on its w", finish="length")
    run.final("The answer was too long and is incomplete.")
    assert not judged(run).fired
