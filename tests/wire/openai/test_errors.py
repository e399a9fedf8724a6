"""Errors have the shape, the types and the codes that clients of this provider branch on, and no word of a test."""

from __future__ import annotations

import json

import pytest

from squall.call import BadRequest
from squall.wire.openai.errors import OpenAIShapes

shapes = OpenAIShapes()
STATUSES = (400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529)


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (400, "invalid_request_error", None),
        (401, "invalid_request_error", "invalid_api_key"),
        (403, "request_forbidden", None),
        (404, "invalid_request_error", None),
        (409, "invalid_request_error", None),
        (429, "requests", "rate_limit_exceeded"),
        (500, "server_error", None),
        (503, "server_error", None),
        (504, "server_error", None),
    ],
)
def test_type_and_code_follow_from_the_status(status, kind, code):
    body = shapes.error(BadRequest("Sorry.", status=status), "req_1")
    assert body == {"error": {"message": "Sorry.", "type": kind, "param": None, "code": code}}


def test_what_a_problem_states_is_told():
    problem = BadRequest("No.", param="n", code="c", kind="k")
    assert shapes.error(problem, "req_1")["error"] == {"message": "No.", "type": "k", "param": "n", "code": "c"}


def test_a_spent_quota_has_a_type_of_its_own():
    told = shapes.error(BadRequest("Pay.", status=429, code="insufficient_quota"), "req_1")["error"]
    assert (told["type"], told["code"]) == ("insufficient_quota", "insufficient_quota")


def test_each_status_has_its_own_words_and_none_speaks_of_a_test():
    words = [shapes.in_words(status) for status in STATUSES]
    assert len(set(words)) == len(STATUSES)
    assert not any(word in text.lower() for text in words for word in ("test", "mock", "inject", "fake", "squall"))


def test_a_status_without_words_gets_those_of_its_kind():
    assert shapes.in_words(418) == shapes.in_words(400)
    assert shapes.in_words(599) == shapes.in_words(500)


def test_a_stream_of_chat_ends_with_the_body_of_an_error():
    event = shapes.error_event(BadRequest("Sorry.", status=503), "req_1", "chat")
    assert json.loads(event.removeprefix(b"data: ")) == shapes.error(BadRequest("Sorry.", status=503), "req_1")
    assert event.endswith(b"\n\n")


def test_a_stream_of_a_response_ends_with_an_event_named_error():
    name, data = shapes.error_event(BadRequest("Sorry.", status=503), "req_1", "responses").strip().split(b"\n")
    assert name == b"event: error"
    told = json.loads(data.removeprefix(b"data: "))
    assert (told["type"], told["code"], told["message"]) == ("error", "server_error", "Sorry.")


def test_a_sign_of_life_is_a_comment():
    assert shapes.ping("chat") == b": keep-alive\n\n"


def test_each_answer_tells_its_id_and_what_is_left_of_the_limits():
    headers = shapes.headers("req_1")
    assert headers["x-request-id"] == "req_1"
    assert headers["openai-processing-ms"].isdigit()
    for what in ("requests", "tokens"):
        left, limit = (int(headers[f"x-ratelimit-{word}-{what}"]) for word in ("remaining", "limit"))
        assert 0 < left <= limit
        assert headers[f"x-ratelimit-reset-{what}"].endswith("ms")
    assert headers == shapes.headers("req_1")


def test_where_a_limit_is_reached_no_request_is_left_for_a_while():
    headers, spent = shapes.headers("req_1"), shapes.headers("req_1", spent=2.5)
    assert {name for name in headers if headers[name] != spent[name]} == {
        "x-ratelimit-remaining-requests",
        "x-ratelimit-reset-requests",
    }
    assert spent["x-ratelimit-remaining-requests"] == "0"
    assert spent["x-ratelimit-reset-requests"] == "2.5s"
