"""Which request is answered by whom, and what is said to those that nobody answers."""

from __future__ import annotations

from typing import Any

import pytest

from squall.interpose import counters
from squall.models import Script, say
from tests.wire.provider.conftest import BODIES, HELLO, PATHS

ANTHROPIC = {"anthropic_version": "2023-06-01"}


def test_health_is_told_without_a_key(made):
    client = made(require_key=True)
    assert client.ask("GET", "/_mock/health").json == {"status": "ok"}


@pytest.mark.parametrize(
    ("method", "path", "words"),
    [
        ("GET", "/", "unknown request URL: GET /"),
        ("POST", "/v1/chat/completion", "did you mean /v1/chat/completions?"),
        ("POST", "/v1/v1/responses", "did you mean /v1/responses?"),
        ("POST", "/v1/chat/completions/", "did you mean /v1/chat/completions?"),
        ("POST", "/chat/completions", "the base URL of this provider ends with /v1"),
        ("POST", "/messages", "the base URL of this provider ends with /v1"),
        ("GET", "/v1/files", "unknown request URL: GET /v1/files"),
        ("GET", "/v1/models/", "did you mean /v1/models?"),
        ("DELETE", "/_mock/scopes/", "unknown request URL"),
    ],
)
def test_an_unknown_url_is_404_with_what_may_be_meant(client, method, path, words):
    answered = client.ask(method, path)
    assert answered.status == 404
    assert words in answered.message
    assert answered.json["error"]["code"] == "unknown_url"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/chat/completions", "POST, GET"),
        ("GET", "/v1/embeddings", "POST"),
        ("OPTIONS", "/v1/messages", "POST"),
        ("PATCH", "/v1/models/m", "GET, DELETE"),
        ("POST", "/_mock/health", "GET"),
        ("GET", "/_mock/scopes/a", "DELETE"),
        ("HEAD", "/v1/messages", "POST"),
    ],
)
def test_a_wrong_method_is_405_with_the_right_ones(client, method, path, allowed):
    answered = client.ask(method, path)
    assert (answered.status, answered.headers["allow"]) == (405, allowed)
    if method == "HEAD":
        assert answered.body == b""
    else:
        assert answered.message == f"{method} is not allowed at {path}, which takes {allowed}"


def test_a_head_is_that_of_the_whole_answer(client):
    head, whole = client.ask("HEAD", "/v1/models"), client.ask("GET", "/v1/models")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == whole.headers["content-length"] == str(len(whole.body))


@pytest.mark.parametrize(("headers", "openai"), [({}, True), (ANTHROPIC, False)])
def test_models_are_listed_in_the_words_of_whoever_asks(made, headers, openai):
    client = made()
    client.provider.listed = ("one", "two")
    listed = client.ask("GET", "/v1/models", **headers).json
    assert [each["id"] for each in listed["data"]] == ["one", "two"]
    assert (listed.get("object") == "list") == openai
    assert ("has_more" in listed) != openai


@pytest.mark.parametrize("headers", [{}, ANTHROPIC])
@pytest.mark.parametrize("name", ["two", "ft:gpt-9:me::1", "maker/model-1"])
def test_any_model_is_there_unless_that_matters(made, headers, name):
    client, strict = made(), made(strict_models=True)
    strict.provider.listed = ("two",)
    assert client.ask("GET", f"/v1/models/{name}", **headers).json["id"] == name
    assert strict.ask("GET", f"/v1/models/{name}", **headers).status == (200 if name == "two" else 404)


@pytest.mark.parametrize("endpoint", list(BODIES))
def test_unlisted_models_are_not_asked_where_models_are_strict(made, endpoint):
    client = made(strict_models=True)
    client.provider.listed = ("n",)
    refused = client.on(endpoint)
    assert refused.status == 404
    assert "'m' does not exist" in refused.message
    assert client.provider.side.attempts == 0
    assert client.on(endpoint, model="n").status == 200


@pytest.mark.parametrize(
    ("path", "named", "headers"),
    [
        ("/v1/messages/count_tokens", {"messages": HELLO}, ANTHROPIC),
        ("/v1/responses/input_tokens", {"input": "hello"}, {}),
    ],
)
def test_of_unlisted_models_no_tokens_are_counted_where_models_are_strict(made, path, named, headers):
    client, strict = made(), made(strict_models=True)
    strict.provider.listed = ("n",)
    assert client.ask("POST", path, {"model": "m", **named}, **headers).status == 200
    refused = strict.ask("POST", path, {"model": "m", **named}, **headers)
    assert (refused.status, "'m' does not exist" in refused.message) == (404, True)
    assert strict.ask("POST", path, {"model": "n", **named}, **headers).status == 200


def test_the_tokens_of_an_input_for_no_model_are_counted_all_the_same(made):
    strict = made(strict_models=True)
    assert strict.ask("POST", "/v1/responses/input_tokens", {"input": "hello"}).status == 200


@pytest.mark.parametrize("name", ["a b", "x" * 129, "ü", "a(b)"])
def test_what_is_no_scope_cannot_be_released(client, name):
    refused = client.ask("DELETE", f"/_mock/scopes/{name}")
    assert refused.status == 400
    assert "a scope is 1 to 128 of the characters" in refused.message


def test_a_scope_is_released_and_begins_anew(made):
    client = made({"model.chat": [{"kind": "http_503", "first": 1}]})
    assert [client.chat(mock_scope="a").status for _ in range(2)] == [503, 200]
    assert client.chat(mock_scope="a", model="n").status == 503
    assert client.chat(mock_scope="b").status == 503
    assert client.ask("DELETE", "/_mock/scopes/a").json == {"scope": "a", "released": 2}
    assert client.ask("DELETE", "/_mock/scopes/a").json == {"scope": "a", "released": 0}
    assert client.chat(mock_scope="a").status == 503
    assert client.chat(mock_scope="b").status == 200


@pytest.mark.parametrize("endpoint", list(BODIES))
def test_a_new_scope_that_has_no_room_is_refused_in_the_providers_words_until_one_is_released(
    made, monkeypatch, endpoint
):
    monkeypatch.setattr(counters, "MOST", 2)
    client = made({"model.*": [{"kind": "http_503", "first": 1}]})
    assert [client.on(endpoint, mock_scope=name).status for name in "ab"] == [503, 503]
    refused = client.on(endpoint, mock_scope="c")
    assert refused.status == 400
    assert "DELETE /_mock/scopes/ID" in refused.message
    assert ("request_id" in refused.json) == (endpoint == "messages")
    assert client.on(endpoint, mock_scope="a").status == 200
    assert client.provider.side.attempts == 3
    assert client.ask("DELETE", "/_mock/scopes/b").json == {"scope": "b", "released": 1}
    assert [client.on(endpoint, mock_scope="c").status for _ in range(2)] == [503, 200]
    assert client.on(endpoint, mock_scope="b").status == 400


def test_a_request_that_is_refused_consumes_none_of_a_scopes_sequence(made):
    client = made({"model.chat": [{"kind": "http_503", "first": 1}]})
    refused: list[dict[str, Any]] = [{"temperature": 9}, {"messages": []}, {"mock_scope": "?"}, {"nope": 1}]
    for wrong in refused:
        assert client.chat(**{"mock_scope": "a", **wrong}).status == 400
    assert [client.chat(mock_scope="a").status for _ in range(2)] == [503, 200]


def test_counters_of_a_scope_go_after_an_idle_hour(made):
    client = made({"model.chat": [{"kind": "http_503", "first": 1}]})
    assert [client.chat(mock_scope="a").status for _ in range(2)] == [503, 200]
    client.clock.advance(3600)
    assert client.chat(mock_scope="a").status == 200
    client.clock.advance(3601)
    assert client.ask("DELETE", "/_mock/scopes/a").json["released"] == 0
    assert [client.chat(mock_scope="a").status for _ in range(2)] == [503, 200]


@pytest.mark.parametrize(
    ("more", "headers", "scope"),
    [
        ({}, {}, ""),
        ({}, {"x_squall_scope": "h"}, "h"),
        ({"mock_scope": "b"}, {"x_squall_scope": "h"}, "b"),
        ({"messages": [{"role": "user", "content": "SQUALL_SCOPE=m hello"}]}, {"x_squall_scope": "h"}, "m"),
        ({"mock_scope": "b", "messages": [{"role": "user", "content": "SQUALL_SCOPE=m hello"}]}, {}, "b"),
    ],
)
def test_the_most_explicit_scope_counts(client, more, headers, scope):
    assert client.ask("POST", PATHS["chat"], BODIES["chat"] | more, **headers).status == 200
    assert client.provider.side.requests[0].scope == scope


@pytest.mark.parametrize("scope", ["", "a b", "x" * 129, 5, "ü"])
def test_what_is_no_scope_is_refused(client, scope):
    assert client.chat(mock_scope=scope).status == 400
    assert client.provider.side.attempts == 0


def test_a_kept_completion_comes_back(client):
    made = client.chat(store=True).json
    assert client.ask("GET", f"/v1/chat/completions/{made['id']}").json["id"] == made["id"]
    assert [each["id"] for each in client.ask("GET", "/v1/chat/completions").json["data"]] == [made["id"]]
    assert client.ask("DELETE", f"/v1/chat/completions/{made['id']}").json["deleted"] is True
    assert client.ask("GET", f"/v1/chat/completions/{made['id']}").status == 404


def test_tokens_are_counted_and_no_attempt_is(made):
    client = made(brain=Script(say("x")))
    asked = {name: value for name, value in BODIES["messages"].items() if name != "max_tokens"}
    assert client.ask("POST", "/v1/messages/count_tokens", asked, **ANTHROPIC).json["input_tokens"] > 0
    assert client.ask("POST", "/v1/responses/input_tokens", BODIES["responses"]).json["input_tokens"] > 0
    assert client.provider.side.attempts == 0
