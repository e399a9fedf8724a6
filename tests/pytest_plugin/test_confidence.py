"""Gates with a confidence: passed, failed and inconclusive ones, as pytest's users see them."""

from __future__ import annotations

import pytest

GATES = """
    import pytest

    index = lambda request: request.node.callspec.indices["_squall_run"]

    def gate(rate, runs):
        return lambda test: pytest.mark.runs(runs)(pytest.mark.min_pass_rate(rate, confidence=0.9)(test))

    @gate(0.8, 22)
    def test_shown(request): assert index(request) != 3

    @gate(0.8, 8)
    def test_too_few(): pass

    @gate(0.8, 8)
    def test_too_few_and_one_bad(request): assert index(request) != 3, "planted"

    @gate(0.8, 8)
    def test_refuted(request): assert index(request) % 2, "boom"

    @pytest.mark.runs(8)
    @pytest.mark.min_pass_rate(0.8)
    def test_plain(request): assert index(request) != 3
"""
COUNTS = {"passed": 2, "failed": 3}
CALM = ("-W", "ignore")  # of too few runs, which is another matter
FEW = (
    "gate inconclusive: 8 of 8 runs passed, required 80 % at 90 % confidence: "
    "it passes with 3 more runs if all of them pass"
)
BAD = (
    "gate inconclusive: 7 of 8 runs passed, required 80 % at 90 % confidence: "
    "it passes with 10 more runs if all of them pass, with 50 at the rate so far"
)
REFUTED = "gate: 4 of 8 runs passed, required 80 % at 90 % confidence: the true rate is at most 76.04 %"


def each_verdict_is_told(done):
    assert done.ret == 1
    assert done.counts == COUNTS
    for sentence in (FEW, BAD, REFUTED):
        assert f"\n{sentence}\n" in done.text
    cells = {name: done.line(f"test_it.py::test_{name} ").split("  ")[-2:] for name in ("shown", "too_few", "refuted")}
    assert cells == {
        "shown": ["80 % at 90 %", "passed"],
        "too_few": ["80 % at 90 %", "inconclusive"],
        "refuted": ["80 % at 90 %", "failed"],
    }
    assert done.line("test_it.py::test_plain ").split("  ")[-2:] == ["80 %", "passed"]


def test_each_verdict_is_told(session):
    done = session(GATES, *CALM)
    each_verdict_is_told(done)
    assert done.text.count("run 3 failed:") == 1  # with its report, above the summary
    assert '\n    pytest "test_it.py::test_too_few_and_one_bad[run3]" --squall-seed=0' in done.text


def test_each_verdict_is_told_where_runs_are_distributed(session):
    each_verdict_is_told(session(GATES, *CALM, "-n2", apart=True))


def test_junit_has_the_verdict_beside_the_failure(session):
    done = session(GATES, *CALM, "-k", "too_few or shown or plain")
    found = {
        case.get("name"): {each.get("name"): each.get("value") for each in case.iter("property")} for case in done.junit
    }
    assert found == {
        "test_shown": {"squall.passed": "21/22", "squall.verdict": "passed"},
        "test_too_few": {"squall.passed": "8/8", "squall.verdict": "inconclusive"},
        "test_too_few_and_one_bad": {"squall.passed": "7/8", "squall.verdict": "inconclusive"},
        "test_plain": {"squall.passed": "7/8"},
    }
    (failure,) = next(case for case in done.junit if case.get("name") == "test_too_few").iter("failure")
    assert failure.get("message") == FEW


def test_as_many_more_runs_as_it_says_decide(session):
    assert session(GATES, *CALM, "-k", "test_too_few and not bad", "--runs=11").counts["passed"] == 1
    assert session(GATES, *CALM, "-k", "test_too_few and not bad", "--runs=10").counts["failed"] == 1
    assert session(GATES, *CALM, "-k", "bad", "--runs=18").counts["passed"] == 1


@pytest.mark.parametrize("stop", ["-x", "--maxfail=1"])
def test_an_inconclusive_gate_stops_a_session_that_stops_at_failures(session, stop):
    assert session(GATES, *CALM, stop).counts == {"passed": 1, "failed": 1}


def test_last_failed_runs_an_inconclusive_gate_again(session):
    session(GATES, *CALM, "-k", "test_too_few and not bad or plain")
    again = session(None, *CALM, "--lf")
    assert again.counts == {"failed": 1}
    assert FEW in again.text


def test_a_confidence_of_none_leaves_the_plain_share(session):
    code = """
        import pytest

        @pytest.mark.runs(4)
        @pytest.mark.min_pass_rate(1, confidence=None)
        def test_it(): pass
    """
    assert session(code).counts == {"passed": 1}
