"""The machine's proxies: behind one of them nobody sees where a request goes, so that it is gone round in a run.

What Python's own library says of them is what requests, httpx and aiohttp believe. Child processes are told as ever.
"""

from __future__ import annotations

import os
from contextlib import suppress
from types import ModuleType
from urllib.parse import urlsplit

from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches

VARIABLES = tuple(spelt for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for spelt in (name, name.lower()))
HTTP = 80  # the port of a proxy that names none
NONE = {"no": "*"}
"""No proxy for any host, as the variables would say it."""


def patch(patches: Patches, hosts: Hosts) -> None:
    """Let clients know of no proxy until the patches are undone, or until some host outside is allowed."""
    hosts.proxies = of_the_machine()

    def apply(module: ModuleType) -> None:
        original = module.getproxies_environment
        patches.replace(module, "getproxies_environment", lambda: original() if hosts.allows_some else dict(NONE))

    patches.with_module("urllib.request", apply)


def of_the_machine() -> set[tuple[str, int]]:
    """Where the machine's proxies are, host and port."""
    found = set()
    for name in VARIABLES:
        value = os.environ.get(name) or ""
        with suppress(ValueError):
            parts = urlsplit(value if "://" in value else f"//{value}")
            if parts.hostname:
                found.add((parts.hostname, parts.port or HTTP))
    return found
