"""Anthropic's list of models: pages of it, and one model."""

from __future__ import annotations

import pytest
from anthropic.types import ModelInfo

from squall.call import BadRequest
from squall.wire.anthropic import models

NAMES = [f"model-{number}" for number in range(5)]


def page(**query):
    found = models.page(NAMES, query)
    return [model["id"] for model in found["data"]], found["has_more"]


def test_each_model_is_one_of_the_sdks(valid):
    for body in models.page(NAMES, {})["data"]:
        assert valid(ModelInfo, body).display_name == body["id"]
    assert valid(ModelInfo, models.one(NAMES, "model-3")).id == "model-3"


def test_pages_go_forward_and_back():
    assert page() == (NAMES, False)
    assert page(limit="2") == (NAMES[:2], True)
    assert page(limit="2", after_id="model-1") == (NAMES[2:4], True)
    assert page(limit="2", after_id="model-2") == (NAMES[3:], False)
    assert page(limit="2", before_id="model-3") == (NAMES[1:3], True)
    assert page(limit="2", before_id="model-2") == (NAMES[:2], False)


def test_a_page_may_have_two_ends_and_nothing_is_beyond_a_model_that_is_not_there():
    assert page(after_id="model-0", before_id="model-3") == (NAMES[1:3], False)
    assert page(after_id="nobody") == page(before_id="nobody") == ([], False)


def test_a_page_names_its_ends():
    found = models.page(NAMES, {"limit": "3"})
    assert (found["first_id"], found["last_id"]) == ("model-0", "model-2")
    assert models.page([], {}) == {"data": [], "has_more": False, "first_id": None, "last_id": None}


def test_all_models_are_active():
    assert page(lifecycle="active") == (NAMES, False)
    assert page(**{"lifecycle[]": "retired"}) == ([], False)


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "1001"}, "limit"),
        ({"limit": "two"}, "limit"),
        ({"limit": "²"}, "limit"),
        ({"limit": "9" * 5000}, "limit"),
        ({"lifecycle": "young"}, "lifecycle"),
    ],
)
def test_a_page_that_cannot_be_is_refused(query, param):
    with pytest.raises(BadRequest) as refused:
        models.page(NAMES, query)
    assert (refused.value.status, refused.value.param) == (400, param)


def test_a_model_that_is_not_there_is_not_found():
    with pytest.raises(BadRequest, match="nobody") as refused:
        models.one(NAMES, "nobody")
    assert refused.value.status == 404
