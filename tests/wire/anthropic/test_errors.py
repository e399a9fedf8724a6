"""What all of Anthropic's endpoints share: errors of its shape, pings, headers."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from anthropic.types import ErrorResponse

from squall.call import BadRequest
from squall.wire.anthropic.errors import AnthropicShapes

SHAPES = AnthropicShapes()


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (418, "invalid_request_error"),
        (422, "invalid_request_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (503, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
        (599, "api_error"),
    ],
)
def test_a_status_has_its_type_of_error_and_its_words(valid, status, kind):
    body = SHAPES.error(BadRequest(SHAPES.in_words(status), status=status), "req_1")
    found = valid(ErrorResponse, body)
    assert (found.error.type, found.request_id) == (kind, "req_1")
    assert found.error.message


def test_a_request_that_is_too_large_has_a_type_that_the_sdk_does_not_list():
    body = SHAPES.error(BadRequest("Too large", status=413), "req_1")
    assert body["error"] == {"type": "request_too_large", "message": "Too large"}


def test_an_error_may_name_its_type_itself_and_one_without_words_gets_some():
    assert SHAPES.error(BadRequest("x", kind="api_error"), "r")["error"]["type"] == "api_error"
    assert SHAPES.error(BadRequest("", status=429), "r")["error"]["message"] == SHAPES.in_words(429)


def test_nothing_in_the_words_says_that_it_is_a_test():
    words = " ".join(SHAPES.in_words(status) for status in range(400, 600)).lower()
    assert not any(told in words for told in ("test", "mock", "fake", "inject", "squall"))


def test_an_error_in_a_stream_is_an_event(valid):
    event = SHAPES.error_event(BadRequest("Overloaded", status=529), "req_1", "messages").decode()
    name, data = event.strip().split("\n")
    assert name == "event: error"
    assert valid(ErrorResponse, json.loads(data.removeprefix("data: "))).error.type == "overloaded_error"
    assert event.endswith("\n\n")


def test_a_ping_is_an_event():
    assert SHAPES.ping("messages") == b'event: ping\ndata: {"type":"ping"}\n\n'


def test_every_answer_tells_its_request_and_its_limits():
    told = SHAPES.headers("req_1")
    assert told["request-id"] == "req_1"
    assert int(told["anthropic-ratelimit-requests-remaining"]) < int(told["anthropic-ratelimit-requests-limit"])
    assert "anthropic-organization-id" in told
    assert not any(name.endswith("-reset") for name in told)


def test_where_there_is_a_clock_limits_tell_when_they_are_full_again():
    told = AnthropicShapes(lambda: datetime(2025, 6, 1, 12, 30, 15, tzinfo=UTC)).headers("req_1")
    assert told["anthropic-ratelimit-tokens-reset"] == "2025-06-01T12:31:00Z"


@pytest.mark.parametrize(
    ("spent", "reset"),
    [(0, "12:31:00"), (2.5, "12:31:00"), (44, "12:31:00"), (45, "12:32:00"), (90, "12:32:00"), (1e300, ":00Z")],
)
def test_where_a_limit_is_reached_no_request_is_left_for_a_while(spent, reset):
    now = datetime(2025, 6, 1, 12, 30, 15, 500_000, tzinfo=UTC)
    told = AnthropicShapes(lambda: now).headers("req_1", spent=spent)
    assert told["anthropic-ratelimit-requests-remaining"] == "0"
    assert reset in told["anthropic-ratelimit-requests-reset"]
    assert told["anthropic-ratelimit-tokens-remaining"] == "399999"
    assert "anthropic-ratelimit-requests-reset" not in SHAPES.headers("req_1", spent=spent)
