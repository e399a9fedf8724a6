"""The same runs more than once in a session: each time they are a result of their own."""

from __future__ import annotations

import pytest

GATES = """
    import os, pytest

    WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")

    @pytest.mark.runs(3)
    @pytest.mark.min_pass_rate(0.6)
    def test_good(request): assert "run1]" not in request.node.name
"""
ONE_BAD_WORKER = """
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(1.0)
    def test_bad(request): assert WORKER != "gw1" or "run1]" not in request.node.name
"""
SECOND_TIME = """
    seen = []

    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(1.0)
    def test_bad(request):
        seen.append(request.node.name)
        assert len(seen) < 4
"""


def test_a_file_that_is_collected_twice_is_two_groups(session):
    done = session(GATES, "--keep-duplicates", "test_it.py", "test_it.py")
    assert done.ret == 0
    assert done.counts == {"passed": 2}
    assert done.text.count("test_it.py::test_good     2/3") == 2
    assert "never run" not in done.text


def test_a_run_that_fails_in_either_of_them_counts(session):
    done = session(GATES + SECOND_TIME, "--keep-duplicates", "test_it.py", "test_it.py", "-k", "bad")
    assert done.ret == 1
    assert done.counts["passed"] == done.counts["failed"] == 1
    assert "gate: 1 of 2 runs passed, required 100 %" in done.text


def test_runs_without_a_gate_are_counted_apart_too(session):
    code = "import pytest\n@pytest.mark.runs(2)\ndef test_it(): pass"
    done = session(code, "--keep-duplicates", "test_it.py", "test_it.py")
    assert done.counts == {"passed": 4}
    assert done.text.count("test_it.py::test_it     2/2") == 2


@pytest.mark.parametrize("bad", [True, False])
def test_where_every_worker_runs_all_tests_the_exit_status_is_that_of_all(session, bad):
    done = session(GATES + (ONE_BAD_WORKER if bad else ""), "-n2", "--dist=each", apart=True)
    assert done.ret == (1 if bad else 0)
    assert done.counts == ({"passed": 3, "failed": 1} if bad else {"passed": 2})
