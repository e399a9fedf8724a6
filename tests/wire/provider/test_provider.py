"""What a provider says no to, in whose words, and what it keeps."""

from __future__ import annotations

import json

import pytest

from squall.models import Script, say
from squall.models.named import NamedModel
from squall.wire.http.steps import Disconnected, HttpRequest, Malformed, Stopped
from squall.wire.provider.unasked import Unasked
from tests.wire.provider.conftest import BODIES, PATHS

VERSION = {"anthropic_version": "2023-06-01"}


@pytest.mark.parametrize("endpoint", list(BODIES))
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer x"}, 200),
        ({"x_api_key": "x"}, 200),
        ({"api_key": "x"}, 200),
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": "Bearer", "x_api_key": " "}, 401),
    ],
)
def test_a_key_is_asked_for_where_one_is_required(made, endpoint, headers, status):
    client = made(require_key=True)
    version = VERSION if endpoint == "messages" else {}
    answered = client.ask("POST", PATHS[endpoint], BODIES[endpoint], **headers, **version)
    assert answered.status == status
    if status == 401:
        assert ("type" in answered.json) == (endpoint == "messages")
        kind = answered.json["error"]["type"]
        assert kind == ("authentication_error" if endpoint == "messages" else "invalid_request_error")
        assert client.provider.side.attempts == 0


def test_nobody_needs_a_key_otherwise(client):
    assert client.chat().status == 200


@pytest.mark.parametrize(
    ("path", "shape"), [("/v1/messages", "anthropic"), ("/v1/chat/completions", "openai"), ("", "openai")]
)
def test_what_is_no_request_is_refused_in_the_words_of_its_path(client, path, shape):
    data = client.provider.refuse(Malformed(413, "too much", path))
    head, _, body = data.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in head
    assert (json.loads(body).get("type") == "error") == (shape == "anthropic")
    assert json.loads(body)["error"]["message"] == "too much"


def test_every_answer_has_a_request_id_of_its_own_and_the_same_in_every_run(made):
    def ids(client):
        asked = [client.chat(), client.chat(), client.ask("GET", "/v1/models"), client.ask("GET", "/v1/models")]
        asked += [client.chat(model=5), client.chat(model=5)]
        return [each.headers["x-request-id"] for each in asked]

    assert len(set(ids(made()))) == 6
    assert ids(made()) == ids(made())
    assert ids(made(seed=1)) != ids(made())


def test_errors_name_the_request_as_the_headers_do(client):
    refused = client.on("messages", model=5)
    assert refused.status == 400
    assert refused.headers["request-id"] == refused.json["request_id"]


def test_whoever_wants_to_hear_of_refusals_does(client, clock):
    heard = []
    client.provider.on_refused.append(lambda *about: heard.append(about))
    clock.advance(3)
    refused = client.chat(model=5)
    client.chat()
    ((t, path, asked, headers, status, body),) = heard
    assert (t, path, status, body) == (3.0, PATHS["chat"], 400, refused.json)
    assert asked == BODIES["chat"] | {"model": 5}
    assert headers["x-stainless-retry-count"] == "0"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 999, b"\xff"])
def test_of_a_body_that_is_no_object_they_hear_nothing(client, body):
    heard = []
    client.provider.on_refused.append(lambda *about: heard.append(about))
    assert client.ask("POST", PATHS["chat"], body).status == 400
    assert heard[0][2] is None


def test_whoever_wants_to_hear_of_what_asks_no_model_anything_does(client, clock):
    heard: list[Unasked] = []
    client.provider.on_unasked.append(heard.append)
    clock.advance(3)
    client.chat()
    client.chat(model=5)
    listed = client.ask("GET", "/v1/models", x_squall_scope="run17", authorization="Bearer sk-hidden")
    body = {name: BODIES["messages"][name] for name in ("model", "messages")} | {"mock_scope": "run18"}
    counted = client.ask("POST", "/v1/messages/count_tokens", body, **VERSION)
    released = client.ask("DELETE", "/_mock/scopes/run19")
    client.ask("GET", "/v1/models", x_squall_scope="no scope")
    assert client.ask("GET", "/v1/nothing").status == 404
    assert [(each.path, each.scope, each.status, each.complete, each.disconnected) for each in heard] == [
        ("/v1/models", "run17", 200, True, False),
        ("/v1/messages/count_tokens", "run18", 200, True, False),
        ("/_mock/scopes/run19", "run19", 200, True, False),
        ("/v1/models", None, 200, True, False),
    ]
    assert [each.response for each in heard[:3]] == [listed.json, counted.json, released.json]
    assert [each.asked for each in heard[:3]] == [None, body, None]
    assert (heard[0].began, heard[0].headers) == (3.0, {"x-squall-scope": "run17"})
    assert client.provider.side.attempts == 1


def test_a_stream_of_a_kept_response_is_told_as_if_it_had_been_none(client):
    heard: list[Unasked] = []
    client.provider.on_unasked.append(heard.append)
    made = client.on("responses", store=True).json
    list(client.provider.answer(HttpRequest("GET", f"/v1/responses/{made['id']}", {"stream": "true"}, {}, b"")))
    assert client.ask("GET", f"/v1/responses/{made['id']}").json == heard[0].response == heard[1].response


@pytest.mark.parametrize(("error", "by_client"), [(Disconnected(), True), (Stopped(), False)])
def test_a_client_that_leaves_what_asks_no_model_anything_is_told_apart_from_an_end(client, error, by_client):
    heard: list[Unasked] = []
    client.provider.on_unasked.append(heard.append)
    steps = client.provider.answer(HttpRequest("GET", "/v1/models", {}, {}, b""))
    next(steps)
    with pytest.raises(Disconnected):
        steps.throw(error)
    assert [(each.complete, each.disconnected) for each in heard] == [(False, by_client)]


def test_a_brain_of_a_file_brings_its_models_and_how_strict_it_is(client):
    script = Script(say("x"))
    client.provider.use(script)
    assert (client.provider.strict_history, client.provider.models) == (True, [])
    vars(script).update(strict_history=False, models=["a", "b"])
    client.provider.use(script)
    assert (client.provider.strict_history, client.provider.models) == (False, ["a", "b"])


def test_a_model_with_a_script_of_its_own_is_as_strict_as_that_says(client):
    broken = [{"role": "user", "content": "a"}, {"role": "tool", "tool_call_id": "c", "content": "b"}]
    for name, strict in (("strict", True), ("lax", False)):
        brain = Script(say("x"))
        vars(brain).update(strict_history=strict)
        client.provider.named[name] = NamedModel(brain)
    for general in (True, False):
        client.provider.strict_history = general
        assert client.chat(model="strict", messages=broken).status == 400
        assert client.chat(model="lax", messages=broken).status == 200
        assert client.chat(messages=broken).status == (400 if general else 200)


def test_a_bug_of_ones_own_breaks_the_connection_and_fails_the_run(client, monkeypatch):
    broken = RuntimeError("no body")

    def whole(*_args):
        raise broken

    monkeypatch.setattr("squall.wire.openai.chat.Chat.whole", whole)
    with pytest.raises(RuntimeError, match="no body"):
        client.chat()
    assert client.provider.failures == [broken]
    assert not client.provider.side.exchanges[0].ok
