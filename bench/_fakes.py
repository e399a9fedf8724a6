"""Providers in processes of their own: `squall model`, a bare server of uvicorn and starlette, aimock, llmock.

All of them say the same text, and stream it in about as many events. The others are fetched from their registries; the
one that cannot be had is left out. Knows no measurement.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from _load import HOST, Connection
from _servers import Served
from _table import MADE
from _venvs import python_of

SAYS = "hello there, this is a reply of ten words or so"
EVENTS = 14  # of its stream: a role, eleven words, a finish, an end mark
WORD = 5  # characters of aimock's pieces, which makes as many
AIMOCK, LLMOCK = "1.43.0", "0.2.2"
PATIENCE = 30.0  # seconds that a server may take to start
PATH = "/v1/chat/completions"
BARE = """\
import json, sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

whole, events = json.loads(sys.argv[2]), [event.encode() for event in json.loads(sys.argv[3])]

async def stream():
    for event in events:
        yield event

async def answer(request):
    body = json.loads(await request.body())
    if body["stream"]:
        return StreamingResponse(stream(), media_type="text/event-stream")
    return JSONResponse(whole)

app = Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False, loop="asyncio", http="httptools")
"""


def request(*, stream: bool, text: str = SAYS, scope: str | None = None) -> bytes:
    """A request to any of them, as it goes over the wire."""
    body = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": text}]}
    return posted(json.dumps(body if scope is None else {**body, "mock_scope": scope}).encode())


def posted(body: bytes, method: str = "POST", path: str = PATH) -> bytes:
    """A request with a body of JSON."""
    head = f"{method} {path} HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


def squall(*options: str) -> list[str]:
    """`squall model` with a script of one rule. `PORT` stands for the port, here and below."""
    MADE.mkdir(parents=True, exist_ok=True)
    script = MADE / "says.toml"
    script.write_text(f'[[rule]]\nthen = {{ say = "{SAYS}" }}\n')
    return [sys.executable, "-m", "squall", "model", "--port", "PORT", "--script", str(script), *options]


def bare(port: int) -> list[str]:
    """The bare server, with the answers that the squall at `port` gives: as many bytes, in as many events."""
    whole, events = answered(port, stream=False), answered(port, stream=True)
    listed = [event + "\n\n" for event in events.split("\n\n") if event]
    assert len(listed) == EVENTS, listed
    return [sys.executable, "-c", BARE, "PORT", whole, json.dumps(listed)]


def answered(port: int, *, stream: bool) -> str:
    """The body of an answer."""
    connection = Connection(port)
    with connection.socket:
        connection.ask(request(stream=stream))
        while not connection.read([]):
            pass
    body = connection.data.partition(b"\r\n\r\n")[2]
    return body.decode() if not stream else "".join(body.decode().split("\r\n")[1::2])


def aimock() -> list[str]:
    """aimock from npm: one fixture for any message."""
    home = MADE / "aimock"
    entry = home / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    made = home / f"made-{AIMOCK}"
    if not made.exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home)]
        subprocess.run([*npm, f"@copilotkit/aimock@{AIMOCK}"], check=True, capture_output=True, text=True)
        made.touch()
    fixtures = home / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": [{"match": {"userMessage": "hello"}, "response": {"content": SAYS}}]}))
    options = ["--port", "PORT", "--fixtures", str(fixtures), "--log-level", "silent", "--chunk-size", str(WORD)]
    return ["node", str(entry), *options]


def llmock() -> list[str]:
    """llmock from PyPI, with the loop that it brings along (uvloop): it says what it was asked."""
    python = python_of("llmock", f"llmock=={LLMOCK}")
    options = ["--port", "PORT", "--log-level", "error", "--response-style", "echo"]
    return [str(python.with_name("llmock")), "serve", *options]


@contextmanager
def served(command: Sequence[str]) -> Iterator[tuple[int, Served]]:
    """A server and its port; it is there when this begins, and answers."""
    port = free()
    words = [str(port) if word == "PORT" else word for word in command]
    log = MADE / f"{Path(words[0]).name}-{port}.log"
    with log.open("w+b") as out, subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT) as process:
        try:
            _await(port, process, log)
            yield port, Served(f"http://{HOST}:{port}", process.pid)
        finally:
            process.terminate()
            process.wait()
            log.unlink()


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        assert process.poll() is None, log.read_text()
        with suppress(OSError):
            answered(port, stream=False)
            return
        time.sleep(0.05)
    raise AssertionError(log.read_text())


def free() -> int:
    """A port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind((HOST, 0))
        port: int = sock.getsockname()[1]
        return port
