"""Models that squall does not serve: an exploration would ask them again in each of its runs, and that costs money.

Sees what goes out by httpx (as openai, anthropic and litellm do) and by aiohttp, where it goes over a connection: what
somebody answers before it comes to that, as with a transport of the test's own, respx or pytest-httpx, costs nothing.
Knows where requests go, not what becomes of an exploration that makes some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from squall.capture.calling import CALLING
from squall.capture.replies import target_at
from squall.runs.current import current
from squall.wire.clients.below_httpcore import CORES, OURS
from squall.wire.clients.hosts import is_here, plain
from squall.wire.clients.patching import Patches

CONNECTIONS = {
    f"{core}.{module}": (kind, method)
    for core in CORES
    for module, kind, method in (
        ("_sync.http11", "HTTP11Connection", "handle_request"),
        ("_sync.http2", "HTTP2Connection", "handle_request"),
        ("_async.http11", "AsyncHTTP11Connection", "handle_async_request"),
        ("_async.http2", "AsyncHTTP2Connection", "handle_async_request"),
    )
}
"""What sends the bytes of a request, by its module. The last is there where somebody speaks HTTP/2."""
AIOHTTP = "aiohttp.connector"


class Live:
    """Notes the hosts of live models. `hosts` are those that were asked so far, in order."""

    def __init__(self) -> None:
        self.hosts: list[str] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look while the context lives."""
        patches = Patches()
        for name, (kind, method) in CONNECTIONS.items():
            patches.with_module(name, partial(self._watch, patches, kind, method))
        patches.with_module(AIOHTTP, lambda module: self._watch_aiohttp(patches, module))
        try:
            yield
        finally:
            patches.undo()

    def _watch(self, patches: Patches, kind: str, method: str, module: ModuleType) -> None:
        owner = getattr(module, kind)
        send = getattr(owner, method)

        def noting(connection: Any, request: Any) -> Any:
            if not _is_ours(connection):
                self._note(*_place(request.url))
            return send(connection, request)

        patches.replace(owner, method, noting)

    def _watch_aiohttp(self, patches: Patches, module: ModuleType) -> None:
        owner = module.BaseConnector
        patches.replace(owner, "connect", self._noting(owner.connect))

    def _noting(self, send: Callable[..., Any]) -> Callable[..., Any]:
        """`connect` of a connector: its first argument is the request."""

        def noting(connector: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
            self._note(request.url.host, request.url.path)
            return send(connector, request, *args, **kwargs)

        return noting

    def _note(self, host: str, path: str) -> None:
        host = plain(host)
        is_model = CALLING.get() is not None or target_at(path) is not None
        if is_model and host not in self.hosts and not is_here(host) and not _is_served(host):
            self.hosts.append(host)


def _is_ours(connection: Any) -> bool:
    """Whether it ends inside of squall, and not in a network."""
    stream = getattr(connection, "_network_stream", None)  # no public name leads to it
    return stream is not None and stream.get_extra_info(OURS) is not None


def _place(url: Any) -> tuple[str, str]:
    """The host and the path that a request is meant for, of which a proxy is told in its target."""
    target = url.target.decode("latin-1")
    if not target.startswith("/"):
        meant = urlsplit(target)
        return meant.hostname or url.host.decode("latin-1"), meant.path
    return url.host.decode("latin-1"), target.partition("?")[0]


def _is_served(host: str) -> bool:
    """Whether the run that goes on has a model fixture, which answers or stops whatever it has not let out."""
    run = current()
    model = None if run is None else vars(run).get("model")
    return model is not None and not model.lets_out(host)
