"""http.client, on which urllib, requests and boto3 are built: a connection from before the run is asked nothing in it.

New connections are seen where they are made; one that is open already is used without a word to anybody below.
"""

from __future__ import annotations

import socket
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from squall.errors import is_weather
from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches

__tracebackhide__ = is_weather
INTERNET = (socket.AF_INET, socket.AF_INET6)


def patch(patches: Patches, hosts: Hosts) -> None:
    """Stop requests to hosts outside over connections that are open, until the patches are undone."""

    def apply(module: ModuleType) -> None:
        connection = module.HTTPConnection
        original = connection.putrequest

        def putrequest(self: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
            if getattr(getattr(self, "sock", None), "family", None) in INTERNET:
                hosts.stop(_asked(self, url))
            return original(self, method, url, *args, **options)

        patches.replace(connection, "putrequest", putrequest)

    patches.with_module("http.client", apply)


def _asked(connection: Any, url: str) -> str:
    """The host that a request is for, also behind a proxy."""
    if "://" in url and not url.startswith("/"):
        try:
            return urlsplit(url).hostname or ""
        except ValueError:
            return ""
    return str(connection._tunnel_host or connection.host)  # noqa: SLF001 - there is no other name for it
