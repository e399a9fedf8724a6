"""What capturing costs: each call of an SDK, a run that grows long, and a session that asks no model at all.

Between the hooks stands no SDK here but methods that send one request and give back what came, so that what is timed
is squall alone: an SDK takes a hundred times as long, and varies by more than that.
Seconds are of CPU time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from types import SimpleNamespace
from typing import Any

import httpx2
import openai
from _table import Figure, at_most, children, difference, median, plain, quiet, show, turns
from imports import OFF, SYNC, Session
from openai import _base_client

import squall
from squall.capture import hooks

CALLS = 50  # fewer than wait until some are written down
ROUNDS = SESSIONS = 41
MESSAGES = 20
LENGTHS = (100, 400)
LIMIT_US, LIMIT_SESSION_MS = 15.0, 10.0
OTHERS = "asyncio anyio hypothesispytest langsmith_plugin rerunfailures timeout xdist".split()
ALONE = tuple(part for name in OTHERS for part in ("-p", f"no:{name}"))
Ask = Callable[[list[dict[str, Any]]], None]
ORDER = {"id": 1, "status": "placed", "items": [{"sku": "a-1", "price": 9.5}, {"sku": "b-2", "price": 3.25}]}
TOOLS = [{"type": "function", "function": {"name": "get_order", "parameters": {"type": "object", "properties": {}}}}]
MESSAGE = {"role": "assistant", "content": "It is on its way and arrives on Friday."}
BODY = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
    "usage": {"prompt_tokens": 900, "completion_tokens": 12, "total_tokens": 912},
}


def conversation(messages: int) -> list[dict[str, Any]]:
    """A question, then calls of a tool and their results."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "Where are my orders?"}]
    for number in range(messages // 2):
        function = {"name": "get_order", "arguments": json.dumps({"order_id": str(number)})}
        use = {"id": f"c{number}", "type": "function", "function": function}
        found.append({"role": "assistant", "content": None, "tool_calls": [use]})
        found.append({"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps({**ORDER, "id": number})})
    return found[:messages]


class Bottom:
    """What is left of an SDK between its two hooks. `ask` is one call of it."""

    def __init__(self) -> None:
        self.client = httpx2.Client()
        self.request = httpx2.Request("POST", "http://model/chat/completions", content=b"{}")
        self.response = httpx2.Response(200, json=BODY, request=self.request)

    def ask(self, messages: list[dict[str, Any]]) -> None:
        """One call."""
        body = {"model": "m", "messages": messages, "tools": TOOLS}
        options = SimpleNamespace(url="/chat/completions", method="post", json_data=body, extra_json=None)
        request: Any = _base_client.SyncAPIClient.request
        request(self, None, options)


@contextmanager
def without_sdk() -> Iterator[Bottom]:
    """The hooks lie over the stand-in, until the block ends."""
    bottom, clients, client = Bottom(), _base_client.SyncAPIClient, httpx2.Client
    kept: Any = clients.request, client.send, client._send_single_request  # noqa: SLF001 - as the hooks do it

    def asked(self: Any, _cast_to: Any, _options: Any) -> Any:
        return self.client.send(self.request)

    def sent(self: Any, request: Any) -> Any:
        return self._send_single_request(request)

    def one(_self: Any, _request: Any) -> Any:
        return bottom.response

    setattr(clients, "request", asked)  # noqa: B010 - as the hooks do it
    setattr(client, "send", sent)  # noqa: B010 - as above
    setattr(client, "_send_single_request", one)  # noqa: B010 - as above
    try:
        yield bottom
    finally:
        hooks.uninstall()
        setattr(clients, "request", kept[0])  # noqa: B010 - as above
        setattr(client, "send", kept[1])  # noqa: B010 - as above
        setattr(client, "_send_single_request", kept[2])  # noqa: B010 - as above


def asking(ask: Ask) -> Callable[[], None]:
    """Many calls of the same length."""
    messages = conversation(MESSAGES)

    def work() -> None:
        for _ in range(CALLS):
            ask(messages)

    return work


def captured(bottom: Bottom) -> tuple[float, float]:
    """Seconds that the calls of one run take, and its end, where all that waits is written down."""
    work = asking(bottom.ask)
    with quiet():
        with squall.run("bench"):
            began = process_time()
            work()
            ended = process_time()
        return ended - began, process_time() - ended


def calls() -> list[Figure]:
    """What one call costs more."""
    with without_sdk() as bottom:
        bare = turns(asking(bottom.ask), rounds=ROUNDS, warm=2)[0]
        rounds = [captured(bottom) for _ in range(ROUNDS + 2)][2:]
    transport = httpx2.MockTransport(lambda _request: httpx2.Response(200, json=BODY))
    client = openai.OpenAI(api_key="k", http_client=httpx2.Client(transport=transport))

    def ask(messages: Any) -> None:
        client.chat.completions.create(model="m", messages=messages)

    sdk = turns(asking(ask), rounds=3, warm=1)[0]
    each = 1_000_000 / CALLS
    name = f"a call of {MESSAGES} messages: squall adds"
    return [
        at_most(f"{name}, outside the SDK", each * (median(took for took, _ in rounds) - median(bare)), LIMIT_US, "µs"),
        plain("… and when its run ends, to write it down", each * median(took for _, took in rounds), "µs"),
        plain("the SDK itself takes", each * median(sdk), "µs"),
    ]


def growing(bottom: Bottom, length: int) -> Callable[[], None]:
    """One run of so many turns, each with all that was said before it."""
    said = conversation(2 * length)

    def work() -> None:
        with squall.run("bench"):
            for turn in range(1, length + 1):
                bottom.ask(said[: 2 * turn - 1])

    return work


def runs() -> list[Figure]:
    """What a run costs that grows long: the messages that are sent are as many as its turns squared."""
    with without_sdk() as bottom:
        times = [median(each) for each in turns(*(growing(bottom, length) for length in LENGTHS), rounds=5)]
    return [
        plain(f"a run of {length} turns, for each message that is sent", 1_000_000 * took / length**2, "µs")
        for length, took in zip(LENGTHS, times, strict=True)
    ]


def sessions() -> list[Figure]:
    """What a session of pytest costs more that asks no model."""
    sdk = "import openai\n\n\n" + SYNC
    kinds = [
        Session(f"capture_{name}", test, sys.executable, *ALONE, *options)
        for name, test, options in (("off", SYNC, OFF), ("on", SYNC, ()), ("sdk_off", sdk, OFF), ("sdk_on", sdk, ()))
    ]
    off, on = turns(*kinds[:2], rounds=SESSIONS, warm=2, clock=children)
    sdk_off, sdk_on = turns(*kinds[2:], rounds=SESSIONS // 4, warm=1, clock=children)
    return [
        at_most("a session that imports no SDK: squall adds", 1000 * difference(on, off), LIMIT_SESSION_MS, "ms"),
        plain("a session that imports openai and asks nothing: squall adds", 1000 * difference(sdk_on, sdk_off), "ms"),
    ]


def main() -> None:
    show("Capturing", [*calls(), *runs(), *sessions()])


if __name__ == "__main__":
    main()
