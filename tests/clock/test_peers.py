from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
from collections.abc import Hashable

import pytest

from squall.clock import peers as peers_module
from squall.clock.peers import ANY, Ends, Peers, ends_of

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


@pytest.fixture
def selector():
    with selectors.DefaultSelector() as selector:
        yield selector


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def connect(listener):
    client = socket.create_connection(listener.getsockname())
    return client, listener.accept()[0]


def test_nothing_registered_is_nothing_foreign(selector):
    assert not Peers(selector, set()).foreign()


def test_both_ends_in_the_loop_are_inside(selector, listener):
    client, server = connect(listener)
    with client, server:
        peers = Peers(selector, set())
        selector.register(client, READ)
        selector.register(server, READ)
        assert not peers.foreign()


def test_an_end_elsewhere_is_foreign(selector, listener):
    client, server = connect(listener)
    with client, server:
        peers = Peers(selector, set())
        selector.register(client, READ)
        assert peers.foreign()
        assert peers.foreign()
        selector.unregister(client)
        assert not peers.foreign()


def test_a_client_outside_of_a_server_inside_is_foreign(selector, listener):
    client, server = connect(listener)
    with client, server:
        selector.register(listener, READ)
        selector.register(server, READ)
        assert Peers(selector, set()).foreign()


def test_a_server_that_listens_here_is_inside_even_while_it_does_not_read(selector, listener):
    client, server = connect(listener)
    with client, server:
        selector.register(listener, READ)
        selector.register(client, READ)
        assert not Peers(selector, set()).foreign()


@pytest.mark.parametrize("host", ANY)
def test_a_server_that_listens_on_every_address_is_inside(selector, host):
    try:
        listener = socket.create_server(
            (host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET, dualstack_ipv6=":" in host
        )
    except (OSError, ValueError):
        pytest.skip("no IPv6 on this machine")
    with listener, socket.create_connection(("127.0.0.1", listener.getsockname()[1])) as client:
        selector.register(listener, READ)
        selector.register(client, READ)
        peers = Peers(selector, set())
        assert not peers.foreign()
        server, _ = listener.accept()
        with server:
            selector.unregister(listener)
            selector.register(server, READ)
            assert not peers.foreign()


def test_an_end_with_another_loop_of_the_run_is_inside(selector, listener):
    inside: set[Hashable] = set()
    client, server = connect(listener)
    with client, server, selectors.DefaultSelector() as another:
        another.register(server, READ)
        Peers(another, inside).foreign()
        selector.register(client, READ)
        assert not Peers(selector, inside).foreign()


def test_socket_pairs_listeners_and_pipes_of_ones_own_do_not_count(selector, listener):
    one, two = socket.socketpair()
    read, write = os.pipe()
    try:
        with one, two:
            for registered in (one, read, write, listener):
                selector.register(registered, READ)
            assert not Peers(selector, set()).foreign()
    finally:
        os.close(read)
        os.close(write)


def test_a_pipe_whose_other_end_is_in_another_process_is_foreign(selector):
    with subprocess.Popen([sys.executable, "-Sc", "input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        selector.register(child.stdout, READ)
        peers = Peers(selector, set())
        assert peers.stranger() == "a pipe or device whose other end is elsewhere"
        child.communicate(b"\n")


@pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has them")
def test_what_is_neither_socket_nor_pipe_is_foreign(selector):
    number = os.eventfd(0)
    try:
        selector.register(number, READ)
        assert Peers(selector, set()).foreign()
    finally:
        os.close(number)


def test_a_machine_that_does_not_list_what_is_open_has_foreign_pipes_only(selector, monkeypatch):
    monkeypatch.setattr(peers_module, "OPEN", "/nowhere")
    read, write = os.pipe()
    try:
        selector.register(read, READ)
        assert Peers(selector, set()).foreign()
    finally:
        os.close(read)
        os.close(write)


def test_a_unix_socket_counts_by_its_path(selector, tmp_path):
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind(path)
        listener.listen()
        client.connect(path)
        selector.register(client, READ)
        peers = Peers(selector, set())
        assert peers.foreign()
        selector.register(listener, READ)
        assert not peers.foreign()


def test_a_connection_under_way_is_foreign_until_its_end_is_known(selector):
    with socket.socket() as client:
        client.setblocking(False)
        client.bind(("127.0.0.1", 0))
        selector.register(client, WRITE)
        assert ends_of(client.fileno()) == Ends(client.getsockname(), None, connecting=True)
        assert Peers(selector, set()).foreign()


def test_a_socket_that_hears_everybody_is_foreign_unless_another_one_is_here(selector):
    with socket.socket(type=socket.SOCK_DGRAM) as one, socket.socket(type=socket.SOCK_DGRAM) as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        selector.register(one, READ)
        peers = Peers(selector, set())
        assert peers.stranger() == f"a socket that hears everybody, 127.0.0.1:{one.getsockname()[1]}"
        selector.register(two, READ)
        assert peers.stranger() is None


def test_a_number_that_serves_another_socket_now_is_looked_at_anew(selector, listener):
    peers = Peers(selector, set())
    one, two = socket.socketpair()
    with one, two:
        number = one.fileno()
        selector.register(one, READ)
        assert not peers.foreign()
        selector.unregister(one)
    client, server = connect(listener)
    with client, server:
        os.dup2(client.fileno(), number)
        try:
            selector.register(number, READ)
            assert peers.foreign()
        finally:
            selector.unregister(number)
            if number not in (client.fileno(), server.fileno()):
                os.close(number)


def test_looking_leaves_the_socket_open(listener):
    assert ends_of(listener.fileno()).local == listener.getsockname()
    listener.getsockname()
