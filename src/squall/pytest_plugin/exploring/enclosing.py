"""A test that builds no run of squall's, and asks a model by an SDK: a run is built around it.

So its calls are captured in virtual time, and its requests are places where faults can happen. Whoever answers them
stays in charge. Knows how a test's run comes about, and nothing of schedules.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import Any

import pytest

from squall.capture.replies import target_at
from squall.pytest_plugin import fixtures, markers
from squall.pytest_plugin.run import Run
from squall.pytest_plugin.runs import KEY
from squall.wire.clients.patching import Patches

CLIENTS = ("httpx._client", "httpx2._client")


@contextmanager
def watched() -> Iterator[list[str]]:
    """The paths of the requests to models that are made while the context lives, whoever answers them."""
    seen: list[str] = []
    patches = Patches()
    for name in CLIENTS:
        patches.with_module(name, lambda module: _watch(patches, module, seen))
    try:
        yield seen
    finally:
        patches.undo()


def _watch(patches: Patches, module: ModuleType, seen: list[str]) -> None:
    build = module.BaseClient.build_request  # captures are put elsewhere, and may be while a test runs

    @wraps(build)
    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        request = build(self, *args, **kwargs)
        if target_at(request.url.path) is not None:
            seen.append(request.url.path)
        return request

    patches.replace(module.BaseClient, "build_request", noted)


def enclose(item: pytest.Function) -> Run:
    """From now on each run of the test is one of squall's, with nothing in it but a clock and a trace."""
    run = item.stash.get(KEY, None)
    if run is None:
        run = item.stash[KEY] = Run(item, markers.read(item).once(), None)
        fixtures.insert(item)
    run.wanted = True
    return run
