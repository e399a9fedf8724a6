from __future__ import annotations

import socket
import sys

import pytest

from squall.wire.http import peer
from squall.wire.http.peer import still_reads

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a table")


@pytest.fixture(
    params=[
        (socket.AF_INET, "127.0.0.1", "127.0.0.1"),
        (socket.AF_INET6, "::1", "::1"),
        (socket.AF_INET6, "::", "127.0.0.1"),
    ],
    ids=["IPv4", "IPv6", "IPv4 in IPv6"],
)
def pair(request):
    family, host, reached = request.param
    try:
        with socket.create_server((host, 0), family=family, dualstack_ipv6=host == "::") as listener:
            theirs = socket.create_connection((reached, listener.getsockname()[1]))
            ours, _ = listener.accept()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with ours, theirs:
        yield ours, theirs


@on_linux
def test_who_has_shut_down_its_sending_half_still_reads(pair):
    ours, theirs = pair
    theirs.shutdown(socket.SHUT_WR)
    assert ours.recv(1) == b""
    assert still_reads(ours)


def test_who_has_closed_does_not(pair):
    ours, theirs = pair
    theirs.close()
    assert ours.recv(1) == b""
    assert not still_reads(ours)


def test_where_nothing_can_be_known_nobody_reads(pair, monkeypatch):
    ours, theirs = pair
    theirs.shutdown(socket.SHUT_WR)
    monkeypatch.setattr(peer, "TABLES", dict.fromkeys(peer.TABLES, "/nowhere"))
    assert not still_reads(ours)
    one, other = socket.socketpair()
    with one, other:
        assert not still_reads(one)
