"""What goes wrong in the clean-up of fixtures that outlive a run: it is no run's own, so no gate may absorb it.

pytest cleans up wider-scoped fixtures together with the last item that uses them, or, where they have parameters, as
the first item with other parameters is set up. Knows how pytest does both; what becomes of the errors stands in `gate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest import fixtures
from _pytest.runner import check_interactive_exception

if TYPE_CHECKING:
    from squall.pytest_plugin.run import Run

ATTRIBUTE = "squall_wider"  # on the reports of such errors: the group's id


@contextmanager
def apart(run: Run) -> Iterator[None]:
    """While the run's item is torn down: what it raises itself is raised, what wider-scoped fixtures raise is noted."""
    state: Any = run.item.session._setupstate  # noqa: SLF001 - the hook for tearing down cannot tell one from the other
    tear_down = state.teardown_exact

    def wider(nextitem: pytest.Item | None) -> None:
        try:
            tear_down(nextitem)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # noqa: BLE001 - pytest reports them all
            run.wider.append(error)

    def teardown_exact(nextitem: pytest.Item | None) -> None:
        __tracebackhide__ = True
        try:
            tear_down(run.item.parent)  # as if a test of the same class or module came next: the item and no more
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException:
            wider(nextitem)
            raise
        wider(nextitem)

    state.teardown_exact = teardown_exact
    try:
        yield
    finally:
        del state.teardown_exact


def cleaned_up_late(error: pytest.ExceptionInfo[BaseException]) -> bool:
    """Whether the error of a set-up is that of a fixture which first gave up its value for other parameters."""
    here = Path(fixtures.__file__)
    return any(entry.name == fixtures.FixtureDef.finish.__name__ and entry.path == here for entry in error.traceback)


def report_of(item: pytest.Item, error: BaseException, group: str) -> pytest.TestReport:
    """pytest's own report of the error, to be shown under the group's id."""

    def once_more() -> None:
        __tracebackhide__ = True
        raise error

    call = pytest.CallInfo.from_call(once_more, "teardown")
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    if check_interactive_exception(call, report):
        item.ihook.pytest_exception_interact(node=item, call=call, report=report)
    vars(report)[ATTRIBUTE] = group
    return report
