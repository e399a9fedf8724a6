"""Failures as files, and what a replay came to, `runs/exploring/keeping.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import squall
from squall.errors import UsageError
from squall.runs.environment import Environment
from squall.runs.exploring.executing import Runner
from squall.runs.exploring.keeping import arrivals_of, compare, keep, regression_of, schedule_of
from squall.runs.exploring.weather import Weather
from squall.store import regressions


def twice(run):
    squall.finally_(lambda: squall.at_most_once(run.world.sales, by="amount"))
    try:
        run.tools.sell(amount=2.0)
    except (TimeoutError, ConnectionError):
        run.tools.sell(amount=2.0)


def once(run):
    squall.finally_(lambda: squall.at_most_once(run.world.sales, by="amount"))
    try:
        run.tools.sell(amount=2.0)
    except (TimeoutError, ConnectionError):
        run.tools.list_sales()


def other(run):
    squall.finally_(lambda: squall.at_most_once(run.world.sales, by="amount"))
    run.tools.sell(amount=3.0)
    run.tools.sell(amount=3.0)


def nothing(run):
    pass


@pytest.fixture
def runner(till):
    return lambda agent: Runner(lambda: Environment(till), agent)


@pytest.fixture
def regression(runner):
    found = runner(twice)
    fault = next(each for each in found(()).seen[0].choices if (each.kind, each.phase) == ("timeout", "after"))
    observed = found((fault,))
    assert observed.bad
    return regression_of("tests/test_till.py::test_sell", (fault,), observed, found.details, "replay FILE")


def replayed(runner, agent, regression, **weather):
    again = runner(agent)
    schedule = schedule_of(regression)
    observed = again.under(Weather(schedule, lenient=True, arrivals=arrivals_of(regression)))
    return compare(regression, observed, again.details)


def test_a_file_holds_what_a_replay_needs_and_reads_back_as_it_was(regression, tmp_path):
    path, whole = keep(regression, tmp_path / "kept")
    assert path.name == f"test_till.py-test_sell-{regression.hash}.json"
    assert regressions.read(path) == whole
    assert whole.how == f"replay {path.as_posix()}"
    assert schedule_of(whole) == schedule_of(regression)
    assert str(Path.cwd()) not in path.read_text().replace(path.as_posix(), "")


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("tests/test_till.py::test_sell[a/b]", "test_till.py-test_sell[a_b]-"),
        ("test_till.py::TestTill::test_sell[../../up]", "test_till.py-TestTill-test_sell[.._.._up]-"),
        ("lost refund × mine/strategy:it", "strategy_it-"),
    ],
)
def test_a_file_is_named_after_the_test_also_where_its_parameters_have_slashes(regression, test, name):
    assert replace(regression, test=test).file_name.startswith(name)


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ('"phase": "after"', '"phase": "afterwards"'),
        ('"wire": "tool"', '"wire": "tools"'),
        ('"nth": 1', '"nth": 0'),
        ('"arrival": 1', '"arrival": -1'),
        ('"attempt": 1', '"attempt": 0'),
        ('"violated": "at_most_once', '"violated": "", "was": "'),
    ],
)
def test_a_file_that_asks_for_what_cannot_happen_is_refused_and_never_seems_to_pass(
    regression, tmp_path, written, instead
):
    path, _ = keep(regression, tmp_path)
    text = path.read_text()
    assert written in text
    path.write_text(text.replace(written, instead))
    with pytest.raises(UsageError, match="this is no regression file: Expected"):
        regressions.read(path)


def test_it_may_be_shown_under_another_path(regression, tmp_path):
    _, whole = keep(regression, tmp_path / "kept", shown=Path("kept"))
    assert whole.how == f"replay kept/{regression.file_name}"


def test_the_same_failure_is_the_same_file(regression, tmp_path):
    first, _ = keep(regression, tmp_path)
    before = first.stat().st_mtime_ns
    again, _ = keep(regression, tmp_path)
    assert (again, again.stat().st_mtime_ns) == (first, before)
    unread: list[UsageError] = []
    assert regressions.kept(tmp_path, regression.test, unread.append) == [(first, regressions.read(first))]
    assert regressions.kept(tmp_path, "another test", unread.append) == []
    assert regressions.kept(tmp_path / "nowhere", regression.test, unread.append) == []
    assert unread == []


def test_the_same_agent_reproduces_it(runner, regression):
    found = replayed(runner, twice, regression)
    assert (found.how, found.leniently) == ("reproduced", ())
    assert found.words == f"reproduced: {regression.violated}"


def test_a_mended_agent_passes_now(runner, regression):
    assert replayed(runner, once, regression).how == "passes now"


def test_an_agent_that_never_comes_there_has_not_met_the_fault(runner, regression):
    found = replayed(runner, nothing, regression)
    assert found.how == "fault not fired"
    assert found.words == "fault not fired: timeout (after) at till.sell; nothing else is wrong"


def test_other_arguments_are_met_by_arrival_and_that_is_said(runner, regression):
    def dearer(run):
        squall.finally_(lambda: squall.at_most_once(run.world.sales, by="amount"))
        try:
            run.tools.sell(amount=9.0)
        except TimeoutError:
            run.tools.sell(amount=9.0)

    found = replayed(runner, dearer, regression)
    assert found.leniently == ("till.sell #1",)


def test_something_else_that_fails_has_diverged_at_an_event(runner, regression):
    def crashes(run):
        run.tools.sell(amount=2.0)

    found = replayed(runner, crashes, regression)
    assert found.how == "diverged"
    assert found.words.startswith("diverged at event ")
    assert "expected " in found.words


def test_where_the_trace_differs_although_the_same_fails_that_is_said(runner, regression):
    changed = replace(regression, events=("run_start 00000000", *regression.events[1:]))
    found = replayed(runner, twice, changed)
    assert found.how == "reproduced"
    assert found.words.endswith("(the trace differs from event 1 on)")
