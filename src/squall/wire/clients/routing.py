"""Everything that brings unmodified clients to one run's provider, on and off together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from squall.clock import Clock
from squall.wire.clients import aiohttp, below_httpcore, environment, guard
from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches
from squall.wire.http.steps import Answer, Refuse
from squall.wire.http.sync import SyncConversation


class Routing:
    """Routes clients to a provider at `url`, which `answer` and `refuse` are."""

    def __init__(self, answer: Answer, refuse: Refuse, url: str, clock: Clock) -> None:
        self._converse = partial(SyncConversation, answer, refuse, clock)
        self._url, self._clock = url, clock
        self._hosts = Hosts(url)

    @property
    def leaks(self) -> list[BaseException]:
        """The requests that were stopped on their way out, one for each host."""
        return self._hosts.leaks

    def allow(self, *hosts: str) -> None:
        """Let requests to these hosts out."""
        self._hosts.allowed.update(hosts)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Route while the context lives."""
        patches = Patches()
        try:
            below_httpcore.patch(patches, self._hosts, self._converse, self._clock)
            aiohttp.patch(patches, self._hosts)
            guard.patch(patches, self._hosts)
            with environment.set_for(self._url):
                yield
        finally:
            patches.undo()
