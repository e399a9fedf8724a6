"""Real servers before clients that send without end: their memory stays what it was, and they go on."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.wire.mcp.test_http import ACCEPT, HELLO, message_of, request

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is told by Linux")
MIB = 2**20
MUCH = 128  # MiB that are sent
LITTLE = 64 * MIB  # of which so much may be kept for a moment


@contextmanager
def server(world, *options):
    command = [sys.executable, "-m", "squall", "serve", str(world), *options]
    pipe = subprocess.PIPE
    process: Any = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    with process:
        try:
            yield process
        finally:
            process.kill()


def most_memory(process):
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


def test_over_stdio(office):
    def ask(message):
        process.stdin.write(json.dumps(message).encode() + b"\n")
        return hear()

    def hear():
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(process.stdout.fileno(), MIB)
        return json.loads(line)

    with server(office) as process:
        ask(HELLO)
        before = most_memory(process)
        for _ in range(MUCH):
            process.stdin.write(b"x" * MIB)
        process.stdin.write(b"\n")
        assert hear()["error"]["code"] == -32600
        assert ask("[" * (3 * MIB))["error"]["code"] == -32600
        process.stdin.write(b"[" * (3 * MIB) + b"\n")
        assert hear()["error"]["code"] == -32700
        assert ask(request(2, name="count"))["result"]["structuredContent"] == {"result": 1}
        assert most_memory(process) - before < LITTLE


CHUNKED = (
    b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n"
    b"accept: application/json, text/event-stream\r\n\r\n"
)
ENDLESS = ((b"POST /mcp HTTP/1.1\r\nx: ", b"y" * MIB), (CHUNKED, b"100000\r\n" + b"x" * MIB + b"\r\n"))
"""Heads and bodies: how one begins, and a MiB more of it."""


def test_over_http(office):
    with server(office, "--http", "--port", "0") as process:
        found = re.search(r"http://127.0.0.1:(\d+)/mcp", process.stderr.readline().decode())
        assert found is not None
        with httpx2.Client(headers=ACCEPT, timeout=60) as http:
            assert http.post(found[0], json=HELLO).status_code == 200
            before = most_memory(process)
            for begin, more in ENDLESS:
                address = ("127.0.0.1", int(found[1]))
                with socket.create_connection(address, timeout=60) as connection, suppress(ConnectionError):
                    connection.sendall(begin)
                    for _ in range(MUCH):
                        connection.sendall(more)
            assert most_memory(process) - before < LITTLE
            greeting = http.post(found[0], json=HELLO)
            headers = {"mcp-session-id": greeting.headers["mcp-session-id"]}
            assert message_of(http.post(found[0], json=request(2, name="count"), headers=headers))["id"] == 2
