"""Where requests may go: to the provider, to this machine, to hosts that were allowed by name. Knows no client."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from squall.errors import Problem, SquallError

PROVIDERS = ("api.openai.com", "api.anthropic.com")
LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "")  # noqa: S104 - compared with, not bound to


class Leak(SquallError, ConnectionError):
    """A request to a host outside. It was stopped, and fails the run."""


class Hosts:
    """Tells where a request goes. `url` is the provider's address."""

    def __init__(self, url: str) -> None:
        split = urlsplit(url)
        self.host, self.port = split.hostname or "", split.port or 0
        self.allowed: set[str] = set()
        self.leaks: list[BaseException] = []

    def is_provider(self, host: str, port: int | None = None) -> bool:
        """Whether the provider answers there: at its own address, or in the place of a real one."""
        return host in PROVIDERS or (host in LOCAL and port == self.port)

    def stop(self, host: str) -> None:
        """Raise `Leak` for a host that is outside and not allowed. It is told once."""
        if self._is_local(host) or host in self.allowed:
            return
        hint = f'If that is meant: model.allow("{host}").'
        leak = Leak(Problem(f"a request to {host} was stopped: nothing may leave while model is in charge", hint=hint))
        if str(leak) not in map(str, self.leaks):
            self.leaks.append(leak)
        raise leak

    def _is_local(self, host: str) -> bool:
        if host in LOCAL or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False
