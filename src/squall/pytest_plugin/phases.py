"""The hooks around the phases of an item: its fixtures' loops, its body, its reports.

Knows when something happens, not what a run is made of.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator

import pytest

from squall.errors import Position
from squall.pytest_plugin.awaited import Unawaited, beside_others, driven, nothing, on_clock
from squall.pytest_plugin.notices import warn
from squall.pytest_plugin.run import Run, first_violated, in_one_line, run_of
from squall.pytest_plugin.wider import cleaned_up_late
from squall.runs.result import status_of

TRACE = "squall trace"
STRICT = "[XPASS(strict)]"
EXCINFO = "_excinfo"  # where pytest keeps what unittest noted


def _attach(run: Run) -> Callable[[], None]:
    """Puts the running loop of asyncio on the run's virtual clock."""
    clock = run.environment.clock if run.environment else None
    if clock is None or clock.mode == "wall":
        return nothing
    from squall.clock.real import running_loop  # tests that are only repeated do without clocks

    def on_the_running_loop() -> None:
        loop = running_loop()
        if loop is not None:
            clock.attach(loop)

    return on_the_running_loop


def is_async(function: Callable[..., object]) -> bool:
    """Whether a fixture's function is a coroutine function, or an async generator's."""
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A run begins, perhaps again."""
    if run := run_of(item):
        run.reset()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """A coroutine fixture may run on a loop that was born before this run's clock was in charge."""
    __tracebackhide__ = beside_others
    function = fixturedef.func
    run = run_of(request.node) if request.scope == "function" else None
    if not (run and run.environment) or not is_async(function):
        return (yield)
    vars(fixturedef)["func"] = on_clock(function, _attach(run))
    try:
        return (yield)
    finally:
        vars(fixturedef)["func"] = function


@pytest.hookimpl(wrapper=True, tryfirst=True)  # outermost: whoever swallows an error does so inside
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Run the test's body on the run's clock, then end the run, while its fixtures still live."""
    __tracebackhide__ = beside_others
    run = run_of(item)
    if run is None:
        return (yield)
    result: object = None
    error: BaseException | None = None
    try:
        with driven(run.item, _attach(run)):
            result = yield
    except Unawaited as unawaited:
        run.mistake = str(unawaited)
        error = pytest.fail.Exception(run.mistake, pytrace=False)
    except (KeyboardInterrupt, pytest.exit.Exception):
        run.ended = True  # by the person at the keyboard: nothing is evaluated any more
        raise
    except BaseException as raised:  # noqa: BLE001 - LimitReached and pytest's own outcomes are no Exceptions
        error = raised
    error = error or _of_unittest(run.item)
    run.finish(error)
    error = run.judge(error) or _told(run)
    if error is not None and error is not _of_unittest(run.item):
        vars(run.item).pop(EXCINFO, None)  # pytest would report that instead
        raise error
    return result


def _told(run: Run) -> BaseException | None:
    """Say once per test what was not as it should be about its time and weather; an error if warnings are errors."""
    path, line, _ = run.item.location
    for note in run.notes():
        message = f"{run.group}: {note}"
        told = run.item.config.stash.setdefault(_NOTES, set())
        if message not in told:
            told.add(message)
            if escalated := warn(run.item.config, message, Position(path, (line or 0) + 1)):
                return pytest.fail.Exception(escalated, pytrace=False)
    return None


_NOTES = pytest.StashKey[set[str]]()


def _of_unittest(item: pytest.Function) -> BaseException | None:
    """What unittest noted: its tests do not raise."""
    noted = getattr(item, EXCINFO, None)
    return noted[0].value if noted else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the run's trace beside a failure, and what its group must know into the report."""
    run = run_of(item)
    if run is None:
        return (yield)
    if call.when == "setup" and call.excinfo is not None:
        if cleaned_up_late(call.excinfo):
            run.wider.append(call.excinfo.value)
        run.finish(call.excinfo.value)  # an agent that runs in a fixture is an agent
        error = run.judge(call.excinfo.value)
        if error is not None and error is not call.excinfo.value:
            call.excinfo = pytest.ExceptionInfo.from_exception(error)
    report = yield
    note(run, call, report)
    if run.result is not None and call.when != "teardown" and not (run.quiet and report.passed):
        report.sections.append((TRACE, run.result.line))
        report.sections.extend(run.more)
    if run.index is not None and run.asked.rate is None:  # with a gate, one report speaks for all phases
        run.record().put(report)
    return report


def note(run: Run, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """What a phase came to, for the run's record."""
    error = call.excinfo.value if call.excinfo else None
    if hasattr(report, "wasxfail"):
        run.expected = report.wasxfail
    if report.failed and error is None and str(report.longrepr).startswith(STRICT):
        run.expected, run.strict = str(report.longrepr).removeprefix(STRICT).strip(), True
        return
    if call.when == "call" or error is None or run.status not in {"passed", "skipped"}:
        return
    status = status_of(error)
    if status != "skipped" or call.when == "setup":  # a fixture that skips in its teardown changes nothing
        run.status = status if status in {"skipped", "hung"} else "crashed"
        first = first_violated([error])
        run.violated = in_one_line(first) if first else ""
