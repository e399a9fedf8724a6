"""A served run, from its address to its exit status, in this very process: clients are in a thread."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import signal
import threading
from contextlib import suppress
from io import FileIO
from typing import BinaryIO, cast

import httpx2
import mcp
import pytest
from mcp.shared.exceptions import MCPError

from squall.runs import environment, serving
from squall.runs.serving import Served, serve
from squall.store import StateJournal, fold
from squall.trace import FileRecorder, Trace

EVERY_ADDRESS = ".".join("0000")
WORLD = """\
name: till
services:
  till:
    records: { sale: { id: str, amount: float } }
    operations:
      sell: { kind: create, record: sale }
      sell_slowly: { kind: custom, handler: till_rules.sell_slowly }
      fail: { kind: custom, handler: till_rules.fail }
"""
RULES = """\
import asyncio


async def sell_slowly(world, clock, takes: float):
    await asyncio.sleep(takes)
    return world.sale.insert(amount=1)


def fail(world, clock):
    raise TypeError("no")
"""


@pytest.fixture
def till(tmp_path):
    (tmp_path / "till.yaml").write_text(WORLD, encoding="utf-8")
    (tmp_path / "till_rules.py").write_text(RULES, encoding="utf-8")
    return tmp_path


@pytest.fixture
def served(till):
    """Serves over HTTP while a client acts; gives the exit status and what was said."""

    def run(agent, faults=None, *, ends=True, host="127.0.0.1", hears=lambda _text: None):
        plan = None
        if faults is not None:
            plan = till / "plan.yaml"
            plan.write_text(faults, encoding="utf-8")
        said, threads = [], []

        def act(url):
            with suppress(BaseExceptionGroup):  # the official client's, where its connection was broken
                asyncio.run(agent(url))
            if ends:
                os.kill(os.getpid(), signal.SIGTERM)

        def say(text):
            said.append(text)
            hears(text)
            if " at http" in text:
                threads.append(threading.Thread(target=act, args=(text.split(" at ")[1].split()[0],)))
                threads[0].start()

        what = Served(
            till / "till.yaml",
            faults=plan,
            host=host,
            port=0,
            allow_remote=host != "127.0.0.1",
            state=till / "state.jsonl",
            record=till / "trace.jsonl",
        )
        status = serve(what, say)
        threads[0].join()
        return status, said[1:]

    return run


def calling(tool, times=1, **args):
    async def agent(url):
        # a deadline, since the client waits for ever where its connection breaks in the middle of a reply's stream
        async with mcp.Client(url, mode="legacy", read_timeout_seconds=3) as client:
            for _ in range(times):
                with suppress(MCPError):
                    await client.call_tool(tool, args)

    return agent


def test_a_signal_ends_it(served, till):
    assert served(calling("sell", amount=1)) == (0, ["ended by SIGTERM; 1 call, 1 effect"])
    assert len(fold(till / "state.jsonl").snapshot["till.sale"]) == 1
    assert Trace.load(till / "trace.jsonl").status == "passed"


def test_a_server_behind_another_ones_run_begins_afresh_and_tells_what_is_another(served, till):
    state = till / "state.jsonl"
    told: list[str] = []
    with environment.Environment(till / "till.yaml", seed=7) as run:
        journal = StateJournal(state, run.world)
        run.tools.sell(amount=1)
        journal.end("passed", 1)
    served(calling("sell", amount=2), hears=told.append)
    assert told[0] == f"squall: the last run in {state} had seed 7; this one begins afresh, behind it"
    assert [row["amount"] for row in fold(state).snapshot["till.sale"].values()] == [2]
    assert [row["amount"] for row in fold(state, run=1).snapshot["till.sale"].values()] == [1]


def test_a_signal_in_the_middle_of_a_call_ends_it_without_a_word_of_the_sdk(served, till, caplog):
    async def agent(url):
        async with mcp.Client(url, mode="legacy", read_timeout_seconds=20) as client:
            call = asyncio.ensure_future(client.call_tool("sell", {"amount": 1}))
            for _ in range(1000):
                if fold(till / "state.jsonl").revision:
                    break
                await asyncio.sleep(0.01)
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait([call])
            call.exception()

    faults = "faults: [{ target: till.sell, kind: timeout, nth: 1, answer_after: 1h }]\nwall_cap: 1h\n"
    assert served(agent, faults, ends=False) == (0, ["ended by SIGTERM; 1 call, 1 effect"])
    assert "gave up" not in caplog.text
    assert Trace.load(till / "trace.jsonl").line() == "sell!timeout(after)"


def test_what_is_still_to_land_lands_before_the_end(served, till):
    faults = "faults: [{ target: till.sell, kind: http_503, nth: 1, phase: late, late_by: 1h }]"
    assert served(calling("sell", amount=1), faults) == (0, ["ended by SIGTERM; 1 call, 1 effect"])
    found = fold(till / "state.jsonl")
    assert (found.ended, found.revision) == ("passed", 1)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("number", serving.SIGNALS)
def test_an_end_that_waits_for_an_operation_is_told_and_a_second_signal_ends_it(served, till, monkeypatch, number):
    def hears(text):
        if text == serving.STILL:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(serving, "TELLING", 0.01)
    handlers = [signal.getsignal(each) for each in serving.SIGNALS]
    faults = "faults: [{ target: till.sell_slowly, kind: http_503, nth: 1, phase: late, late_by: 1ms }]"
    status, said = served(calling("sell_slowly", takes=3600), faults, hears=hears)
    assert (status, said) == (
        1,
        [serving.STILL, "ended by SIGTERM, and again: what was still under way has not landed"],
    )
    assert (fold(till / "state.jsonl").ended, fold(till / "state.jsonl").revision) == (None, 0)
    assert Trace.load(till / "trace.jsonl").status is None
    assert [signal.getsignal(each) for each in serving.SIGNALS] == handlers


def test_an_operation_that_takes_its_time_lands_before_the_end(served, till, monkeypatch):
    faults = "faults: [{ target: till.sell_slowly, kind: http_503, nth: 1, phase: late, late_by: 1ms }]"
    status, said = served(calling("sell_slowly", takes=0.05), faults)
    assert (status, said[-1]) == (0, "ended by SIGTERM; 1 call, 1 effect")
    assert fold(till / "state.jsonl").ended == "passed"


def test_a_late_effect_lands_in_the_servers_own_loop(served, till):
    async def agent(url):
        async with mcp.Client(url) as client:
            await client.call_tool("sell", {"amount": 1})
            for _ in range(1000):
                if fold(till / "state.jsonl").revision:
                    break
                await asyncio.sleep(0.01)

    faults = "faults: [{ target: till.sell, kind: http_503, nth: 1, phase: late, late_by: 10ms }]"
    assert served(agent, faults) == (0, ["ended by SIGTERM; 1 call, 1 effect"])


def test_a_bug_of_a_handler_is_told_and_makes_the_status_1(served):
    status, said = served(calling("fail"))
    assert status == 1
    assert said[0] == "ended by SIGTERM; 1 call, 0 effects"
    assert said[1].startswith("error: the handler of fail raised TypeError: no")


@pytest.mark.timeout(60)
def test_a_limit_that_the_plan_states_ends_it(served, till):
    faults = "faults: []\nlimits: { calls: 2 }"
    status, said = served(calling("sell", times=4, amount=1), faults, ends=False)
    assert (status, said) == (1, ["the run made more than 2 tool calls; 3 calls, 2 effects"])
    assert Trace.load(till / "trace.jsonl").status == "hung"


@pytest.mark.timeout(60)
def test_a_server_that_exits_breaks_its_connections_and_ends(served):
    faults = "faults: [{ target: till.sell, kind: server_exit, nth: 2 }]"
    status, said = served(calling("sell", times=3, amount=1), faults, ends=False)
    assert (status, said) == (1, ["the server exited, as its faults wanted; 2 calls, 2 effects"])


class Full(io.RawIOBase):
    """A file on a disk that is full."""

    def write(self, _data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.timeout(60)
def test_a_journal_that_can_be_written_no_more_ends_it_before_anybody_is_told(served, till, monkeypatch):
    answered = []

    class Filling(StateJournal):
        def effect(self, effect):
            if effect.rev == 2:
                self._file.close()
                self._file = cast("BinaryIO", Full())
            super().effect(effect)

    async def agent(url):
        async with mcp.Client(url, mode="legacy", read_timeout_seconds=3) as client:
            for amount in (1, 2, 3):
                with suppress(MCPError):
                    answered.append((await client.call_tool("sell", {"amount": amount})).structured_content["amount"])

    monkeypatch.setattr(serving, "StateJournal", Filling)
    status, said = served(agent, ends=False)
    reason = f"cannot write the state to '{till / 'state.jsonl'}': {os.strerror(errno.ENOSPC)}"
    assert (status, said) == (1, [f"{reason}; 2 calls, 2 effects"])
    assert answered == [1]
    found = fold(till / "state.jsonl")
    assert (found.revision, found.ended) == (1, None)


@pytest.mark.timeout(60)
def test_a_journal_that_cannot_be_ended_is_told_although_the_server_was_ending(served, till, monkeypatch):
    class Filling(StateJournal):
        def end(self, status, revision):
            self._file.close()
            self._file = cast("BinaryIO", Full())
            super().end(status, revision)

    monkeypatch.setattr(serving, "StateJournal", Filling)
    reason = f"cannot write the state to '{till / 'state.jsonl'}': {os.strerror(errno.ENOSPC)}"
    assert served(calling("sell", amount=1)) == (1, ["ended by SIGTERM; 1 call, 1 effect", f"error: {reason}"])


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["tool_call", "tool_result", "run_end"])
def test_a_trace_that_can_be_written_no_more_ends_it_too(served, till, monkeypatch, kind):
    class Filling(FileRecorder):
        def _keep(self, said):
            if f'"kind":"{kind}"'.encode() in said and self.count > 4:  # of the second call
                self._file.close()
                self._file = cast("FileIO", Full())
            super()._keep(said)

    monkeypatch.setattr(environment, "FileRecorder", Filling)
    reason = f"cannot write the trace to '{till / 'trace.jsonl'}': {os.strerror(errno.ENOSPC)}"
    status, said = served(calling("sell", times=2, amount=1), ends=kind == "run_end")
    assert status == 1
    assert said[0].startswith("ended by SIGTERM" if kind == "run_end" else reason)
    assert said[1:] == ([f"error: {reason}"] if kind == "run_end" else [])
    assert Trace.load(till / "trace.jsonl").status is None
    assert fold(till / "state.jsonl").ended == "passed"


def test_where_every_address_is_listened_on_any_name_leads_here_and_no_foreign_page(served):
    statuses = []

    async def agent(url):
        accept = {"accept": "application/json, text/event-stream"}
        async with httpx2.AsyncClient(headers=accept, timeout=30) as http:
            here = url.replace(EVERY_ADDRESS, "127.0.0.1")
            for headers in ({"host": "squall.internal"}, {"origin": "http://evil.example"}):
                reply = await http.post(here, json={}, headers=headers)
                statuses.append(reply.status_code)

    assert served(agent, host=EVERY_ADDRESS)[0] == 0
    assert statuses == [400, 403]
