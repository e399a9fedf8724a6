from __future__ import annotations

import pytest

from squall.checks.kinds.abstention import CHECK
from squall.checks.options import Options


def judged(run, **options):
    return CHECK.run(run.trace, Options(**options))


@pytest.mark.parametrize(
    "text",
    [
        "I could not find any information about that.",
        "Sorry, I was unable to locate your order.",
        "There are no records of it.",
        "The price is not mentioned in the documents.",
        "I don't know.",
        "No matching documents were found.",
    ],
)
def test_an_answer_that_it_was_not_found_fires(run, text):
    run.talk().uses("search", {"q": "x"}, []).says(text)
    assert judged(run).step == 3
    assert judged(run).reason.startswith("the answer (step 3) says that it was not found: ")


@pytest.mark.parametrize(
    "text",
    [
        "It is shipped.",
        "Es wurde nicht gefunden.",
        "",
        "I found it, no problem.",
        "I could not find A. " + "B is here. " * 60,
    ],
)
def test_other_answers_pass(run, text):
    run.talk().uses("search", {"q": "x"}, []).says(text)
    assert judged(run).verdict == "pass"


def test_a_refusal_is_another_matter(run):
    run.talk().says("I cannot answer that.", finish="refusal")
    assert not judged(run).fired


def test_it_is_off_unless_it_is_asked_for():
    assert CHECK.default == "off"
