"""Runs of parametrised tests: which cases are repeated, and that each case is a group of its own."""

from __future__ import annotations

import pytest

ON_CASES = """
    import pytest

    runs, gate, world = pytest.mark.runs, pytest.mark.min_pass_rate, pytest.mark.world("shop.yaml")

    @pytest.mark.parametrize("case", [
        pytest.param("twice", marks=runs(2)),
        pytest.param("gated", marks=[runs(3), gate(0.5)]),
        pytest.param("world", marks=world),
        "plain",
    ])
    def test_it(case): pass
"""
CASES = ["twice-run0", "twice-run1", "gated-run0", "gated-run1", "gated-run2", "world", "plain"]


def test_the_markers_of_one_case_repeat_that_case(session, shop):
    listed = session(ON_CASES, "--collect-only", "-q").result.outlines
    assert listed[: len(CASES)] == [f"test_it.py::test_it[{case}]" for case in CASES]
    assert session(ON_CASES).counts == {"passed": 5}


def test_the_option_repeats_each_case_that_has_a_marker(session, shop):
    listed = session(ON_CASES, "--runs=2", "--collect-only", "-q").result.outlines
    repeated = [f"{case}-run{index}" for case in ("twice", "gated", "world") for index in range(2)]
    assert listed[:7] == [f"test_it.py::test_it[{case}]" for case in [*repeated, "plain"]]
    assert session(ON_CASES, "--runs=2").counts == {"passed": 6}


def test_a_tests_own_marker_goes_before_that_of_a_case_and_both_before_the_modules(session):
    code = """
        import pytest
        pytestmark = pytest.mark.runs(4)
        CASES = pytest.mark.parametrize("case", [pytest.param("a", marks=pytest.mark.runs(2)), "b"])

        @CASES
        def test_it(case): pass

        @pytest.mark.runs(3)
        @CASES
        def test_own(case): pass
    """
    listed = session(code, "--collect-only", "-q").text
    assert [listed.count(f"::{name}-run") for name in ("test_it[a", "test_it[b", "test_own[a", "test_own[b")] == [
        2,
        4,
        3,
        3,
    ]


def test_a_bad_value_on_a_case_is_told_as_any_other(session):
    code = ON_CASES.replace("runs(2)", "runs('2')")
    done = session(code)
    assert done.ret == 4
    assert "the number of runs is a whole number from 1 on, not '2'" in done.text


def test_a_case_without_a_run_goes_its_own_way_beside_one_that_has_a_world(session, shop):
    code = """
        import pytest, squall
        from squall.runs.current import current

        @pytest.mark.parametrize("case", [pytest.param(1, marks=pytest.mark.world("shop.yaml")), 0])
        def test_it(case): assert bool(case) is (current() is not None)
    """
    assert session(code).counts == {"passed": 2}
    assert session(code, "--runs=2").counts == {"passed": 3}


@pytest.mark.parametrize("ids", [("[run3]@x", "[run4]@x"), ("a-run1]@", "a-run2]@"), ("run1", "run2"), ("", "-run1")])
def test_cases_whose_ids_look_like_runs_are_told_apart(session, ids):
    code = f"""
        import pytest

        @pytest.mark.runs(2)
        @pytest.mark.min_pass_rate(0.5)
        @pytest.mark.parametrize("bad", [pytest.param(1, id="{ids[0]}"), pytest.param(0, id="{ids[1]}")])
        def test_it(bad): assert not bad
    """
    done = session(code)
    assert done.counts == {"failed": 1, "passed": 1}
    assert [case.get("name") for case in done.junit] == [f"test_it[{each}]" for each in ids]
    assert "gate: 0 of 2 runs passed, required 50 %" in done.text


LATE = """
    import pytest

    @pytest.hookimpl({how})
    def pytest_generate_tests(metafunc):
        {before}
        metafunc.parametrize("quality", ["q1", "q2"])
"""
QUALITY = """
    import pytest

    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(0.5)
    def test_it(quality, request): assert not request.node.name.endswith("1]")
"""


def test_parameters_that_a_conftest_adds_last_come_before_the_runs(session, pytester):
    pytester.makeconftest(LATE.format(how="trylast=True", before=""))
    done = session(QUALITY, "-v")
    assert done.counts == {"passed": 2}
    assert [case.get("name") for case in done.junit] == ["test_it[q1]", "test_it[q2]"]


def test_a_group_goes_by_the_other_parameters_wherever_they_stand_in_the_id(session, pytester):
    pytester.makeconftest(LATE.format(how="wrapper=True, tryfirst=True", before="yield"))
    listed = session(QUALITY, "--collect-only", "-q").text
    assert "test_it[run0-q1]" in listed
    done = session(QUALITY.replace("1]", "run1-q1]").replace("endswith", "count"))
    assert done.counts == {"passed": 2}
    assert "test_it.py::test_it[q1]     1/2" in done.text
    assert "test_it.py::test_it[q2]     2/2" in done.text
