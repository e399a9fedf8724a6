"""Connections of http.client and of what is built on it, open from before the run: nothing goes out over them."""

from __future__ import annotations

import http.client
import http.server
import socket
import threading
from typing import Any

import pytest
import requests

from squall.wire.clients.hosts import Leak


@pytest.fixture
def server():
    """A server of this machine that keeps its connections, and what it was asked."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("content-length", "5")
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        found.daemon_threads = True
        thread = threading.Thread(target=found.serve_forever, args=(0.01,))
        thread.start()
        yield found.server_port, asked
        found.shutdown()
        thread.join()


@pytest.fixture
def session(server, monkeypatch):
    """One of requests that has a connection to `example.com`, as far as it knows."""
    port, _ = server
    here = socket.getaddrinfo("127.0.0.1", port, type=socket.SOCK_STREAM)
    with requests.Session() as found:
        found.trust_env = False
        with monkeypatch.context() as patch:
            patch.setattr(socket, "getaddrinfo", lambda *_args, **_options: here)
            assert found.get(f"http://example.com:{port}/before", timeout=30).text == "hello"
        yield found


def test_a_session_that_is_connected_asks_nothing_in_the_run(begin, server, session):
    port, asked = server
    with pytest.raises(Leak, match=r"a request to example\.com was stopped"), begin() as run:
        with pytest.raises((Leak, OSError)):
            session.get(f"http://example.com:{port}/in-the-run", timeout=30)
        raise run.model.failures[0]
    assert asked == ["/before"]


def test_a_host_that_was_allowed_is_asked(begin, server, session):
    port, asked = server
    with begin() as run:
        run.model.allow("example.com")
        assert session.get(f"http://example.com:{port}/allowed", timeout=30).text == "hello"
    assert asked == ["/before", "/allowed"]


@pytest.mark.parametrize(
    ("url", "tunnel", "told"),
    [
        ("/asked", None, "127.0.0.1"),
        ("/asked?next=http://example.com/", None, "127.0.0.1"),
        ("http://example.com/asked", None, "example.com"),
        ("/asked", "example.com", "example.com"),
    ],
)
def test_behind_a_proxy_it_is_the_host_that_is_asked_for(begin, server, url, tunnel, told):
    port, asked = server
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.connect()
    if tunnel:
        connection._tunnel_host = tunnel  # type: ignore[attr-defined]  # set_tunnel refuses once connected
    if told != "127.0.0.1":
        with pytest.raises(Leak, match=told), begin():
            connection.request("GET", url)
    with begin() as run:
        run.model.allow(told)
        connection.request("GET", url)
        assert connection.getresponse().read() == b"hello"
    connection.close()
    assert asked == [url]


def test_a_socket_of_another_kind_is_left_alone(begin):
    here, there = socket.socketpair()
    connection = http.client.HTTPConnection("docker")
    connection.sock = here
    with begin():
        connection.request("GET", "/info")
    assert there.recv(100).startswith(b"GET /info HTTP/1.1\r\n")
    connection.close()
    there.close()
