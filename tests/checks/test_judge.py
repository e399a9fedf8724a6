from __future__ import annotations

import pytest

from squall.checks import Settings, judge
from squall.checks.check import Noop
from squall.checks.judge import CRASHED
from squall.checks.registry import names
from squall.checks.verdict import Mode, Verdict, fired, passed


class Fires(Noop):
    name = "fires"
    default: Mode = "fail"

    def run(self, trace, options):
        return fired(self.name, ["one", "two"], 3)


class Breaks(Noop):
    name = "breaks"
    default: Mode = "fail"

    def run(self, trace, options):
        raise KeyError("x")


class Strange(Noop):
    name = "strange"
    default: Mode = "warn"

    def run(self, trace, options):
        return True


class Bold(Noop):
    name = "bold"
    default: Mode = "warn"
    despite_gaps = True


ALL = [Fires(), Breaks(), Strange(), Noop()]


def verdicts(run, **settings):
    return {each.check: each for each in judge(run.trace, Settings(**settings), ALL)}


def test_checks_are_run_in_order_and_those_that_are_off_are_not(run):
    assert [each.check for each in judge(run.trace, among=ALL)] == ["fires", "breaks", "strange"]


def test_a_verdict_knows_whether_a_test_fails_by_it(run):
    found = verdicts(run, modes={"fires": "warn"})["fires"]
    assert (found.fired, found.fails, found.mode, found.parts) == (True, False, "warn", ["one", "two"])
    assert verdicts(run)["fires"].fails
    assert not verdicts(run, mode="warn")["fires"].fails


def test_a_check_that_breaks_is_unknown_and_says_how(run):
    found = verdicts(run)["breaks"]
    assert (found.verdict, found.reason, found.fails) == ("unknown", "check crashed: KeyError", False)
    assert "KeyError: 'x'" in found.detail


def test_a_check_that_gives_no_verdict_is_unknown(run):
    found = verdicts(run)["strange"]
    assert (found.verdict, found.reason) == ("unknown", f"{CRASHED}TypeError")
    assert "strange.run returned True" in found.detail


def test_a_run_of_which_something_was_not_seen_is_unknown_to_all_who_need_it(run):
    run.gap("hook of openai: KeyError")
    found = {each.check: each for each in judge(run.trace, among=[Fires(), Bold()])}
    assert found["fires"].verdict == "unknown"
    assert found["fires"].reason == "capture incomplete: hook of openai: KeyError"
    assert found["bold"].verdict == "pass"


def test_checks_are_chosen_and_skipped_by_name(run):
    assert list(verdicts(run, only=("fires", "noop"))) == ["fires", "noop"]
    assert verdicts(run, skip=("fires",))["fires"] == Verdict("fires", "skipped", mode="off")
    assert verdicts(run, mode="off") == {}
    assert verdicts(run, modes={"noop": "fail"})["noop"] == passed("noop")


def test_our_own_checks_are_there_in_order(run):
    assert names()[:2] == ["search_loop", "repeated_tool_call"]
    assert all(each.verdict == "pass" for each in judge(run.trace))


@pytest.mark.parametrize("check", names())
def test_an_empty_trace_passes_each_check(run, check):
    assert [each.verdict for each in judge(run.trace, Settings(only=(check,)))] == ["pass"]
