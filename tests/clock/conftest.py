from __future__ import annotations

import selectors

import pytest

from squall.clock import VirtualClock, real


@pytest.fixture
def clock():
    with VirtualClock().in_charge() as clock:
        yield clock


@pytest.fixture
def waits(monkeypatch):
    """The real waits of event loops, in seconds (None: until something is ready), and of `sleep`, which is skipped."""
    seen = []
    poll = selectors.DefaultSelector.select

    def select(self, timeout=None):
        if timeout is None or timeout > 0:
            seen.append(timeout)
        return poll(self, timeout)

    monkeypatch.setattr(selectors.DefaultSelector, "select", select)
    monkeypatch.setattr(real, "sleep", seen.append)
    return seen
