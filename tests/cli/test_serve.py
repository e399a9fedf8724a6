"""`squall serve`: a world for agents in other processes, from the command line to the files that it leaves."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from contextlib import contextmanager
from typing import Any

import httpx2
import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from squall.cli.serve import with_bare_faults
from squall.store import StateJournal, fold
from squall.trace import Trace, verify
from squall.worlds import World

WORLD = """\
name: till
services:
  till:
    records: { sale: { id: str, amount: float } }
    seed: { sale: [{ id: "1", amount: 1.5 }] }
    operations:
      sell: { kind: create, record: sale }
      list_sales: { kind: list, record: sale }
faults:
  - { target: till.sell, kind: connection_lost, nth: 1 }
"""
SQUALL = (sys.executable, "-m", "squall")


@pytest.fixture
def till(write, tmp_path):
    write("till.yaml", WORLD)
    return tmp_path


@contextmanager
def serving(folder, *options):
    """A server over HTTP: its process and its address."""
    command = [*SQUALL, "serve", "till.yaml", "--http", "--port", "0", *options]
    process: Any = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        said = process.stderr.readline()
        assert " at http://127.0.0.1:" in said, said + process.stderr.read()
        yield process, said.split(" at ")[1].split()[0], said
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)
        process.stderr.close()


async def sell(server, *amounts):
    """How each sale went: True, or the code of an error."""
    went: list[int] = []
    async with mcp.Client(server) as client:
        for amount in amounts:
            try:
                went.append(not (await client.call_tool("sell", {"amount": amount})).is_error)
            except MCPError as error:
                went.append(error.code)
    return went


def sales(journal):
    return [row["amount"] for row in fold(journal).snapshot["till.sale"].values()]


def test_a_signal_ends_it_with_whole_files_faulted_effects_included(till):
    options = ("--faults", "--state", "state.jsonl", "--record", "trace.jsonl", "--seed", "7", "--run-index", "3")
    with serving(till, *options) as (process, url, said):
        assert "squall: till (seed 7, run 3), with the faults of till.yaml, on wall time" in said
        assert asyncio.run(sell(url, 2, 3)) == [-32000, True]
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr.read() == "ended by SIGTERM; 2 calls, 2 effects\n"
    assert sales(till / "state.jsonl") == [1.5, 2, 3]
    assert fold(till / "state.jsonl").ended == "passed"
    assert verify(till / "trace.jsonl").status == "passed"
    trace = Trace.load(till / "trace.jsonl")
    assert trace.line() == "sell!connection_lost(after) → sell"
    assert (trace.start.seed, trace.start.run_index, trace.start.clock) == (7, 3, "wall")


def test_a_killed_server_leaves_a_journal_that_folds_and_a_new_one_goes_on_in_it(till):
    journal = till / "state.jsonl"
    with serving(till, "--state", "state.jsonl") as (process, url, _):
        assert asyncio.run(sell(url, 2, 3)) == [True, True]
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    before = journal.read_bytes()
    assert sales(journal) == [1.5, 2, 3]
    assert fold(journal).ended is None
    with serving(till, "--state", "state.jsonl") as (process, url, _):
        assert asyncio.run(sell(url, 9)) == [True]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert journal.read_bytes().startswith(before)
    assert sales(journal) == [1.5, 9]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_hundred_clients_at_once_find_each_effect_once_in_both_files_and_each_its_own_answer(till, mode):
    clients, turns = 100, 2
    amounts = [float(amount) for amount in range(2, 2 + clients * turns)]
    everyone_is_connected = asyncio.Barrier(clients)
    answers: dict[str, float] = {}  # what was asked for, by the id that the client was told
    certificates = ssl.create_default_context()  # each client would read them anew, which takes longer than its calls

    async def agent(url, number):
        http = httpx2.AsyncClient(verify=certificates, timeout=None)
        async with http, mcp.Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            await everyone_is_connected.wait()
            for amount in amounts[number::clients]:
                done = await client.call_tool("sell", {"amount": amount})
                assert not done.is_error
                assert done.structured_content["amount"] == amount
                answers[done.structured_content["id"]] = amount

    async def crowd(url):
        async with asyncio.TaskGroup() as tasks:
            for number in range(clients):
                tasks.create_task(agent(url, number))

    with serving(till, "--state", "state.jsonl", "--record", "trace.jsonl") as (process, url, _):
        asyncio.run(crowd(url))
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr.read() == f"ended by SIGTERM; {len(amounts)} calls, {len(amounts)} effects\n"

    assert sorted(answers.values()) == amounts
    lines = [json.loads(line) for line in (till / "state.jsonl").read_text().splitlines()]
    kept = [line for line in lines if "rev" in line]
    assert sorted(line["row"]["amount"] for line in kept) == amounts
    assert {line["id"]: line["row"]["amount"] for line in kept} == answers
    assert sorted(sales(till / "state.jsonl")) == [1.5, *amounts]

    assert verify(till / "trace.jsonl").status == "passed"
    trace = Trace.load(till / "trace.jsonl")
    effects = [(effect.call, effect.id, effect.after["amount"]) for effect in trace.effects()]
    assert effects == [(line["call"], line["id"], line["row"]["amount"]) for line in kept]
    assert trace.count("sell") == len(amounts)
    for call in trace.calls_to("sell"):
        (effect,) = call.effects
        assert call.args["amount"] == effect.after["amount"] == answers[effect.id]
        assert call.result == effect.after


def rpc(number, method, /, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def sold(number, amount):
    return rpc(number, "tools/call", name="sell", arguments={"amount": amount})


HELLO = rpc(
    1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "agent", "version": "1"}
)


@contextmanager
def piped(folder, *options, before=()):
    """A server over stdio, and a function that sends it a message and gives its answer."""
    pipe = subprocess.PIPE
    command = [*before, *SQUALL, "serve", "till.yaml", *options]
    process: Any = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def ask(message):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    with process:
        try:
            yield process, ask
        finally:
            if process.poll() is None:
                process.kill()


def test_ctrl_c_ends_it_over_stdio_in_the_middle_of_a_call(till):
    slow = "faults: [{ target: till.sell, kind: timeout, nth: 2, answer_after: 1h }]\nwall_cap: 1h\n"
    (till / "plan.yaml").write_text(slow)
    options = ("--faults", "plan.yaml", "--state", "state.jsonl", "--record", "trace.jsonl")
    with piped(till, *options) as (process, ask):
        assert ask(HELLO)["id"] == 1
        assert "result" in ask(sold(2, 2))
        process.stdin.write(json.dumps(sold(3, 3)) + "\n")
        process.stdin.flush()
        while fold(till / "state.jsonl").revision < 2:  # the call is under way
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert [json.loads(line)["id"] for line in process.stdout] == [3]
        assert "ended by SIGINT; 2 calls, 2 effects" in process.stderr.read()
    assert (fold(till / "state.jsonl").ended, sales(till / "state.jsonl")) == ("passed", [1.5, 2, 3])
    assert verify(till / "trace.jsonl").status == "passed"
    assert [call.fault for call in Trace.load(till / "trace.jsonl").calls()] == [None, "timeout"]


@pytest.mark.skipif(os.name != "posix", reason="the shell closes the streams")
def test_a_standard_stream_that_is_closed_is_one_clear_line(till):
    with piped(till, "--record", "trace.jsonl", before=("sh", "-c", 'exec "$@" <&-', "sh")) as (process, _):
        assert process.wait(30) == 2
        assert process.stderr.read().startswith("error: standard input is closed, and that is where the server speaks")
    assert not (till / "trace.jsonl").exists()


def test_over_stdio_it_ends_with_its_client_and_prints_nothing_of_its_own(till):
    arguments = ["serve", "till.yaml", "--state", "state.jsonl"]
    parameters = StdioServerParameters(
        command=SQUALL[0], args=[*SQUALL[1:], *arguments], cwd=till, env=dict(os.environ)
    )
    assert asyncio.run(sell(stdio_client(parameters), 4)) == [True]
    assert fold(till / "state.jsonl").ended == "passed"
    assert sales(till / "state.jsonl") == [1.5, 4]


def test_a_server_whose_faults_make_it_exit_has_a_status_that_says_so(till):
    (till / "plan.yaml").write_text("faults: [{ target: till.sell, kind: server_exit, nth: 1 }]\n")
    with piped(till, "--faults", "plan.yaml", "--state", "state.jsonl") as (process, ask):
        assert ask(HELLO)["id"] == 1
        process.stdin.write(json.dumps(sold(2, 4)) + "\n")
        process.stdin.flush()
        assert process.stdout.read() == ""
        assert process.wait(30) == 1
        said = process.stderr.read()
    assert "the server exited, as its faults wanted; 1 call, 1 effect" in said
    assert sales(till / "state.jsonl") == [1.5, 4]


def test_a_busy_port_is_one_clear_line_and_an_earlier_trace_stays_where_it_is(squall, till):
    (till / "trace.jsonl").write_text("of a server that goes on\n")
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        port = sock.getsockname()[1]
        done = squall("serve", "till.yaml", "--http", "--port", port, "--record", "trace.jsonl", "--state", "new.jsonl")
    assert done.status == 1
    assert done.err == f"error: port {port} of 127.0.0.1 is taken: choose another with --port, or end what uses it\n"
    assert (till / "trace.jsonl").read_text() == "of a server that goes on\n"
    assert not [*till.glob("trace.jsonl.*"), *till.glob("new.jsonl")]


def test_a_journal_that_another_server_writes_is_told_before_an_earlier_trace_is_set_aside(squall, till):
    (till / "trace.jsonl").write_text("of a server that goes on\n")
    journal = StateJournal(till / "state.jsonl", World.load(till / "till.yaml"))
    done = squall("serve", "till.yaml", "--record", "trace.jsonl", "--state", "state.jsonl")
    journal.close()
    assert done.status == 2
    assert "another server is writing its state to 'state.jsonl'" in done.err
    assert [path.name for path in till.glob("trace.jsonl*")] == ["trace.jsonl"]


OTHER = pytest.param("127.0.0.2", marks=pytest.mark.skipif(sys.platform != "linux", reason="it has one address there"))


@pytest.mark.parametrize("host", ["127.0.0.1", OTHER, "localhost", "LocalHost"])
def test_a_name_of_this_machine_alone_needs_no_leave(squall, till, host):
    done = squall("serve", "none.yaml", "--http", "--port", 0, "--host", host)
    assert (done.status, done.err.splitlines()[0]) == (2, "error: there is no file 'none.yaml'")


@pytest.mark.parametrize("host", ["192.168.1.1", "example.org", "::"])
def test_an_address_that_others_reach_must_be_meant(squall, till, host):
    done = squall("serve", "till.yaml", "--http", "--host", host)
    assert done.status == 2
    assert f"{host!r} may be reached from other machines" in done.err
    assert "--allow-remote" in done.err


@pytest.mark.parametrize("option", [("--port", "9000"), ("--host", "127.0.0.1"), ("--allow-remote",)], ids=" ".join)
def test_what_is_for_http_alone_is_not_taken_over_stdio_in_silence(squall, till, option):
    done = squall("serve", "till.yaml", *option)
    assert done.status == 2
    assert done.err == (
        f"error: {option[0]} is for a server over HTTP, and this one is on standard input and output\n    Add --http.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.yaml"], "there is no file 'none.yaml'"),
        (["till.yaml", "--faults", "none.yaml"], "there is no file 'none.yaml'"),
        (["till.yaml", "--state", "no/state.jsonl"], "cannot write the state to 'no/state.jsonl'"),
        (["till.yaml", "--record", "no/trace.jsonl"], "cannot write the trace to 'no/trace.jsonl'"),
        (["till.yaml", "--http", "--host", "1.2.3.4.5", "--allow-remote"], "there is no address '1.2.3.4.5'"),
    ],
)
def test_wrong_input_is_told_before_anything_is_served(squall, till, arguments, message):
    done = squall("serve", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("serve w.yaml --faults", "serve w.yaml --faults=--faults"),
        ("serve --faults w.yaml", "serve --faults=--faults w.yaml"),
        ("serve w.yaml --faults --http", "serve w.yaml --faults=--faults --http"),
        ("serve --faults w.yaml --port 80", "serve --faults=--faults w.yaml --port 80"),
        ("serve w.yaml --faults plan.yaml", "serve w.yaml --faults plan.yaml"),
        ("serve --faults plan.yaml w.yaml", "serve --faults plan.yaml w.yaml"),
        ("serve --port 80 w.yaml --faults plan.yaml", "serve --port 80 w.yaml --faults plan.yaml"),
        ("serve w.yaml --faults=plan.yaml", "serve w.yaml --faults=plan.yaml"),
        ("validate --faults", "validate --faults"),
        ("", ""),
    ],
)
def test_faults_may_stand_alone(written, read):
    assert with_bare_faults(written.split()) == read.split()
