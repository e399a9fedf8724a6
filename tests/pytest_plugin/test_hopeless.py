"""Gates that so few runs cannot pass are told of before they run."""

from __future__ import annotations

import pytest

CODE = """
    import pytest

    @pytest.mark.runs(20)
    @pytest.mark.min_pass_rate(0.95, confidence=0.95)
    @pytest.mark.parametrize("case", ["a", "b"])
    def test_gate(case): pass
"""
SHOWN = ("-W", "default")
TOLD = (
    "test_gate[a]: its gate cannot pass: to show 95 % at 95 % confidence takes 59 runs without a failure, and there "
    "are 20. Write mark.runs(59), or give --runs=59"
)


def test_too_few_runs_are_a_warning_once_per_group_that_points_at_the_mark(session):
    done = session(CODE, *SHOWN)
    assert done.counts == {"failed": 2, "warnings": 2}
    assert done.text.count(TOLD) == 1
    assert "test_it.py:4: SquallWarning: test_it.py::test_gate[a]: its gate cannot pass" in done.text


def test_as_many_as_it_takes_are_no_warning(session):
    assert session(CODE, "--runs=59").counts == {"passed": 2}


def test_where_warnings_are_errors_nothing_runs(session):
    done = session(CODE, "-W", "error")
    assert done.ret == 4
    assert f"test_it.py:4:9: test_it.py::{TOLD}" in done.text


def test_a_gate_without_a_number_of_runs_is_told_too(session):
    done = session(CODE.replace("@pytest.mark.runs(20)", ""), *SHOWN)
    assert "and there is 1. Write mark.runs(59)" in done.text


def test_distributed_sessions_are_told_once(session):
    assert session(CODE, "-n2", *SHOWN, apart=True).text.count(TOLD) == 1


@pytest.mark.parametrize("code", [CODE.replace(", confidence=0.95", ""), CODE.replace("0.95, ", "0, ")])
def test_gates_that_can_pass_are_no_warning(session, code):
    assert "cannot pass" not in session(code, *SHOWN).text


def test_one_run_that_somebody_looks_at_is_no_gate_to_warn_of(session):
    assert "cannot pass" not in session(CODE, *SHOWN, "-k", "a-run3").text
