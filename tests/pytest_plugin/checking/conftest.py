"""Suites that know nothing of squall: an agent that asks a model over its SDK, and tests that look at its answer."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import squall

LOADED = [  # here, or every inner session would import them anew; see the conftest above
    *map(import_module, ("openai", "httpx2", "httpcore2", "h11", "_pytest.raises")),
    *(
        import_module(found.name)
        for room in ("capture", "checks", "models", "reports", "trace", "wire")
        for found in pkgutil.walk_packages([str(Path(squall.__path__[0]) / room)], f"squall.{room}.")
    ),
]
AGENTS = '''
import json

import httpx2
import openai

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for name in ("find", "refund")
]


def call(name, **arguments):
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        ],
    }


def say(text):
    return {"role": "assistant", "content": text}


LOOP = [*(call("find", q="x") for _ in range(3)), say("done")]
FINE = [call("find", q="x"), say("done")]


def client_of(script, kind=openai.OpenAI):
    script = iter(script)

    def answer(request):
        message = next(script)
        if isinstance(message, int):
            return httpx2.Response(message, json={"error": {"message": "busy"}})
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}
        return httpx2.Response(200, json=body)

    http = httpx2.AsyncClient if kind is openai.AsyncOpenAI else httpx2.Client
    return kind(api_key="k", max_retries=0, http_client=http(transport=httpx2.MockTransport(answer)))


def found(name, arguments):
    return "the same old thing"


def agent(script, tool=found, client=None):
    """Asks until it has an answer."""
    client = client or client_of(script)
    messages = [{"role": "user", "content": "Please."}]
    while True:
        message = client.chat.completions.create(model="gpt-5", messages=messages, tools=TOOLS).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message)
        for use in message.tool_calls:
            result = tool(use.function.name, use.function.arguments)
            messages.append({"role": "tool", "tool_call_id": use.id, "content": result})


async def aagent(script, tool=found, wish="Please."):
    client = client_of(script, openai.AsyncOpenAI)
    messages = [{"role": "user", "content": wish}]
    while True:
        reply = await client.chat.completions.create(model="gpt-5", messages=messages, tools=TOOLS)
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message)
        for use in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": use.id, "content": tool(use.function.name, "")})
'''
HEAD = """
import asyncio
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import pytest

from suite_agents import *
"""


@pytest.fixture
def suite(session, pytester, monkeypatch):
    """`suite(code, *args)`: a session of tests that drive the agents above."""
    for name in ("SQUALL", "SQUALL_CHECKS", "SQUALL_POLICY", "SQUALL_REDACT"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(suite_agents=AGENTS)  # not agents: OpenAI has a package of that name
    pytester.syspathinsert()

    def run(code, *args, **more):
        return session(None if code is None else HEAD + code, *args, **more)

    return run


@pytest.fixture
def report(pytester):
    """What `--squall-json=out/checks.json` wrote, and how to ask for it."""
    import json

    class Report:
        option = "--squall-json=out/checks.json"
        path = pytester.path / "out/checks.json"

        @property
        def text(self):
            return self.path.read_text(encoding="utf-8")

        @property
        def runs(self):
            return json.loads(self.text)["runs"]

        @property
        def summary(self):
            return json.loads(self.text)["summary"]

        @property
        def fired(self):
            """The checks that fired, by test."""
            return {
                run["test"].rpartition("::")[2]: [each["check"] for each in run["verdicts"] if each["fired"]]
                for run in self.runs
            }

    return Report()
