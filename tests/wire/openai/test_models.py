"""Models are told as the SDK knows them, and only fine-tuned ones can go away."""

from __future__ import annotations

import pytest
from openai.types import Model, ModelDeleted
from pydantic import TypeAdapter

from squall.call import BadRequest
from squall.wire.openai import models


def test_models_are_listed_in_order():
    body = models.listing(["mock-chat", "mock-embedding"])
    found = TypeAdapter(list[Model]).validate_python(body["data"], strict=True)
    assert [model.id for model in found] == ["mock-chat", "mock-embedding"]
    assert body["object"] == "list"


def test_a_fine_tuned_model_can_be_deleted():
    body = models.deleted("ft:gpt-4o-mini:acemeco:suffix:abc123")
    assert TypeAdapter(ModelDeleted).validate_python(body, strict=True).deleted


def test_another_model_cannot():
    with pytest.raises(BadRequest) as caught:
        models.deleted("gpt-4o")
    assert caught.value.status == 403


def test_a_model_that_is_not_there_is_refused_by_its_name():
    problem = models.not_found("gpt-9")
    assert (problem.status, problem.code, problem.param) == (404, "model_not_found", "model")
    assert "'gpt-9'" in problem.message
