"""aiohttp: a request to a real provider's host goes to the run's, by its address. Imports nothing of aiohttp."""

from __future__ import annotations

from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches


def patch(patches: Patches, hosts: Hosts) -> None:
    """Turn the requests of every session that is there, or will be, until the patches are undone."""

    def apply(module: ModuleType) -> None:
        session = module.ClientSession
        original = session._request  # noqa: SLF001 - what all of its methods go through

        async def request(self: Any, method: str, url: Any, **options: Any) -> Any:
            asked = urlsplit(str(url))
            if asked.hostname is not None and hosts.is_provider(asked.hostname, asked.port):
                turned = asked._replace(scheme="http", netloc=f"{hosts.host}:{hosts.port}")
                return await original(self, method, turned.geturl(), **options)
            return await original(self, method, url, **options)

        patches.replace(session, "_request", request)

    patches.with_module("aiohttp.client", apply)
