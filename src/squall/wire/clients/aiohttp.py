"""aiohttp: a request to a real provider's host goes to the run's, by its address. Imports nothing of aiohttp.

A request to a host outside is stopped here already: a connection that is open from before would not be seen below.
Websockets to this machine, and sessions over Unix sockets, are left alone.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from squall.errors import is_weather
from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches

__tracebackhide__ = is_weather


def patch(patches: Patches, hosts: Hosts) -> None:
    """Turn the requests of every session that is there, or will be, until the patches are undone."""

    def apply(module: ModuleType) -> None:
        session = module.ClientSession
        original = session._request  # noqa: SLF001 - what all of its methods go through

        async def request(self: Any, method: str, url: Any, **options: Any) -> Any:
            asked = _asked(self, url) if isinstance(self.connector, module.TCPConnector) else None
            if asked is None:
                return await original(self, method, url, **options)
            if hosts.is_provider(asked.host, asked.port):
                options.pop("proxy", None)
                turned = asked.with_scheme("http").with_host(hosts.host).with_port(hosts.port)
                return await original(self, method, turned, **options)
            hosts.stop(asked.host)
            return await original(self, method, url, **options)

        patches.replace(session, "_request", request)

    patches.with_module("aiohttp.client", apply)


def _asked(session: Any, url: Any) -> Any:
    """The address that a session will ask, which may be relative to its own; None where it is none."""
    try:
        asked = session._build_url(url)  # noqa: SLF001 - as above
    except (TypeError, ValueError):  # the session says what is wrong with it
        return None
    return asked if asked.host else None
