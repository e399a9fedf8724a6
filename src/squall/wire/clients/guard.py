"""The last guard: below every client there is Python's own socket, and it connects to nobody outside unasked."""

from __future__ import annotations

import socket
from typing import Any

from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches

INTERNET = (socket.AF_INET, socket.AF_INET6)


def patch(patches: Patches, hosts: Hosts) -> None:
    """Stop connections and look-ups of names outside, in this process, until the patches are undone."""
    resolve, connect, connect_ex = socket.getaddrinfo, socket.socket.connect, socket.socket.connect_ex
    known: set[str] = set()  # addresses of hosts that were allowed by name

    def getaddrinfo(host: Any, *args: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None:
            hosts.stop(str(name))
        found = resolve(host, *args, **options)
        if str(name) in hosts.allowed:
            known.update(str(each[4][0]) for each in found)
        return found

    def check(self: socket.socket, address: Any) -> None:
        if self.family in INTERNET and isinstance(address, tuple) and str(address[0]) not in known:
            hosts.stop(str(address[0]))

    def guarded(self: socket.socket, address: Any) -> None:
        check(self, address)
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        check(self, address)
        return connect_ex(self, address)

    patches.replace(socket, "getaddrinfo", getaddrinfo)
    patches.replace(socket.socket, "connect", guarded)
    patches.replace(socket.socket, "connect_ex", guarded_ex)
