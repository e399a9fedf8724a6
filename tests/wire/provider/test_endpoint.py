"""One request from its body to what is recorded of it."""

from __future__ import annotations

import json

import pytest

from squall.call import BadRequest, Reply
from squall.errors import LimitReached, UsageError
from squall.models import NoMatch, PythonBrain, Script, builtin, call, calls, say
from squall.wire.http.steps import Fin, Reset, Stopped, Wait
from tests.wire.provider.conftest import BODIES, HELLO, PATHS, last

ENDPOINTS = list(BODIES)
ASKING = ["chat", "responses", "messages"]


def brain(fn):
    return PythonBrain(fn)


def told(client):
    return [each.told() for each in last(client).happened]


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_each_endpoint_answers_and_counts_an_attempt(client, endpoint):
    answered = client.on(endpoint)
    assert answered.status == 200
    exchange = last(client)
    assert (exchange.call, exchange.attempt, exchange.number, exchange.target.name) == (1, 1, 1, f"model.{endpoint}")
    assert (exchange.status, exchange.complete, exchange.ok, exchange.happened) == (200, True, True, [])
    assert exchange.response == answered.json


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1]", "JSON object"),
        (b'"text"', "JSON object"),
        (b'{"model": "\xff"}', "not JSON"),
        (b'{"model": "\\ud800"}', "not JSON"),
        (b'{"model": NaN}', "not JSON"),
        (b'{"a":' * 100_000, "256 levels"),
        (b'{"messages":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "256 levels"),
    ],
)
def test_what_is_no_json_object_is_refused_and_consumes_no_attempt(client, endpoint, body, words):
    answered = client.ask("POST", PATHS[endpoint], body)
    assert answered.status == 400
    assert words in answered.message
    assert client.provider.side.attempts == 0
    assert client.provider.failures == []


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_a_refused_request_consumes_no_attempt_and_leaves_no_trace(made, endpoint):
    client = made({f"model.{endpoint}": [{"kind": "http_503", "first": 1}]})
    refused = client.ask("POST", PATHS[endpoint], {"model": "m"})
    assert refused.status == 400
    assert (client.provider.side.attempts, client.provider.side.requests, len(client.provider.side.trace)) == (0, [], 0)
    assert client.on(endpoint).status == 503  # the first that counts


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("depth", [60, 300, 600, 900, 990])
def test_json_nearly_as_deep_as_python_goes_is_answered_or_refused(client, endpoint, depth):
    start = json.dumps(BODIES[endpoint]).encode()[:-1]
    headers = {"anthropic_version": "2023-06-01"} if endpoint == "messages" else {}
    for name in (b"metadata", b"tools", b"input", b"messages", b"whatever"):
        body = start + b', "' + name + b'":' + b"[" * depth + b"]" * depth + b"}"
        assert client.ask("POST", PATHS[endpoint], body, **headers).status in (200, 400)
    assert client.provider.failures == []


@pytest.mark.parametrize(("objects", "status"), [(100, 200), (125, 200), (126, 400), (240, 400), (2000, 400)])
@pytest.mark.parametrize("model", ["m", "mock-tool"])
def test_a_schema_is_taken_as_deep_as_a_body_may_be(made, model, objects, status):
    client = made(named=builtin.models())
    schema = '{"type":"object","properties":{"in":' * objects + "{}" + '},"required":["in"]}' * objects
    tools = [{"type": "function", "function": {"name": "go", "parameters": "SCHEMA"}}]
    body = json.dumps({"model": model, "messages": HELLO, "tools": tools}).replace('"SCHEMA"', schema)
    answered = client.ask("POST", PATHS["chat"], body.encode())
    assert answered.status == status
    if status == 400:
        assert answered.message == "the body has more than 256 levels of objects and arrays"
    assert client.provider.failures == []


def test_a_large_body_is_answered(client):
    answered = client.chat(messages=[{"role": "user", "content": "word " * 400_000}])
    assert answered.status == 200
    assert answered.json["usage"]["prompt_tokens"] > 100_000


def test_unicode_goes_there_and_back(made):
    text = "Żółw 🐢 \u2028 \x00 end"
    client = made(brain=brain(lambda request: request.messages[-1].text))
    assert client.chat(messages=[{"role": "user", "content": text}]).json["choices"][0]["message"]["content"] == text


def test_a_broken_conversation_is_refused_unless_history_may_be_anything(made):
    messages = [*HELLO, {"role": "tool", "tool_call_id": "nobody", "content": "x"}]
    strict, lax = made(), made(strict_history=False)
    assert strict.chat(messages=messages).status == 400
    assert strict.provider.side.attempts == 0
    assert lax.chat(messages=messages).status == 200


# what the brain says


@pytest.mark.parametrize("endpoint", ASKING)
def test_an_async_brain_is_waited_for(made, endpoint):
    async def slow(_request):
        return "from afar"

    answered = made(brain=brain(slow)).on(endpoint)
    assert answered.kinds == ["Await", "Send"]
    assert b"from afar" in answered.body


def test_n_choices_are_all_the_same_and_all_counted(client):
    one, three = client.chat().json, client.chat(n=3).json
    assert [choice["message"]["content"] for choice in three["choices"]] == ["hello there"] * 3
    assert [choice["index"] for choice in three["choices"]] == [0, 1, 2]
    assert three["usage"]["completion_tokens"] == 3 * one["usage"]["completion_tokens"]


def test_a_stop_sequence_ends_the_text(client):
    choice = client.chat(stop=[" there"]).json["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("hello", "stop")


def test_max_tokens_cuts_the_text(client):
    answered = client.chat(max_tokens=1).json
    assert answered["choices"][0]["finish_reason"] == "length"
    assert answered["choices"][0]["message"]["content"] != "hello there"
    assert answered["usage"]["completion_tokens"] == 1


SCHEMA = {
    "type": "object",
    "properties": {"total": {"type": "integer", "minimum": 3}},
    "required": ["total"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "sum", "schema": SCHEMA, "strict": True}}


@pytest.mark.parametrize(("text", "fits"), [('{"total": 3}', True), ('{"total": 2}', False), ("three", False)])
def test_a_structured_answer_has_to_fit_the_requests_schema(made, text, fits):
    client = made(brain=Script(say(text)))
    answered = client.chat(response_format=FORMAT)
    assert answered.status == (200 if fits else 400)
    assert len(client.provider.failures) == (0 if fits else 1)
    if not fits:
        assert "no instance of the request's JSON Schema" in answered.message
        assert "total" in answered.message or "not JSON" in answered.message
        assert (last(client).ok, last(client).error) == (False, answered.message)


def test_an_answer_that_is_cut_off_on_purpose_need_not_fit(made):
    client = made(brain=Script(say('{"tot', finish_reason="length")))
    assert client.chat(response_format=FORMAT).json["choices"][0]["finish_reason"] == "length"


def test_where_the_brain_gives_no_text_a_minimal_instance_is_made(made):
    client = made(brain=brain(lambda _: Reply()))
    assert json.loads(client.chat(response_format=FORMAT).json["choices"][0]["message"]["content"]) == {"total": 3}


def test_calls_and_refusals_need_not_fit_a_schema(made):
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    client = made(brain=Script(call("look")))
    assert client.chat(response_format=FORMAT, tools=tools).json["choices"][0]["finish_reason"] == "tool_calls"
    client = made(brain=brain(lambda _: Reply(refusal="no")))
    assert client.chat(response_format=FORMAT).json["choices"][0]["message"]["refusal"] == "no"


# who has no answer


@pytest.mark.parametrize("endpoint", ASKING)
@pytest.mark.parametrize("stream", [False, True])
def test_a_request_that_nothing_matches_is_an_error_of_the_providers_and_a_failure(made, endpoint, stream):
    def nothing(_request):
        raise NoMatch("no rule matches", "rule 2 comes nearest, but the text is not 'bye'")

    client = made(brain=brain(nothing))
    answered = client.on(endpoint, stream=stream)
    assert answered.status == 400
    assert answered.message == "no rule matches: rule 2 comes nearest, but the text is not 'bye'"
    assert [type(each) for each in client.provider.failures] == [NoMatch]
    assert (last(client).status, last(client).ok, last(client).complete) == (400, False, True)


def test_a_provider_without_a_brain_says_so(made):
    client = made()
    client.provider.brain = None
    answered = client.chat()
    assert answered.status == 400
    assert answered.message.startswith(
        "nobody answers for the model 'm': no script, rules or brain was given. Say what"
    )
    for how in ('model.script(say("…"))', "squall.models", "squall model --script FILE"):
        assert how in answered.message
    assert client.on("embeddings").status == 200


@pytest.mark.parametrize("endpoint", ASKING)
@pytest.mark.parametrize(
    "raised", [KeyError("k"), AssertionError(), SystemExit(1), UsageError("odd"), BadRequest("mine")]
)
def test_a_bug_in_the_brain_is_a_plain_500_and_a_failure(made, endpoint, raised):
    def broken(_request):
        raise raised

    client = made(brain=brain(broken))
    answered = client.on(endpoint)
    assert answered.status == 500
    assert client.provider.failures == [raised]
    assert repr(raised) not in answered.message


@pytest.mark.parametrize("raised", [KeyboardInterrupt, LimitReached])
def test_what_ends_the_run_is_no_bug_of_the_brain(made, raised):
    def ends(_request):
        raise raised

    client = made(brain=brain(ends))
    with pytest.raises(raised):
        client.chat()
    assert client.provider.failures == []
    assert not last(client).ok


@pytest.mark.parametrize("returned", [None, 5, Reply(text=5), [say("x")]])  # type: ignore[arg-type]  # what is wrong
def test_what_is_no_reply_is_a_bug_of_the_brain(made, returned):
    client = made(brain=brain(lambda _: returned))
    assert client.chat().status == 500
    assert "returned" in str(client.provider.failures[0])


# the weather


@pytest.mark.parametrize(
    ("rule", "hits"),
    [
        ({"nth": 2}, "_x____"),
        ({"nth": 2, "times": 3}, "_xxx__"),
        ({"times": 2}, "xx____"),
        ({"first": 4}, "xxxx__"),
        ({"every": 2}, "_x_x_x"),
        ({"probability": 1}, "xxxxxx"),
        ({"probability": 0}, "______"),
        ({}, "xxxxxx"),
        ({"when": {"model": ["m", "other"]}}, "xxxxxx"),
        ({"when": {"model": "other"}}, "______"),
        ({"when": {"stream": True}}, "__x__x"),
        ({"nth": 2, "when": {"stream": True}}, "_____x"),
        ({"scope": "one"}, "x__x__"),
        ({"first": 1, "scope": "one"}, "x_____"),
    ],
    ids=str,
)
@pytest.mark.parametrize("target", ["model.chat", "model.*"])
def test_each_word_of_the_rules_chooses_among_requests_to_models(made, target, rule, hits):
    client = made([{"target": target, "kind": "http_503", **rule}])
    scoped = "scope" in rule
    found = [
        client.chat(stream=number % 3 == 2, **({"mock_scope": ["one", "two", "three"][number % 3]} if scoped else {}))
        for number in range(6)
    ]
    assert "".join("x" if each.status == 503 else "_" for each in found) == hits


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_a_status_comes_in_the_providers_shape(made, endpoint):
    client = made({f"model.{endpoint}": [{"kind": "http_503", "first": 1}]})
    answered = client.on(endpoint)
    assert answered.status == 503
    error = answered.json["error"]
    assert error["message"]
    assert ("request_id" in answered.json) == (endpoint == "messages")
    assert ("param" in error) == (endpoint != "messages")
    assert told(client) == [{"fault": "http_503", "rule": 0}]
    assert (last(client).ok, last(client).error) == (False, error["message"])
    assert client.on(endpoint, retries=1).status == 200
    assert [(each.call, each.attempt) for each in client.provider.side.exchanges] == [(1, 1), (1, 2)]


@pytest.mark.parametrize(
    ("rule", "reset"),
    [
        ({"kind": "http_429", "retry_after": "20s"}, "20s"),
        ({"kind": "http_429", "retry_after_ms": 1500}, "1.5s"),
        ({"kind": "http_429"}, "1s"),
        ({"kind": "http_503", "retry_after": "20s"}, None),
    ],
)
def test_who_asks_too_often_has_no_request_left_until_then(made, rule, reset):
    client = made({"model.chat": [{**rule, "first": 1}]})
    headers = client.chat().headers
    calm = client.chat().headers
    for name, value in (("remaining", reset and "0"), ("reset", reset)):
        header = f"x-ratelimit-{name}-requests"
        assert headers[header] == (value or calm[header])
        assert calm[header] != value


def test_latency_passes_before_anything_is_sent(made, clock):
    client = made({"model.chat": {"latency_ms": [250, 250]}})
    answered = client.chat()
    assert answered.kinds == ["Wait", "Send"]
    assert clock.elapsed() == 0.25
    assert told(client) == []


def test_a_slow_reply_says_how_long_it_took(made):
    client = made({"model.chat": [{"kind": "latency", "seconds": 30, "first": 1}]})
    answered = client.chat()
    assert answered.kinds == ["Wait", "Send"]
    assert told(client) == [{"fault": "latency", "rule": 0, "seconds": 30.0}]


def test_a_rate_limit_refuses_with_the_seconds_that_it_takes(made, clock):
    client = made({"model.chat": {"rate_limit": {"calls": 2, "per_seconds": 60}}})
    assert [client.chat().status for _ in range(2)] == [200, 200]
    clock.advance(58)
    refused = client.chat()
    assert (refused.status, refused.headers["retry-after"]) == (429, "2")
    clock.advance(1.5)
    assert client.chat().headers["retry-after"] == "1"
    assert client.chat().headers["x-ratelimit-remaining-requests"] == "0"
    clock.advance(0.5)
    assert client.chat().status == 200
    assert told(client) == []


def test_a_rate_limit_is_counted_per_model_and_scope(made):
    client = made({"model.chat": {"rate_limit": {"calls": 1, "per_seconds": 60}}})
    statuses = [
        client.chat(**more).status for more in ({}, {}, {"model": "other"}, {"mock_scope": "a"}, {"mock_scope": "a"})
    ]
    assert statuses == [200, 429, 200, 200, 429]


def test_silence_ends_with_the_connection_and_says_who_ended_it(made):
    weather = {"model.chat": [{"kind": "timeout", "first": 2}]}
    client = made(weather)
    answered = client.chat()
    assert (answered.kinds, answered.status) == (["Wait", "Fin"], None)
    exchange = last(client)
    assert (exchange.status, exchange.injected, exchange.disconnected, exchange.complete) == (None, True, False, False)
    assert told(client)[0]["seconds"] == answered.steps[0].seconds
    client.chat(gone_at=1)
    exchange = last(client)
    assert (exchange.injected, exchange.disconnected) == (False, True)
    assert told(client)[0]["seconds"] == 0.0


def test_silence_for_ever_waits_for_the_runs_limit(made):
    client = made({"model.chat": [{"kind": "timeout", "forever": True, "first": 1}]})
    answered = client.chat(gone_at=1)
    assert isinstance(answered.steps[0], Wait)
    assert answered.steps[0].forever


@pytest.mark.parametrize(("kind", "step"), [("connection_error", Fin), ("reset", Reset)])
def test_a_connection_that_is_broken_before_the_first_byte(made, kind, step):
    client = made({"model.chat": [{"kind": kind, "first": 1}]})
    answered = client.chat()
    assert isinstance(answered.steps[0], step)
    assert (last(client).status, last(client).injected) == (None, True)


def test_a_reply_that_cannot_be_made_worse_so_records_no_fault(made):
    client = made({"model.chat": [{"kind": "truncated_arguments", "first": 1}]})
    assert client.chat().status == 200
    assert told(client) == []
    side = client.provider.side
    assert (side.fired, side.spared) == ({}, {0: "what was said cannot be made so"})
    assert [(each.rule, each.fired) for each in side.trace.faults(fired=False)] == [(0, False)]


def test_what_came_first_is_told_of_a_rule_that_was_reached(made):
    both = [{"kind": "http_503", "first": 1}, {"kind": "length_cut", "first": 1}]
    client = made({"model.chat": both})
    client.chat()
    assert client.provider.side.spared == {1: "http_503 came first"}


def test_several_faults_combine_on_one_reply(made):
    rules = [
        {"kind": "latency", "seconds": 5, "first": 1},
        {"kind": "truncated_arguments", "first": 1},
        {"kind": "slow_chunks", "seconds": 1, "first": 1},
        {"kind": "clean_eof", "first": 1},
    ]
    tools = [{"type": "function", "function": {"name": "pay", "parameters": {"type": "object"}}}]
    client = made({"model.chat": rules}, brain=Script(calls(call("pay", amount=100), call("pay", amount=2))))
    answered = client.chat(stream=True, tools=tools)
    assert {each["fault"] for each in told(client)} == {"latency", "truncated_arguments", "slow_chunks", "clean_eof"}
    assert b"[DONE]" not in answered.body
    assert client.provider.side.fired == dict.fromkeys(range(4), 1)


def test_a_client_that_goes_away_is_recorded(made):
    client = made({"model.chat": {"latency_ms": [1000, 1000]}})
    client.chat(gone_at=1)
    assert (last(client).disconnected, last(client).status, last(client).ok) == (True, None, False)
    (reply,) = client.provider.side.trace.model_calls()
    assert (reply.ok, reply.attempts[0].disconnected) == (False, True)


def test_a_server_that_ends_meanwhile_is_no_client_that_goes(made):
    client = made({"model.chat": [{"kind": "stream_stall", "first": 1}]})
    client.gone = Stopped
    client.chat(stream=True, gone_at=4)
    assert [each["fault"] for each in told(client)] == ["stream_stall"]
    assert (last(client).disconnected, last(client).injected, last(client).complete) == (False, False, False)


# secrets


def test_no_secret_is_kept_in_what_is_recorded_or_told(client):
    secrets = {
        "authorization": "Bearer sk-1-hidden",
        "x_api_key": "sk-2-hidden",
        "api_key": "sk-3-hidden",
        "cookie": "session=4-hidden",
        "proxy_authorization": "Basic 5-hidden",
        "x_goog_api_key": "6-hidden",
        "x_amz_security_token": "7-hidden",
        "x_client_secret": "8-hidden",
    }
    refused = []
    client.provider.on_refused.append(lambda *about: refused.append(repr(about)))
    client.ask("POST", PATHS["chat"], BODIES["chat"], **secrets, idempotency_key="stainless-1", x_other="kept")
    client.ask("POST", PATHS["chat"], b"{", **secrets)
    side = client.provider.side
    assert side.requests[0].headers == {"idempotency-key": "stainless-1", "x-other": "kept"}
    everything = b"".join(side.trace.lines).decode() + repr(refused) + repr(side.requests)
    assert len(refused) == 1
    assert "hidden" not in everything


MCP_TOOL = {
    "type": "mcp",
    "server_label": "bank",
    "server_url": "https://example.com/mcp",
    "authorization": "sk-hidden",
    "headers": {"Authorization": "Bearer sk-hidden", "X-Tenant": "hidden"},
}


@pytest.mark.parametrize(
    ("endpoint", "more"),
    [
        ("responses", {"tools": [MCP_TOOL]}),
        ("messages", {"mcp_servers": [{"type": "url", "url": "u", "name": "n", "authorization_token": "sk-hidden"}]}),
    ],
)
@pytest.mark.parametrize("wrong", [False, True])
def test_what_lets_the_provider_into_a_server_of_tools_is_not_kept_either(client, endpoint, more, wrong):
    refused = []
    client.provider.on_refused.append(lambda *about: refused.append(repr(about)))
    answered = client.on(endpoint, **more, **({"temperature": 9} if wrong else {}))
    side = client.provider.side
    assert (answered.status, len(refused), len(side.requests)) == ((400, 1, 0) if wrong else (200, 0, 1))
    everything = b"".join(side.trace.lines).decode() + repr(refused) + repr(side.requests) + repr(answered.body)
    assert "example.com/mcp" in everything or endpoint == "messages"
    assert "sk-hidden" not in everything
    assert "'hidden'" not in everything


def test_a_function_may_speak_of_authorization(client):
    parameters = {"type": "object", "properties": {"authorization": {"type": "string"}, "mcp": {"type": "string"}}}
    tool = {"type": "function", "function": {"name": "login", "parameters": parameters}}
    client.chat(tools=[tool])
    assert client.provider.side.requests[0].body["tools"] == [tool]
