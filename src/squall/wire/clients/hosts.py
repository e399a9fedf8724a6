"""Where requests may go: to the provider, to this machine, to hosts that were allowed by name. Knows no client."""

from __future__ import annotations

import ipaddress
import sys
import sysconfig
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

from squall.errors import Problem, SquallError, UsageError, is_weather, shown

PROVIDERS = ("api.openai.com", "api.anthropic.com")
HERE = ("", "localhost", "0.0.0.0", "::")  # noqa: S104 - compared with, not bound to; connecting to it stays here
LOCAL = ("localhost", "127.0.0.1", "::1")
PLACES = ("stdlib", "purelib", "platlib", "scripts")
OURS = Path(__file__).parents[2]
LIBRARIES = (*map(sysconfig.get_path, PLACES), str(OURS), "<")  # begin paths of what is no agent; frozen code has none
__tracebackhide__ = is_weather


class Leak(SquallError, ConnectionError):
    """A request to a host outside. It was stopped, and fails the run."""


class Hosts:
    """Tells where a request goes. `url` is the provider's address."""

    def __init__(self, url: str) -> None:
        split = urlsplit(url)
        self.host, self.port = split.hostname or "", split.port or 0
        self.proxies: set[tuple[str, int]] = set()  # of this machine: what goes through one goes anywhere
        self._allowed: set[str] = set()
        self._leaks: dict[str, BaseException] = {}

    @property
    def leaks(self) -> list[BaseException]:
        """What was stopped, once for each host."""
        return list(self._leaks.values())

    def allow(self, host: str) -> None:
        """Let requests to a host out. A port does not matter; of a URL the host counts. UsageError if there is none."""
        name = named(host)
        if not name:
            hint = 'Name one, as in model.allow("example.com").'
            raise UsageError(Problem(f"model.allow was given {shown(host)}, which is no host", hint=hint))
        self._allowed.add(name)

    def is_provider(self, host: str, port: int | None = None) -> bool:
        """Whether the provider answers there: at its own address, or in the place of a real one that is not allowed."""
        name = plain(host)
        if name in PROVIDERS:
            return name not in self._allowed
        return port == self.port and is_here(name)

    @property
    def allows_some(self) -> bool:
        """Whether any host outside was allowed."""
        return bool(self._allowed)

    def is_allowed(self, host: str) -> bool:
        """Whether a host outside was allowed by name."""
        return plain(host) in self._allowed

    def goes_round_proxies(self, host: str) -> bool:
        """Whether a request is kept from the machine's proxies, which would let nobody see where it goes."""
        return not self.is_allowed(host)

    def is_outside(self, host: str) -> bool:
        """Whether nothing may go there."""
        return not is_here(plain(host)) and not self.is_allowed(host)

    def stop(self, host: str) -> None:
        """Raise `Leak` for a host that is outside and not allowed. The run is told of each once."""
        if self.is_outside(host):
            leak = _leak(plain(host))
            self._leaks.setdefault(plain(host), leak)
            raise leak

    def stop_proxied(self, host: str, port: int) -> None:
        """Raise `Leak` for one of the machine's own proxies, while no host outside was allowed."""
        if not self.allows_some and any(
            port == number and plain(host) in _names(name) for name, number in self.proxies
        ):
            where = f"[{host}]:{port}" if ":" in host else f"{plain(host)}:{port}"
            leak = _leak(where)
            self._leaks.setdefault(where, leak)
            raise leak


def plain(host: str) -> str:
    """A host's name as it is compared."""
    return host.lower().rstrip(".")


def _names(proxy: str) -> tuple[str, ...]:
    """What a proxy's host may be called when somebody connects to it."""
    return LOCAL if proxy in LOCAL else (proxy,)


def named(text: object) -> str:
    """The host that a text names: `example.com`, `example.com:443`, `https://example.com/v1`; or nothing."""
    if not isinstance(text, str):
        return ""
    if ":" in text and "/" not in text and is_address(text):  # IPv6 without brackets
        return plain(text)
    try:
        found = urlsplit(text if "://" in text else f"//{text}").hostname
    except ValueError:
        return ""
    return plain(found or "")


def is_here(name: str) -> bool:
    """Whether a name or an address is this machine's own, which nothing leaves."""
    if name in HERE or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    inner = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or (inner is not None and inner.is_loopback)


def is_address(name: str) -> bool:
    """Whether it is an address, and no name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _leak(host: str) -> Leak:
    hint = f'If that is meant: model.allow("{host}").'
    if ":" in host and not is_address(host):
        hint = (
            "It is a proxy of this machine, behind which a request goes anywhere. Name in model.allow where it may go."
        )
    if host in PROVIDERS:
        hint = f"This client is not routed by itself: give it model.openai_base_url or anthropic_base_url. {hint}"
    if origin := _origin():
        hint = f"It came from {origin}. {hint}"
    return Leak(Problem(f"a request to {host} was stopped: nothing may leave while model is in charge", hint=hint))


def _origin() -> str:
    """The innermost line on the stack that is of no library: `agent.py:12 in ask`. A loop's own thread has none."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as logging and warnings do
    while frame is not None and frame.f_code.co_filename.startswith(LIBRARIES):
        frame = frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} in {frame.f_code.co_name}"
