"""httpx and httpx2, below their own code: where httpcore and httpcore2 open connections.

A sync client that wants the provider gets a conversation without a socket: its deadlines pass on the run's clock, in
the thread that waits (really, where that is another thread than the run's). An async client gets a connection to the
provider's address, without TLS. Anybody else is connected as ever, if that is allowed. A connection that a client's
pool holds from before the run is not used in it, nor the other way round. Knows the network backends and connections
of these two libraries, and imports neither.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any
from weakref import WeakSet

from squall.clock import Clock
from squall.errors import is_weather
from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches
from squall.wire.http.sync import SyncConversation, TimedOut

__tracebackhide__ = is_weather
CORES = ("httpcore", "httpcore2")
OURS = "squall"
"""What streams of squall's own say of themselves, where they are asked for it."""
PROXIED = {
    "http_proxy": ("HTTPProxy", "ForwardHTTPConnection", "TunnelHTTPConnection"),
    "socks_proxy": ("SOCKSProxy", "Socks5Connection"),
}
"""Pools and connections of clients that were made with a proxy, by their module."""
Converse = Callable[[], SyncConversation]


def patch(patches: Patches, hosts: Hosts, converse: Converse, clock: Clock) -> None:
    """Put the provider below every httpx that is there, or will be, until the patches are undone."""

    def sync(module: ModuleType) -> None:
        backend = module.SyncBackend
        original = backend.connect_tcp

        def connect_tcp(self: Any, host: str, port: int, *args: Any, **options: Any) -> Any:
            if hosts.is_provider(host, port):
                if clock.mode == "virtual":
                    return stream_of(module, converse())
                stream = original(self, hosts.host, hosts.port, *args, **options)
                stream.start_tls = lambda *_args, **_options: stream
                return stream
            hosts.stop(host)
            return original(self, host, port, *args, **options)

        patches.replace(backend, "connect_tcp", connect_tcp)

    def asynchronous(name: str) -> Callable[[ModuleType], None]:
        def apply(module: ModuleType) -> None:
            backend = getattr(module, name)
            original = backend.connect_tcp

            async def connect_tcp(self: Any, host: str, port: int, *args: Any, **options: Any) -> Any:
                if hosts.is_provider(host, port):
                    stream = await original(self, hosts.host, hosts.port, *args, **options)

                    async def start_tls(*_args: Any, **_options: Any) -> Any:
                        return stream

                    stream.start_tls = start_tls
                    return stream
                hosts.stop(host)
                return await original(self, host, port, *args, **options)

            patches.replace(backend, "connect_tcp", connect_tcp)

        return apply

    def pooled(name: str) -> Callable[[ModuleType], None]:
        def apply(module: ModuleType) -> None:
            _only_from_now(patches, hosts, getattr(module, name))

        return apply

    for core in CORES:
        patches.with_module(f"{core}._backends.sync", sync)
        patches.with_module(f"{core}._backends.anyio", asynchronous("AnyIOBackend"))
        patches.with_module(f"{core}._backends.trio", asynchronous("TrioBackend"))
        patches.with_module(f"{core}._sync.connection", pooled("HTTPConnection"))
        patches.with_module(f"{core}._async.connection", pooled("AsyncHTTPConnection"))
        for way, start in (("_sync", ""), ("_async", "Async")):
            pool = f"{start}ConnectionPool"
            patches.with_module(f"{core}.{way}.connection_pool", _round_proxies(patches, hosts, pool, pool))
            for proxy, names in PROXIED.items():
                for name in names:
                    around = _round_proxies(patches, hosts, f"{start}{name}", pool)
                    patches.with_module(f"{core}.{way}.{proxy}", around)


def _round_proxies(patches: Patches, hosts: Hosts, name: str, pool: str) -> Callable[[ModuleType], None]:
    """Let clients that were made with a proxy go round it, unless they want a host outside that was allowed.

    `name` is a class of pools or of connections through a proxy; `pool` that of pools without one.
    """

    def apply(module: ModuleType) -> None:
        owner = getattr(module, name, None)
        if owner is None:  # SOCKS is an extra
            return
        if not hasattr(owner, "create_connection"):
            handles = owner.can_handle_request

            def can_handle_request(self: Any, origin: Any) -> bool:
                return not _is_round(hosts, origin) and bool(handles(self, origin))  # it is from before the run

            patches.replace(owner, "can_handle_request", can_handle_request)
            return
        plain, create = getattr(module, pool), owner.create_connection

        def create_connection(self: Any, origin: Any) -> Any:
            if not _is_round(hosts, origin):
                return create(self, origin)
            proxy, self._proxy = getattr(self, "_proxy", None), None
            try:
                return direct(self, origin)
            finally:
                self._proxy = proxy

        direct = create if owner is plain else plain.create_connection
        patches.replace(owner, "create_connection", create_connection)

    return apply


def _is_round(hosts: Hosts, origin: Any) -> bool:
    return hosts.goes_round_proxies(origin.host.decode("ascii"))


def _only_from_now(patches: Patches, hosts: Hosts, connection: Any) -> None:
    """Let pools use no connection from before where a new one would go elsewhere, or be stopped."""
    since: WeakSet[Any] = WeakSet()
    init, has_expired = connection.__init__, connection.has_expired

    def __init__(self: Any, *args: Any, **options: Any) -> None:  # noqa: N807 - it takes its place
        init(self, *args, **options)
        since.add(self)

    def expired(self: Any) -> bool:
        if self not in since and self.is_idle():
            origin = self._origin  # no public name leads to it
            host = origin.host.decode("ascii")
            if hosts.is_provider(host, origin.port) or hosts.is_outside(host):
                return True
        return bool(has_expired(self))

    patches.replace(connection, "__init__", __init__)
    patches.replace(connection, "has_expired", expired)
    if hasattr(connection, "aclose"):
        patches.replace(connection, "aclose", _closing(connection.aclose, since))


def _closing(close: Callable[[Any], Awaitable[None]], since: WeakSet[Any]) -> Callable[[Any], Awaitable[None]]:
    async def aclose(self: Any) -> None:
        try:
            await close(self)
        except RuntimeError:  # its loop is closed
            if self in since:
                raise

    return aclose


def stream_of(module: ModuleType, conversation: SyncConversation) -> Any:
    """The conversation as the library's own kind of stream, with its own exceptions."""

    class Stream(module.NetworkStream):  # type: ignore[misc, name-defined]  # of whichever library asks
        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            try:
                return conversation.read(max_bytes, timeout)
            except TimedOut as error:
                raise module.ReadTimeout("timed out") from error
            except ConnectionError as error:
                raise module.ReadError(str(error)) from error

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            try:
                conversation.write(buffer)
            except ConnectionError as error:
                raise module.WriteError(str(error)) from error

        def close(self) -> None:
            conversation.close()

        def start_tls(self, *_args: Any, **_options: Any) -> Any:
            return self

        def get_extra_info(self, info: str) -> Any:
            return {"is_readable": conversation.readable, OURS: True}.get(info)

    return Stream()
