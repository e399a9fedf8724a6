"""The kind `refusal` of models."""

from __future__ import annotations

from squall.call import Reply, ToolUse
from squall.faults.kinds.model.refusal import KIND


def test_the_model_refuses_in_place_of_text_and_calls(trial):
    reply = trial.said(KIND, Reply("Done.", calls=(ToolUse("pay"),)))
    assert reply == Reply(refusal="I'm sorry, but I can't assist with that.", finish="refusal")


def test_its_words_can_be_stated(trial):
    assert trial.said(KIND, Reply("Done."), text="No.").refusal == "No."


def test_a_refusal_is_one_already(trial):
    assert trial.said(KIND, Reply(refusal="No.")) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
