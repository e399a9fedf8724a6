"""What is a model's name and what a target gone wrong, `faults/model_names.py`."""

from __future__ import annotations

import pytest

from squall.call import MODEL_TARGETS
from squall.faults.model_names import may_be_model, may_be_operation, near_model_target

NAMES = [target.name for target in MODEL_TARGETS.values()]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("model.chta", "model.chat"),
        ("modle.chat", "model.chat"),
        ("model-chat", "model.chat"),
        ("models.message", "model.messages"),
        ("model", "model.*"),
        ("models", "model.*"),
        ("model.xxxxxxxxxxxxxxxxx", "model.*"),
        ("chat", "model.chat"),
        ("openai.chat", "model.chat"),
        ("embedding", "model.embeddings"),
    ],
)
def test_what_begins_or_ends_like_a_target_was_meant_to_be_one(text, near):
    assert near_model_target(text, NAMES) == near


@pytest.mark.parametrize(
    "text",
    [
        "gpt-5-mini",
        "gpt-4.1",
        "claude-sonnet-4-5",
        "text-embedding-3-small",
        "mock-chat",
        "mock-embedding",
        "mock-embedding-503",
        "openai/gpt-4o",
        "modelscope/qwen-3",
        "ft:gpt-4o-mini:acme::abc123",
        "o3",
    ],
)
def test_names_of_models_are_near_to_no_target(text):
    assert near_model_target(text, NAMES) is None
    assert may_be_model(text)
    assert not may_be_operation(text)


@pytest.mark.parametrize("text", ["", "gpt.*", "errors", "latency_ms", "rules", "kind", "probability"])
def test_patterns_and_keys_that_went_astray_are_no_models(text):
    assert not may_be_model(text)


@pytest.mark.parametrize("text", ["orders.get_order", "orders.*", "a.b"])
def test_an_operation_is_a_word_of_a_service(text):
    assert may_be_operation(text)
