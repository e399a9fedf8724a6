"""The same runs more than once in a session: each time they are a result of their own."""

from __future__ import annotations

GATES = """
    import pytest

    @pytest.mark.runs(3)
    @pytest.mark.min_pass_rate(0.6)
    def test_good(request): assert "run1]" not in request.node.name
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


def test_gates_that_every_worker_passes_are_a_success(session):
    done = session(GATES, "-n2", "--dist=each", apart=True)
    assert done.ret == 0
    assert done.counts == {"passed": 2}
