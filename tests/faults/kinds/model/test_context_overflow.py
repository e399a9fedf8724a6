"""The kind `context_overflow` of models."""

from __future__ import annotations

from squall.faults.at_model import Refuse
from squall.faults.kinds.model.context_overflow import KIND


def test_openai_says_it_by_a_code(trial):
    action = trial.at_model(KIND, "model.chat")
    assert (action.status, action.code) == (400, "context_length_exceeded")
    assert "maximum context length is 128000 tokens" in action.message
    assert "8192 tokens" in trial.at_model(KIND, "model.embeddings").message


def test_anthropic_says_it_in_its_own_words(trial):
    action = trial.at_model(KIND, "model.messages", window=1000)
    assert action == Refuse(400, message="prompt is too long: 1050 tokens > 1000 maximum")


def test_its_example_parses(trial):
    assert trial.example(KIND)
