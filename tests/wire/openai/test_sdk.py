"""The official SDK, unmodified, takes bodies and streams for a provider's own: its helpers read them to the end."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import msgspec
import openai
import pytest
from pydantic import BaseModel

from squall.call import BadRequest, Reply, ToolUse
from squall.wire.dialect import Dialect
from squall.wire.openai.chat import Chat
from squall.wire.openai.embeddings import Embeddings
from squall.wire.openai.errors import OpenAIShapes
from squall.wire.openai.responses import Responses

shapes = OpenAIShapes()
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in ("left", "right")
]
PARALLEL = Reply(calls=(ToolUse("left", '{"city": "Paris"}'), ToolUse("right", '{"city": "Rome"}')))
MESSAGES: list[Any] = [{"role": "user", "content": "Hi"}]


@pytest.fixture
def client(stamp):
    """Makes a client whose requests are answered with one reply, without a network."""
    dialects: dict[str, Dialect] = {
        "/v1/chat/completions": Chat(),
        "/v1/responses": Responses(),
        "/v1/embeddings": Embeddings(),
    }

    def make(reply, *, interleaved=False):
        def answer(sent):
            dialect = dialects[sent.url.path]
            try:
                request = dialect.read(json.loads(sent.content), dict(sent.headers))
            except BadRequest as problem:
                return httpx2.Response(problem.status, json=shapes.error(problem, "req_1"), headers=headers)
            if request.stream:
                data = b"".join(dialect.frames(request, reply, stamp, interleaved=interleaved).events)
                return httpx2.Response(200, content=data, headers={**headers, "content-type": "text/event-stream"})
            body = msgspec.json.encode(dialect.whole(request, reply, stamp))
            return httpx2.Response(200, content=body, headers={**headers, "content-type": "application/json"})

        headers = shapes.headers("req_1")
        transport = httpx2.Client(transport=httpx2.MockTransport(answer))
        return openai.OpenAI(api_key="dummy", base_url="http://provider.test/v1", http_client=transport, max_retries=0)

    return make


def test_a_completion_tells_its_request_id(client):
    found = client(Reply("Hi")).chat.completions.create(model="gpt-x", messages=MESSAGES)
    assert (found.choices[0].message.content, found._request_id) == ("Hi", "req_1")


@pytest.mark.parametrize("interleaved", [False, True])
def test_a_streamed_completion_is_put_together(client, interleaved):
    with client(PARALLEL, interleaved=interleaved).chat.completions.stream(
        model="gpt-x", messages=MESSAGES, tools=TOOLS, stream_options={"include_usage": True}
    ) as stream:
        stream.until_done()
        found = stream.get_final_completion()
    calls = found.choices[0].message.tool_calls
    assert [(call.function.name, json.loads(call.function.arguments)) for call in calls] == [
        ("left", {"city": "Paris"}),
        ("right", {"city": "Rome"}),
    ]
    assert found.usage.total_tokens > 0


class Answer(BaseModel):
    city: str


def test_an_answer_of_a_shape_is_parsed(client):
    found = client(Reply('{"city":"Paris"}')).chat.completions.parse(
        model="gpt-x", messages=MESSAGES, response_format=Answer
    )
    assert found.choices[0].message.parsed == Answer(city="Paris")
    answered = client(Reply('{"city":"Paris"}')).responses.parse(model="gpt-x", input="Hi", text_format=Answer)
    assert answered.output_parsed == Answer(city="Paris")


def test_a_streamed_response_is_put_together(client):
    reply = Reply("Let me look", calls=PARALLEL.calls, reasoning="Two cities")
    with client(reply, interleaved=True).responses.stream(model="gpt-x", input="Hi") as stream:
        kinds = {event.type for event in stream}
        found = stream.get_final_response()
    assert {"response.output_text.delta", "response.function_call_arguments.delta"} <= kinds
    assert found.output_text == "Let me look"
    assert [item.arguments for item in found.output if item.type == "function_call"] == [
        '{"city": "Paris"}',
        '{"city": "Rome"}',
    ]


def test_a_conversation_goes_on_by_the_id_of_its_last_response(client):
    sdk = client(Reply("Hi"))
    first = sdk.responses.create(model="gpt-x", input="Hello")
    second = sdk.responses.create(model="gpt-x", input="And?", previous_response_id=first.id)
    assert second.previous_response_id == first.id
    with pytest.raises(openai.BadRequestError) as caught:
        sdk.responses.create(model="gpt-x", input="And?", previous_response_id="resp_none")
    assert caught.value.code == "previous_response_not_found"


def test_vectors_come_in_base64_unless_numbers_are_asked_for(client):
    found = client([[0.5, -1.0]]).embeddings.create(model="embed", input="x")
    assert found.data[0].embedding == [0.5, -1.0]
    found = client([[0.5, -1.0]]).embeddings.create(model="embed", input="x", encoding_format="float")
    assert found.data[0].embedding == [0.5, -1.0]


def test_a_refusal_is_an_error_with_its_part_and_its_code(client):
    with pytest.raises(openai.BadRequestError) as caught:
        client(Reply("Hi")).chat.completions.create(model="gpt-x", messages=MESSAGES, n=200)
    error = caught.value
    assert (error.param, error.code, error.type) == ("n", "integer_above_max_value", "invalid_request_error")
    assert error.request_id == "req_1"


def test_an_error_event_ends_a_stream_of_chat(client, stamp):
    def answer(_sent):
        return httpx2.Response(200, content=content, headers={"content-type": "text/event-stream"})

    request = Chat().read({"model": "gpt-x", "messages": MESSAGES, "stream": True}, {})
    content = Chat().frames(request, Reply("Hi"), stamp).events[0]
    content += shapes.ping("chat") + shapes.error_event(BadRequest("Sorry.", status=503), "req_1", "chat")
    transport = httpx2.Client(transport=httpx2.MockTransport(answer))
    sdk = openai.OpenAI(api_key="dummy", base_url="http://provider.test/v1", http_client=transport)
    with pytest.raises(openai.APIError, match="Sorry"):
        list(sdk.chat.completions.create(model="gpt-x", messages=MESSAGES, stream=True))
