from __future__ import annotations

import pytest

from squall.checks.kinds.announced_not_done import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


@pytest.mark.parametrize(
    "text",
    [
        "I will now cancel the order.",
        "Thanks! Let me check that for you.",
        "I'll look up your order. One moment please.",
        "Next, I'll update the file.",
        "Please hold on.",
        "I am processing your refund...",
        "First I need to read it.\n\nLet me now search for the flight:",
    ],
)
def test_an_announcement_that_nothing_follows_fires(run, text):
    run.talk(tools=["search"]).uses("search", {"q": "x"}).says(text)
    verdict = judged(run)
    assert verdict.fired
    assert verdict.step == 3
    assert verdict.reason.startswith("the last reply (step 3) announces ")


def test_tools_that_are_only_offered_are_enough(run):
    run.talk(tools=["search"]).says("Let me look that up.")
    assert judged(run).fired


@pytest.mark.parametrize(
    "text",
    [
        "Once you confirm, I will cancel the order.",
        "Shall I cancel it? I will process the refund.",
        "Let me know if there is anything else.",
        "I'll be happy to check other orders.",
        "Please provide your id. I will look it up.",
        "I will send you a note within 5 days.",
        "I will not cancel the order.",
        "Let me check: order 7 was shipped. It arrives on Friday. Enjoy your day.",
        "I have cancelled the order.",
        "Ich werde das jetzt prüfen.",
        "If you need more, I will look again.",
    ],
)
def test_offers_conditions_and_answers_pass(run, text):
    run.talk(tools=["search"]).uses("search", {"q": "x"}).says(text)
    assert judged(run).verdict == "pass"


def test_what_follows_is_the_deed(run):
    run.talk(tools=["search"]).reply("Let me check.", [("search", {"q": "x"})]).results("ok").says("It is there.")
    assert not judged(run).fired


def test_without_tools_nothing_could_be_done(run):
    run.talk().says("Let me check.")
    assert not judged(run).fired


def test_another_answer_of_the_agent_passes(run):
    run.talk(tools=["search"]).says("Let me check.")
    run.final("It is there.")
    assert not judged(run).fired


def test_an_error_that_left_the_agent_passes(run):
    run.talk(tools=["search"]).says("Let me check.")
    run.expected("AgentError: no call came")
    assert not judged(run).fired
