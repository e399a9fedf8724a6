"""Everything that brings unmodified clients to one run's provider, on and off together."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from weakref import WeakSet

from squall.clock import Clock, VirtualClock
from squall.wire.clients import aiohttp, below_httpcore, environment, guard, http_client, proxies
from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches
from squall.wire.clients.threads import ToldOfThreads
from squall.wire.http.steps import Answer, Refuse
from squall.wire.http.sync import SyncConversation


class Routing:
    """Routes clients to a provider at `url`, which `answer` and `refuse` are."""

    def __init__(self, answer: Answer, refuse: Refuse, url: str, clock: Clock) -> None:
        self._answer, self._refuse = answer, refuse
        self._url, self._clock = url, clock
        self._hosts = Hosts(url)
        self._inside: set[Any] = set()
        self._conversations: WeakSet[SyncConversation] = WeakSet()

    @property
    def leaks(self) -> list[BaseException]:
        """The requests that were stopped on their way out, one for each host."""
        return self._hosts.leaks

    def allow(self, *hosts: str) -> None:
        """Let requests to these hosts out, named as in a URL."""
        for host in hosts:
            self._hosts.allow(host)

    def lets_out(self, host: str) -> bool:
        """Whether requests to a host outside were let out."""
        return self._hosts.is_allowed(host)

    def is_foreign(self, address: Any) -> bool:
        """Whether a client of that address is in another thread than the run's, or in another process."""
        return self._clock.mode == "virtual" and address[:2] not in self._inside

    @contextmanager
    def on(self) -> Iterator[None]:
        """Route while the context lives. A client that keeps a conversation for later finds it closed."""
        patches = Patches()
        try:
            below_httpcore.patch(patches, self._hosts, self._converse, self._clock)
            aiohttp.patch(patches, self._hosts)
            http_client.patch(patches, self._hosts)
            proxies.patch(patches, self._hosts)
            guard.patch(patches, self._hosts, self._connects)
            with environment.set_for(self._url):
                yield
        finally:
            patches.undo()
            for conversation in list(self._conversations):
                conversation.close()

    def _connects(self, sock: socket.socket, address: Any) -> None:
        """A socket connects: those of the run's own thread that come to the provider are known to be inside."""
        if address[1] == self._hosts.port and (not isinstance(self._clock, VirtualClock) or self._clock.is_mine()):
            self._inside.add(sock.getsockname()[:2])

    def _converse(self) -> SyncConversation:
        clock = cast("Clock", ToldOfThreads(self._clock))
        conversation = SyncConversation(self._answer, self._refuse, clock)
        self._conversations.add(conversation)
        return conversation
