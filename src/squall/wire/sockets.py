"""Listening sockets of this machine. Knows no protocol that is spoken on them."""

from __future__ import annotations

import errno
import socket
from ipaddress import ip_address

from squall.errors import Problem, SquallError, UsageError

BACKLOG = 1024


class BusyPort(SquallError):
    """Somebody else listens there already."""


def reserve(host: str = "127.0.0.1", port: int = 0) -> socket.socket:
    """A socket that listens, so that the kernel takes connections from now on. Port 0: any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, OverflowError) as error:
        raise UsageError(
            Problem(f"there is no address {host!r}: {error}", hint="Name one of this machine's.")
        ) from None
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise BusyPort(f"port {port} of {host} is taken: choose another with --port, or end what uses it") from None
        raise UsageError(Problem(f"cannot listen on {host}:{port}: {error.strerror}")) from None
    sock.settimeout(0)
    return sock


def is_local(host: str) -> bool:
    """Whether no other machine reaches what listens at a host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def url_of(sock: socket.socket, path: str) -> str:
    """The address of a listening socket for a client on this machine."""
    host, port = sock.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{path}"
