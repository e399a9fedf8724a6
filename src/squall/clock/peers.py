"""Whether an event loop hears somebody outside it.

A jump is sound only if whoever could answer is in the loop too. Knows selectors, sockets and pipes, no clock.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Hashable, Iterable
from contextlib import suppress
from pathlib import Path
from selectors import BaseSelector, SelectorKey
from typing import NamedTuple

Name = Hashable
ANY = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to
OPEN = "/dev/fd"  # lists what this process has open, on Linux and macOS


class Ends(NamedTuple):
    """The two names of a socket, None where it has none.

    `connecting`: a remote one will come. `datagrams`: it has none, and hears everybody. `other`: it is no socket.
    """

    local: Name | None
    remote: Name | None
    connecting: bool = False
    datagrams: bool = False
    other: bool = False


NOTHING = Ends(None, None)


class Peers:
    """The sockets and pipes that one loop waits for.

    `inside`, shared by the loops of a run, holds the names seen with any of them.
    """

    def __init__(self, selector: BaseSelector, inside: set[Name]) -> None:
        self._selector = selector
        self._local = inside
        self._seen: dict[int, tuple[SelectorKey, Ends]] = {}

    def note(self, fd: int) -> None:
        """Something is registered: it is inside from now on, even if it is never seen waiting."""
        local = ends_of(fd).local
        if local is not None:
            self._local.add(local)

    def foreign(self) -> bool:
        """Whether anything registered here has its other end outside."""
        return self.stranger() is not None

    def stranger(self) -> str | None:
        """The first of what has its other end outside, in words.

        An end is inside if a socket of that name was ever registered with one of the loops: a server that has
        stopped reading is still there. Ends without a name (socket pairs, listeners) do not count. Of sockets that
        hear everybody, two may hear each other; one alone hears somebody outside. A pipe is inside if this process has
        the other end too.
        """
        ends = list(self._ends())
        self._local.update(end.local for _, end in ends if end.local is not None)
        alone = sum(end.datagrams for _, end in ends) == 1
        for fd, end in ends:
            if end.connecting:
                return "a connection that is being made"
            if end.remote is not None and not self._is_local(end.remote):
                return f"a connection to {_worded(end.remote)}"
            if end.datagrams and alone:
                return f"a socket that hears everybody, {_worded(end.local)}"
            if end.other and not _is_own_pipe(fd):
                return "a pipe or device whose other end is elsewhere"
        return None

    def _ends(self) -> Iterable[tuple[int, Ends]]:
        for key in (self._selector.get_map() or {}).values():
            known = self._seen.get(key.fd)
            if known is not None and known[0] is key:
                yield key.fd, known[1]
                continue
            ends = ends_of(key.fd)
            if not ends.connecting:
                self._seen[key.fd] = (key, ends)
            yield key.fd, ends

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
        return Ends(None, None, other=True)
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
    stream = sock.type in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET)
    lonely = not listening and error.errno == errno.ENOTCONN
    return Ends(local, None, connecting=stream and lonely, datagrams=not stream and lonely)


def _is_own_pipe(fd: int) -> bool:
    """Whether it is a pipe whose other end this process has as well: whoever uses that is a thread, or the loop."""
    try:
        this, numbers = os.fstat(fd), [int(each.name) for each in Path(OPEN).iterdir()]
    except OSError:
        return False
    if not stat.S_ISFIFO(this.st_mode):
        return False
    for other in numbers:
        with suppress(OSError):  # the list itself has been closed by now
            if other != fd and os.path.samestat(os.fstat(other), this) and _writes(other) != _writes(fd):
                return True
    return False


def _writes(fd: int) -> bool:
    import fcntl  # there is none on Windows, nor are there such pipes in a loop

    return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY


def _name(address: object) -> Name | None:
    """A name that both ends agree on."""
    if isinstance(address, tuple):
        return (str(address[0]).removeprefix("::ffff:"), address[1])
    return address if isinstance(address, str | bytes) and address else None
