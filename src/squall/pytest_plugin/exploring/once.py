"""An item run once, with all its hooks, and no report of it logged. It can be run again as if it never had been.

Fixtures of function scope are made anew for each run; wider ones stay. Knows pytest's phases, not what a run is for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import pytest


class Phase(NamedTuple):
    """One phase of a run: what was raised in it, if anything was, and the report of it."""

    when: str
    error: BaseException | None
    report: pytest.TestReport


class Subtest(NamedTuple):
    """A failed one: what it says in a line, its report, and what it is called, which may be nothing."""

    said: str
    text: str
    name: str = ""


class Again:
    """Runs one item, as often as asked. What runs leave in it is removed before the next."""

    def __init__(self, item: pytest.Function) -> None:
        self.item = item
        self._marks = list(item.own_markers)
        keywords: Any = item.keywords
        self._named: dict[str, Any] = keywords._markers  # noqa: SLF001 - what a test adds leaves it by no public way
        self._keywords = dict(self._named)
        self._properties = list(item.user_properties)
        self._timer = Timer(item)
        self._timer.stop()
        self._subtests = _failed_subtests(item.config)

    def __call__(self) -> list[Phase]:
        """One run. Fixtures of wider scope stay set up."""
        item = self.item
        self.reset()
        hook = item.ihook
        if not vars(item).get("_request"):  # as pytest does where an item runs again
            item._initrequest()  # noqa: SLF001 - there is no public way
        try:
            with self._timer.running():
                phases = [_phase(item, "setup", partial(hook.pytest_runtest_setup, item=item))]
                if phases[0].report.passed:
                    phases.append(_phase(item, "call", partial(hook.pytest_runtest_call, item=item)))
                down = partial(hook.pytest_runtest_teardown, item=item, nextitem=item.parent)
                phases.append(_phase(item, "teardown", down))
        finally:
            vars(item).update(_request=False, funcargs=None)
        return phases

    def reset(self) -> None:
        """Make the item what it was before its first run."""
        item = self.item
        mine = vars(item)
        if mine.get("_instance") is not None and getattr(mine.get("_obj"), "__self__", None) is mine["_instance"]:
            del mine["_instance"]  # a fresh instance of the test's class, as for a new item
            mine["_obj"] = None
        mine.pop("_excinfo", None)  # what unittest noted
        item.own_markers[:] = self._marks
        if len(self._named) != len(self._keywords):
            self._named.clear()
            self._named.update(self._keywords)
        item.user_properties[:] = self._properties
        item._report_sections.clear()  # noqa: SLF001 - else captured output piles up over the runs
        if self._subtests is not None:
            self._subtests.pop(getattr(item, "id", item.nodeid), None)


class Timer:
    """pytest-timeout's clock, which is for one run, and not for all of an exploration."""

    def __init__(self, item: pytest.Function) -> None:
        self._item = item
        plugin: Any = item.config.pluginmanager.get_plugin("timeout")
        read = getattr(plugin, "_get_item_settings", None)
        settings = read(item) if read else None
        on = settings is not None and bool(settings.timeout) and not settings.func_only
        self._settings = settings if on else None

    def stop(self) -> None:
        """Stop the clock that runs for the item as a whole."""
        if self._settings is not None:
            self._item.config.pluginmanager.hook.pytest_timeout_cancel_timer(item=self._item)

    @contextmanager
    def running(self) -> Iterator[None]:
        """While the context lives the clock runs, from its beginning."""
        if self._settings is None:
            yield
            return
        self._item.config.pluginmanager.hook.pytest_timeout_set_timer(item=self._item, settings=self._settings)
        try:
            yield
        finally:
            self.stop()


def _phase(item: pytest.Function, when: Any, hook: Any) -> Phase:
    call = pytest.CallInfo.from_call(hook, when=when, reraise=(pytest.exit.Exception, KeyboardInterrupt))
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    return Phase(when, None if call.excinfo is None else call.excinfo.value, report)


def _failed_subtests(config: pytest.Config) -> Any:
    """Where pytest counts them, by item; None where it has no subtests."""
    try:
        from _pytest.subtests import failed_subtests_key  # since pytest 9
    except ImportError:
        return None
    return config.stash.get(failed_subtests_key, None)
