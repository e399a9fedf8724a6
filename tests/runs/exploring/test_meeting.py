"""How a kept failure is met again, `runs/exploring/meeting.py`: exactly, by arrival, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import squall
from squall.errors import UsageError
from squall.runs.environment import Environment
from squall.runs.exploring.executing import Runner
from squall.runs.exploring.keeping import regression_of
from squall.runs.exploring.meeting import found_again, known, meet

FILE = Path("kept.json")


def pays(amount, times=2):
    def agent(run):
        squall.finally_(lambda: squall.at_most_once(run.world.sales, by="amount"))
        for _ in range(times):
            try:
                return run.tools.sell(amount=amount)
            except TimeoutError:
                continue
        return None

    return agent


class Counted(Runner):
    """Counts its runs."""

    runs = 0

    def under(self, weather):
        self.runs += 1
        return super().under(weather)


@pytest.fixture
def runner(till):
    return lambda agent: Counted(lambda: Environment(till), agent)


@pytest.fixture
def regression(runner):
    found = runner(pays(2.0))
    fault = next(each for each in found(()).seen[0].choices if (each.kind, each.phase) == ("timeout", "after"))
    return regression_of("sells", (fault,), found((fault,)), found.details, "replay FILE")


def test_where_its_points_are_met_it_runs_once_exactly(runner, regression):
    runs = runner(pays(2.0))
    met = meet(regression, runs)
    assert (met.replayed.how, met.replayed.leniently, runs.runs) == ("reproduced", (), 1)


def test_where_they_are_not_it_runs_once_more_by_arrival(runner, regression):
    runs = runner(pays(9.0))
    met = meet(regression, runs)
    assert (met.replayed.how, met.replayed.leniently, runs.runs) == ("reproduced", ("till.sell #1",), 2)


def test_the_one_that_is_mended_passes_by_arrival(runner, regression):
    met = meet(regression, runner(pays(9.0, times=1)))
    assert (met.replayed.how, met.replayed.leniently) == ("passes now", ("till.sell #1",))


def test_a_call_that_is_gone_is_met_in_neither_way(runner, regression):
    runs = runner(lambda _run: None)
    met = meet(regression, runs)
    assert (met.replayed.how, met.replayed.leniently, runs.runs) == ("fault not fired", (), 2)


def test_a_fault_that_met_its_point_and_changed_nothing_is_not_looked_for_elsewhere(runner, regression):
    stale = replace(regression, schedule=(replace(regression.schedule[0], kind="empty_result", phase="before"),))
    runs = runner(lambda run: (run.tools.sell(amount=2.0), run.tools.sell(amount=2.0)))
    meet(stale, runs)
    assert runs.runs == 1


def test_an_exploration_goes_on_with_the_points_where_the_faults_strike_by_now(runner, regression):
    runs = runner(pays(9.0))
    calm = {each.point for each in runs(()).seen}
    again = found_again(known(FILE, regression), runs, calm)
    assert again.moved
    assert {choice.point for choice in again.schedule} <= calm
    assert runs(again.schedule).fired == again.schedule


def test_points_that_a_run_without_faults_has_need_no_run(runner, regression):
    runs = runner(pays(2.0))
    kept, calm = known(FILE, regression), {each.point for each in runs(()).seen}
    before = runs.runs
    assert found_again(kept, runs, calm) is kept
    assert runs.runs == before


@pytest.mark.parametrize("agent", [pays(2.0), lambda _run: None])
def test_what_is_met_exactly_or_not_at_all_stays_as_it_stands_in_its_file(runner, regression, agent):
    kept = known(FILE, regression)
    assert found_again(kept, runner(agent), ()) is kept


def test_a_kind_that_is_not_there_is_wrong_input(regression):
    gone = replace(regression, schedule=(replace(regression.schedule[0], kind="gone"),))
    with pytest.raises(UsageError, match=r"kept\.json: a fault of this file cannot be made here: gone\n    Install"):
        known(FILE, gone)
    misspelt = replace(regression, schedule=(replace(regression.schedule[0], kind="stream_disconect"),))
    with pytest.raises(UsageError, match=r": stream_disconect; did you mean 'stream_disconnect'\?\n    Install"):
        known(FILE, misspelt)
