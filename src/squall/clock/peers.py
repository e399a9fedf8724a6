"""Whether an event loop is connected to somebody outside it.

A jump is sound only if whoever could answer is in the loop too. Knows selectors and sockets, no clock.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Hashable, Iterable
from selectors import BaseSelector, SelectorKey
from typing import NamedTuple

Name = Hashable
ANY = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


class Ends(NamedTuple):
    """The two names of a socket, None where it has none; `connecting`: a remote one will come."""

    local: Name | None
    remote: Name | None
    connecting: bool = False


NOTHING = Ends(None, None)


class Peers:
    """The sockets that one loop waits for.

    `inside`, shared by the loops of a run, holds the names seen with any of them.
    """

    def __init__(self, selector: BaseSelector, inside: set[Name]) -> None:
        self._selector = selector
        self._local = inside
        self._seen: dict[int, tuple[SelectorKey, Ends]] = {}

    def foreign(self) -> bool:
        """Whether a socket registered here has its other end outside.

        An end is inside if a socket of that name was ever registered with one of the loops: a server that has
        stopped reading is still there. Ends without a name (socket pairs, pipes, listeners) do not count.
        """
        ends = list(self._ends())
        self._local.update(end.local for end in ends if end.local is not None)
        return any(end.connecting or (end.remote is not None and not self._is_local(end.remote)) for end in ends)

    def stranger(self) -> str | None:
        """The first of those sockets, in words."""
        for end in self._ends():
            if end.connecting:
                return "a connection that is being made"
            if end.remote is not None and not self._is_local(end.remote):
                return f"a connection to {_worded(end.remote)}"
        return None

    def _ends(self) -> Iterable[Ends]:
        for key in (self._selector.get_map() or {}).values():
            known = self._seen.get(key.fd)
            if known is not None and known[0] is key:
                yield known[1]
                continue
            ends = ends_of(key.fd)
            if not ends.connecting:
                self._seen[key.fd] = (key, ends)
            yield ends

    def _is_local(self, name: Name) -> bool:
        if name in self._local:
            return True
        return isinstance(name, tuple) and any((host, name[1]) in self._local for host in ANY)


def _worded(name: Name) -> str:
    return ":".join(map(str, name[:2])) if isinstance(name, tuple) else str(name)


def ends_of(fd: int) -> Ends:
    """The names of the socket behind a file descriptor."""
    try:
        sock = socket.socket(fileno=fd)
    except OSError:  # a pipe, a terminal
        return NOTHING
    try:
        return Ends(_name(sock.getsockname()), _name(sock.getpeername()))
    except OSError as error:
        return _unconnected(sock, error)
    finally:
        sock.detach()  # it is the loop's


def _unconnected(sock: socket.socket, error: OSError) -> Ends:
    try:
        local = _name(sock.getsockname())
        listening = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError:
        return NOTHING
    stream = sock.type == socket.SOCK_STREAM
    return Ends(local, None, connecting=stream and not listening and error.errno == errno.ENOTCONN)


def _name(address: object) -> Name | None:
    """A name that both ends agree on."""
    if isinstance(address, tuple):
        return (str(address[0]).removeprefix("::ffff:"), address[1])
    return address if isinstance(address, str | bytes) and address else None
