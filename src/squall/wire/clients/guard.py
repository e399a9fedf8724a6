"""The last guard: below every client there is Python's own socket, and it reaches nobody outside unasked.

Sees what goes through the `socket` module, in all threads of this process. Code in other languages that opens
connections of its own (libcurl, uvloop) and other processes are not seen.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from squall.errors import is_weather
from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches

__tracebackhide__ = is_weather
INTERNET = (socket.AF_INET, socket.AF_INET6)
BY_ADDRESS = ("connect", "connect_ex", "sendto")  # methods of sockets whose last argument is where to
BY_NAME = ("getaddrinfo", "gethostbyname", "gethostbyname_ex")  # functions whose first argument is a name
Connects = Callable[[socket.socket, Any], None]


def patch(patches: Patches, hosts: Hosts, connects: Connects) -> None:
    """Stop connections and look-ups of names outside, in this process, until the patches are undone.

    `connects(socket, address)` is called of every connection that is made to where it may go, or begun to be made.
    """
    known: set[str] = set()  # addresses of hosts that were allowed by name
    for name in BY_NAME:
        patches.replace(socket, name, _looking_up(getattr(socket, name), hosts, known))
    for name in BY_ADDRESS:
        patches.replace(socket.socket, name, _reaching(getattr(socket.socket, name), hosts, known, connects))


def _looking_up(original: Callable[..., Any], hosts: Hosts, known: set[str]) -> Callable[..., Any]:
    def look_up(host: Any, *args: Any, **options: Any) -> Any:
        name = _text(host)
        hosts.stop(name)
        found = original(host, *args, **options)
        if hosts.is_allowed(name):
            known.update(_addresses(found))
        return found

    return look_up


def _reaching(original: Callable[..., Any], hosts: Hosts, known: set[str], connects: Connects) -> Callable[..., Any]:
    def reach(self: socket.socket, *args: Any) -> Any:
        address = args[-1] if args else None
        if self.family not in INTERNET or not isinstance(address, tuple) or not address:
            return original(self, *args)
        host = _text(address[0])
        if host not in known:
            hosts.stop(host)
        if len(address) > 1 and isinstance(address[1], int):
            hosts.stop_proxied(host, address[1])
        try:
            return original(self, *args)
        finally:
            connects(self, address)

    return reach


def _text(host: Any) -> str:
    """A host as any of these functions takes it."""
    if isinstance(host, bytes | bytearray):
        return host.decode(errors="replace")
    return "" if host is None else str(host)


def _addresses(found: Any) -> set[str]:
    """The addresses that a look-up gave, whichever function it was."""
    if isinstance(found, str):
        return {found}
    if isinstance(found, tuple):  # gethostbyname_ex: name, other names, addresses
        return set(found[2])
    return {str(each[4][0]) for each in found}
