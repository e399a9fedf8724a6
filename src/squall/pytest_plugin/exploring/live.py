"""Models that squall does not serve: an exploration would ask them again in each of its runs, and that costs money.

Sees what goes out by httpx (as openai, anthropic and litellm do) and by aiohttp; clients with a transport of their own
in place of the network are not seen. Knows where requests go, not what becomes of an exploration that makes some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from squall.capture.calling import CALLING
from squall.capture.replies import target_at
from squall.runs.current import current
from squall.wire.clients.hosts import is_here, plain
from squall.wire.clients.patching import Patches

HTTPX = ("httpx", "httpx2")
AIOHTTP = "aiohttp.connector"


class Live:
    """Notes the hosts of live models. `hosts` are those that were asked so far, in order."""

    def __init__(self) -> None:
        self.hosts: list[str] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look while the context lives."""
        patches = Patches()
        for name in HTTPX:
            patches.with_module(name, lambda module: self._watch_httpx(patches, module))
        patches.with_module(AIOHTTP, lambda module: self._watch_aiohttp(patches, module))
        try:
            yield
        finally:
            patches.undo()

    def _watch_httpx(self, patches: Patches, module: ModuleType) -> None:
        for kind, name in (("HTTPTransport", "handle_request"), ("AsyncHTTPTransport", "handle_async_request")):
            owner = getattr(module, kind, None)
            if owner is not None:
                patches.replace(owner, name, self._noting(getattr(owner, name)))

    def _watch_aiohttp(self, patches: Patches, module: ModuleType) -> None:
        owner = module.BaseConnector
        patches.replace(owner, "connect", self._noting(owner.connect))

    def _noting(self, send: Callable[..., Any]) -> Callable[..., Any]:
        """`send` of a transport, sync or async: its first argument is the request."""

        def noting(transport: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
            self._note(request.url.host, request.url.path)
            return send(transport, request, *args, **kwargs)

        return noting

    def _note(self, host: str, path: str) -> None:
        host = plain(host)
        is_model = CALLING.get() is not None or target_at(path) is not None
        if is_model and host not in self.hosts and not is_here(host) and not _is_served(host):
            self.hosts.append(host)


def _is_served(host: str) -> bool:
    """Whether the run that goes on has a model fixture, which answers or stops whatever it has not let out."""
    run = current()
    model = None if run is None else vars(run).get("model")
    return model is not None and not model.lets_out(host)
