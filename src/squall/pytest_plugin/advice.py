"""What to do about a test that nothing awaited: the words, by which plug-ins are there.

Imported when there is such a test. Knows the names of pytest-asyncio and anyio, not what they do.
"""

from __future__ import annotations

import pytest

ASYNCIO, ANYIO = "asyncio", "anyio"  # the names of the plug-ins and of their markers
AUTO = "asyncio_mode = auto"
IN_VAIN = "    A test that nothing awaits tests nothing, so it is no pass."
GENERATOR = "it is an async generator, which nothing runs: a test awaits, it does not yield"
RETURNED = "it returned a coroutine, and nothing awaits that: write `async def` and `await`, or use asyncio.run"
ANYIO_TOO = "    Or mark it @pytest.mark.anyio: anyio's plug-in is here, too."
UNITTEST = "nothing awaits it: derive its class from unittest.IsolatedAsyncioTestCase"
ELSEWHERE = "nothing awaited it, though it is marked: another plug-in or a conftest.py ran it instead"
MARK = f"nothing awaits it: add @pytest.mark.asyncio, or set {AUTO}"
SWITCHED_OFF = "nothing awaits it: pytest-asyncio is switched off (-p no:asyncio)"
INSTALL = "nothing awaits it: pip install pytest-asyncio"
_TOLD = pytest.StashKey[bool]()


def about(item: pytest.Function, what: str | None = None) -> str:
    """What to do about `item` (or `what`, if that is known), in full the first time in a session, then in a line."""
    lines = [what, IN_VAIN] if what else _unawaited(item)
    if item.config.stash.get(_TOLD, False):
        return lines[0]
    item.config.stash[_TOLD] = True
    return "\n".join(lines)


def _unawaited(item: pytest.Function) -> list[str]:
    manager = item.config.pluginmanager
    here = {name for name in (ASYNCIO, ANYIO) if manager.has_plugin(name)}
    if type(item).__name__ == "TestCaseFunction":
        return [UNITTEST, IN_VAIN]
    if any(item.get_closest_marker(name) for name in here):
        return [ELSEWHERE, IN_VAIN]
    anyio = [ANYIO_TOO] if ANYIO in here else []
    if ASYNCIO in here:
        return [MARK, IN_VAIN, *anyio]
    if manager.is_blocked(ASYNCIO):
        return [SWITCHED_OFF, IN_VAIN, *anyio]
    return [INSTALL, f"    Then mark it @pytest.mark.asyncio, or set {AUTO} in pytest's ini file.", IN_VAIN, *anyio]
