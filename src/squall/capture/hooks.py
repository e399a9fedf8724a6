"""The hooks as a whole: on and off. Nothing is imported here that an agent does not import itself.

Each SDK is patched when it is imported, or at once where it has been: methods of its classes, so that clients that
exist already are seen too. A session that imports none pays for a few entries in a table.
"""

from __future__ import annotations

from types import ModuleType

from squall.capture import threads
from squall.capture.current import UNSEEN
from squall.capture.patching import Patches

_installed: Patches | None = None


def install() -> None:
    """Hook every SDK that is there, or will be. A second time does nothing."""
    global _installed  # noqa: PLW0603 - there is one process to hook
    if _installed is not None:
        return
    _installed = patches = Patches(UNSEEN)
    threads.patch(patches)
    for name in ("openai", "anthropic"):
        patches.with_module(f"{name}._base_client", _sdk)
    for name in ("httpx2", "httpx"):
        patches.with_module(f"{name}._client", _client)
    patches.with_module("aiohttp.client", _aiohttp)
    patches.with_module("litellm", _lite)
    patches.with_module("mcp.client.session", _mcp)


def installed() -> bool:
    """Whether they are on."""
    return _installed is not None


def uninstall() -> None:
    """Put everything back as it was."""
    global _installed  # noqa: PLW0603 - as above
    if _installed is not None:
        _installed.undo()
        UNSEEN.clear()
        _installed = None


def failures() -> list[str]:
    """The hooks that could not be put in place: what goes through those SDKs is not seen, and each run says so."""
    return list(UNSEEN)


def _sdk(patches: Patches, module: ModuleType) -> None:
    from squall.capture import sdk  # only where an SDK is there: it has the replies of all providers with it

    sdk.patch(patches, module)


def _client(patches: Patches, module: ModuleType) -> None:
    from squall.capture import clients  # as above

    clients.patch(patches, module)


def _aiohttp(patches: Patches, module: ModuleType) -> None:
    from squall.capture import aiohttp_client  # as above

    aiohttp_client.patch(patches, module)


def _lite(patches: Patches, module: ModuleType) -> None:
    from squall.capture import lite  # as above

    lite.patch(patches, module)


def _mcp(patches: Patches, module: ModuleType) -> None:
    from squall.capture import mcp_client  # as above

    mcp_client.patch(patches, module)
