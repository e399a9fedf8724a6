"""Tests that ask nothing of squall, and whose SDK asks a fake of their own, are explored all the same."""

from __future__ import annotations

from importlib import import_module

import pytest

LOADED = [*map(import_module, ("openai", "anthropic", "httpx2", "httpcore2", "h11"))]  # once for all inner sessions
FAKES = '''
import json

import httpx2
import openai

TOOLS = [{"type": "function", "function": {"name": "refund", "parameters": {"type": "object", "properties": {}}}}]


def chunks(text):
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas = [{"role": "assistant", "content": ""}, *({"content": word + " "} for word in text.split())]
    told = [{**head, "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    told.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return "".join(f"data: {json.dumps(each)}\\n\\n" for each in told) + "data: [DONE]\\n\\n"


class Fake:
    """Says that order 7 is to be paid back, then that it has been; each answer costs."""

    def __init__(self):
        self.ledger = []

    def __call__(self, request):
        body = json.loads(request.content)
        self.ledger.append(body["messages"][-1]["content"])
        if body.get("stream"):
            told = {"content-type": "text/event-stream"}
            return httpx2.Response(200, headers=told, content=chunks("pay 40 back to order 7").encode())
        use = {"id": "call_7", "type": "function", "function": {"name": "refund", "arguments": '{"order": "7"}'}}
        message, finish = {"role": "assistant", "content": None, "tool_calls": [use]}, "tool_calls"
        if body["messages"][-1]["role"] == "tool":
            message, finish = {"role": "assistant", "content": "done"}, "stop"
        usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "usage": usage}
        return httpx2.Response(200, json={**head, "choices": [choice]})

    async def later(self, request):
        return self(request)

    def client(self, **options):
        over = httpx2.Client(transport=httpx2.MockTransport(self))
        return openai.OpenAI(api_key="x", http_client=over, **options)

    def aclient(self, **options):
        over = httpx2.AsyncClient(transport=httpx2.MockTransport(self.later))
        return openai.AsyncOpenAI(api_key="x", http_client=over, **options)


def ask(client, messages, **options):
    return client.chat.completions.create(model="m", messages=messages, **options)


def user(text):
    return [{"role": "user", "content": text}]
'''


@pytest.fixture
def explored(session, pytester, monkeypatch):
    """`explored(code, *args)` runs a session over tests that import `fakes`, without checks."""
    (pytester.path / "fakes.py").write_text(FAKES, encoding="utf-8")
    pytester.syspathinsert()

    def run(code, *args, **options):
        return session(code, "--squall=off", *args, **options)

    return run


LEDGER = """
import openai, pytest
from fakes import Fake, ask, user

@pytest.fixture
def fake():
    return Fake()

@pytest.mark.explore(kinds=["short_body", "http_503"])
def test_hasty(fake):
    assert ask(fake.client(), user("Is it paid?")).choices
    assert len(fake.ledger) == 1

@pytest.mark.explore(kinds=["short_body", "http_503"], depth=2)
def test_careful(fake):
    try:
        assert ask(fake.client(max_retries=0), user("Is it paid?")).choices
    except openai.APIError:
        pass
    assert len(fake.ledger) <= 1
"""


def test_a_hidden_retry_after_a_lost_answer_is_found_kept_and_reproduced(explored, pytester):
    done = explored(LEDGER)
    assert done.counts == {"failed": 1, "passed": 1}
    assert "under short_body (after) at model.chat" in done.text
    assert "It takes this fault: without it this does not happen." in done.text
    assert "✗" in done.text
    assert "Every single fault (2) of the kinds short_body, http_503: 1 failure." in done.text
    (kept,) = (pytester.path / ".squall" / "regressions").glob("*.json")
    where = str(kept.relative_to(pytester.path))
    again = explored(None, "test_it.py::test_hasty", "--squall-replay", where, apart=True)
    assert again.counts == {"failed": 1}
    assert "reproduced" in again.text
    mended = explored(LEDGER.replace("fake.client()", "fake.client(max_retries=0)"), "-k", "hasty")
    assert mended.counts == {"failed": 1, "deselected": 1}
    assert f"{where}: diverged" in mended.text


STREAMS = """
import asyncio
import pytest
from fakes import Fake, ask, user

def published(stream, careful):
    text, finish = "", None
    for chunk in stream:
        for choice in chunk.choices:
            text, finish = text + (choice.delta.content or ""), choice.finish_reason or finish
    return text.strip() if text and (finish == "stop" or not careful) else None

PUBLISHED = (None, "pay 40 back to order 7")

KINDS = ["clean_eof", "stream_disconnect", "http_503", "timeout"]

@pytest.mark.explore(crashes=False, kinds=KINDS)
def test_hasty():
    assert published(ask(Fake().client(), user("pay"), stream=True), careful=False) in PUBLISHED

async def apublished(careful):
    async with Fake().aclient() as client:
        stream = await ask(client, user("pay"), stream=True)
        return published([chunk async for chunk in stream], careful)

@pytest.mark.explore(crashes=False, kinds=KINDS)
@pytest.mark.asyncio
async def test_hasty_async():
    assert await apublished(careful=False) in PUBLISHED

@pytest.mark.explore(crashes=False, depth=2, kinds=KINDS)
@pytest.mark.asyncio
async def test_careful_async():
    assert await apublished(careful=True) in PUBLISHED

@pytest.mark.explore(crashes=False, kinds=KINDS)
def test_careful_in_a_loop_of_its_own():
    assert asyncio.run(apublished(careful=True)) in PUBLISHED
"""


def test_a_stream_that_is_taken_for_whole_is_found_sync_and_async(explored):
    done = explored(STREAMS)
    assert done.counts == {"failed": 2, "passed": 2}
    assert done.text.count("under clean_eof (after, after 2) at model.chat") >= 2
    assert "and every pair (" in done.text


OTHERS = """
import pytest
from fakes import Fake, TOOLS, ask, user

def agent(client):
    messages = user("Pay it back.")
    while (reply := ask(client, messages, tools=TOOLS).choices[0].message).tool_calls:
        messages = [*messages, reply.model_dump(exclude_none=True)]
        messages += [{"role": "tool", "tool_call_id": use.id, "content": "ok"} for use in reply.tool_calls]
    return reply.content

def test_agent():
    try:
        assert "done".startswith(agent(Fake().client()))
    except ValueError:
        pass

@pytest.mark.parametrize("number", [1, 2])
def test_plain(number):
    assert number

def test_broken():
    assert 1 == 2

class TestAll:
    def test_method(self):
        pass
"""


def test_with_the_option_each_test_that_asks_a_model_is_explored_and_all_others_run_as_usual(explored):
    done = explored(OTHERS, "--squall-explore")
    assert done.counts == {"passed": 4, "failed": 1}
    assert "squall: 1 test explored, no failure" in done.text
    assert "assert 1 == 2" in done.text
    assert "test_it.py::test_plain" not in done.text
    assert "nothing was explored" not in done.text
    assert explored(None).counts == {"passed": 4, "failed": 1}


REAL = """
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import httpx2
import anthropic, pytest
from fakes import Fake

MESSAGE = (
    b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"fine"}],'
    b'"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":4}}'
)

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(MESSAGE)

    def log_message(self, *_): pass

@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()

ASKED = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}

@pytest.mark.explore(kinds=["timeout", "http_429", "malformed_json"], crashes=False)
def test_sync(server):
    with anthropic.Anthropic(api_key="x", base_url=server, timeout=30) as client:
        assert client.messages.create(**ASKED).content[0].text == "fine"

@pytest.mark.explore(kinds=["timeout", "http_429", "malformed_json"], crashes=False)
@pytest.mark.asyncio
async def test_async(server):
    async with anthropic.AsyncAnthropic(api_key="x", base_url=server, timeout=30) as client:
        assert (await client.messages.create(**ASKED)).content[0].text == "fine"
"""


def test_a_server_in_a_thread_answers_in_real_time_and_nothing_hangs(explored):
    done = explored(REAL)
    assert done.counts == {"passed": 2}
    assert done.text.count("Every single fault (3)") == 2


ODD = """
import time
import httpx2, pytest
from fakes import Fake, ask, user

@pytest.mark.explore
def test_raw():
    with httpx2.Client(transport=httpx2.MockTransport(Fake())) as client:
        client.post("http://x/v1/chat/completions", json={"messages": user("hi")})

@pytest.mark.explore
def test_measures():
    began = time.monotonic()
    import asyncio
    async def wait():
        await asyncio.sleep(0.02)
        return asyncio.get_running_loop().time()
    asyncio.run(wait())
    assert ask(Fake().client(), user("hi")).choices
    assert time.monotonic() - began >= 0.02
"""


def test_what_squall_cannot_explore_says_why(explored):
    done = explored(ODD)
    assert done.counts == {"failed": 2}
    assert "has asked no model by an SDK that squall sees" in done.text
    assert "The test passes by itself, and fails without any fault in a run of squall's" in done.text


WORLDLY = """
import pytest
from fakes import Fake, ask, user

@pytest.mark.world("shop.yaml")
@pytest.mark.explore(kinds=["http_503"])
def test_both(tools):
    assert ask(Fake().client(), user("Is it paid?")).choices
    try:
        tools.list_refunds(order="7")
    except Exception:
        pass
"""


def test_beside_a_world_the_tests_own_fake_is_reached_as_well(explored):
    done = explored(WORLDLY)
    assert done.counts == {"passed": 1}
    assert "Every single fault (2) of the kinds http_503: no failure." in done.text
