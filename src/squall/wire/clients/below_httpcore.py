"""httpx and httpx2, below their own code: where httpcore and httpcore2 open connections.

A sync client that wants the provider gets a conversation without a socket: its deadlines pass on the run's clock,
in the thread that waits. An async client gets a connection to the provider's address, without TLS. Anybody else is
connected as ever, if that is allowed. Knows the network backends of these two libraries, and imports neither.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from squall.clock import Clock
from squall.wire.clients.hosts import Hosts
from squall.wire.clients.patching import Patches
from squall.wire.http.sync import SyncConversation, TimedOut

CORES = ("httpcore", "httpcore2")
Converse = Callable[[], SyncConversation]


def patch(patches: Patches, hosts: Hosts, converse: Converse, clock: Clock) -> None:
    """Put the provider below every httpx that is there, or will be, until the patches are undone."""

    def sync(module: ModuleType) -> None:
        backend = module.SyncBackend
        original = backend.connect_tcp

        def connect_tcp(self: Any, host: str, port: int, *args: Any, **options: Any) -> Any:
            if hosts.is_provider(host, port) and clock.mode == "virtual":
                if not clock.is_mine():  # type: ignore[attr-defined]  # a virtual clock has threads of its own
                    return original(self, hosts.host, hosts.port, *args, **options)
                return _stream(module, converse())
            if hosts.is_provider(host, port):
                return _without_tls(original(self, hosts.host, hosts.port, *args, **options), "start_tls")
            hosts.stop(host)
            return original(self, host, port, *args, **options)

        patches.replace(backend, "connect_tcp", connect_tcp)

    def asynchronous(name: str) -> Callable[[ModuleType], None]:
        def apply(module: ModuleType) -> None:
            backend = getattr(module, name)
            original = backend.connect_tcp

            async def connect_tcp(self: Any, host: str, port: int, *args: Any, **options: Any) -> Any:
                if hosts.is_provider(host, port):
                    return _without_tls(await original(self, hosts.host, hosts.port, *args, **options), "aio")
                hosts.stop(host)
                return await original(self, host, port, *args, **options)

            patches.replace(backend, "connect_tcp", connect_tcp)

        return apply

    for core in CORES:
        patches.with_module(f"{core}._backends.sync", sync)
        patches.with_module(f"{core}._backends.anyio", asynchronous("AnyIOBackend"))
        patches.with_module(f"{core}._backends.trio", asynchronous("TrioBackend"))


def _without_tls(stream: Any, how: str) -> Any:
    """A stream whose TLS is there already, for all that its client knows."""

    async def start_tls(*_args: Any, **_options: Any) -> Any:
        return stream

    stream.start_tls = start_tls if how == "aio" else lambda *_args, **_options: stream
    return stream


def _stream(module: ModuleType, conversation: SyncConversation) -> Any:
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
            return conversation.readable if info == "is_readable" else None

    return Stream()
