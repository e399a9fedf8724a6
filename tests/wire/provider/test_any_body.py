"""Whatever is asked, there is an answer in the provider's shape: hostile bodies, headers and paths."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squall.models import Echo
from tests.wire.provider.conftest import BODIES, PATHS

FIELDS = (
    "model messages input tools tool_choice stream stream_options response_format text n stop stop_sequences user "
    "max_completion_tokens max_output_tokens temperature metadata dimensions encoding_format system mock_scope store "
    "previous_response_id parallel_tool_calls thinking instructions background include reasoning max_tokens logprobs"
).split()
WORDS = st.sampled_from(
    [
        "",
        "auto",
        "required",
        "none",
        "user",
        "assistant",
        "tool",
        "system",
        "text",
        "function",
        "json_schema",
        "hi",
        "é🐢",
    ]
)
KEYS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "name",
        "function",
        "parameters",
        "tool_calls",
        "tool_call_id",
        "id",
        "schema",
        "x",
    ]
)
LEAVES = st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | WORDS
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
OFTEN = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def client(made):
    return made(brain=Echo())


def headers_of(endpoint: str) -> dict[str, str]:
    return {"anthropic_version": "2023-06-01"} if endpoint == "messages" else {}


@pytest.mark.parametrize("endpoint", list(BODIES))
@OFTEN
@given(changes=st.dictionaries(st.sampled_from(FIELDS), JSON, min_size=1, max_size=3))
def test_any_change_of_a_body_is_answered_or_refused(client, endpoint, changes: dict[str, Any]):
    failed, attempts = list(client.provider.failures), client.provider.side.attempts
    answered = client.ask("POST", PATHS[endpoint], BODIES[endpoint] | changes, **headers_of(endpoint))
    fails = client.provider.failures[len(failed) :]
    if answered.status == 200:
        assert client.provider.side.exchanges[-1].ok
        assert client.provider.side.attempts == attempts + 1
    else:
        assert answered.status in (400, 404)
        assert answered.message
        # what comes back is what the user said, which may be no instance of a schema that was asked for
        assert all(type(each).__name__ == "UnfitAnswer" for each in fails)


@pytest.mark.parametrize("endpoint", list(BODIES))
@OFTEN
@given(body=st.binary(max_size=60) | JSON)
def test_any_body_is_answered_or_refused(client, endpoint, body):
    answered = client.ask("POST", PATHS[endpoint], b"" if body is None else body, **headers_of(endpoint))
    assert answered.status == 400
    assert answered.message
    assert client.provider.failures == []


@OFTEN
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "ÄÖ"]),
    path=st.lists(
        st.sampled_from(
            ["v1", "chat", "completions", "models", "responses", "messages", "_mock", "scopes", "..", "", "é"]
        ),
        max_size=6,
    ),
)
def test_any_path_is_answered(client, method, path):
    answered = client.ask(method, "/" + "/".join(path))
    assert answered.status in (200, 400, 403, 404, 405)
    assert client.provider.failures == []
