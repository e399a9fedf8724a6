from __future__ import annotations

import shlex

import pytest

from squall.pytest_plugin.runs import again, group_of, in_words

COUNTED = """
    import pytest

    seen = []

    @pytest.mark.runs(3)
    def test_plain(): seen.append(1)

    @pytest.mark.runs(2)
    @pytest.mark.parametrize("case", ["a", "b"])
    def test_cases(case, tmp_path): seen.append(1)

    @pytest.mark.min_pass_rate(1.0)
    def test_gate_alone(): pass

    class TestClass:
        @pytest.mark.runs(2)
        def test_method(self): pass

    def test_other(): assert len(seen) == 7
"""


def test_each_run_is_an_item_named_after_its_test_case_and_number(session):
    listed = session(COUNTED, "--collect-only", "-q").result.outlines
    assert listed[:11] == [
        *[f"test_it.py::test_plain[run{n}]" for n in range(3)],
        *[f"test_it.py::test_cases[{case}-run{n}]" for case in "ab" for n in range(2)],
        "test_it.py::test_gate_alone[run0]",
        *[f"test_it.py::TestClass::test_method[run{n}]" for n in range(2)],
        "test_it.py::test_other",
    ]


def test_without_a_gate_each_run_is_reported_for_itself(session):
    done = session(COUNTED)
    assert done.counts == {"passed": 11}
    assert [case.get("name") for case in done.junit][:2] == ["test_plain[run0]", "test_plain[run1]"]


def test_the_option_replaces_what_markers_say_and_leaves_other_tests_alone(session):
    listed = session(COUNTED, "--collect-only", "-q", "--runs=1").text
    assert "test_plain[run0]" in listed
    assert "run1" not in listed
    assert "test_it.py::test_other\n" in listed


def test_the_option_repeats_a_test_with_a_gate_alone(session):
    listed = session(COUNTED, "--collect-only", "-q", "--runs=4", "-k", "gate_alone").text
    assert "test_gate_alone[run3]" in listed


@pytest.mark.parametrize("value", ["0", "-1", "x", "1.5"])
def test_a_number_of_runs_below_one_is_a_usage_error(session, value):
    done = session(COUNTED, f"--runs={value}")
    assert done.ret == 4
    assert f"a number of runs is at least 1, not '{value}'" in done.text


def test_the_closest_of_two_markers_wins(session):
    code = """
        import pytest
        pytestmark = pytest.mark.runs(5)

        @pytest.mark.runs(2)
        def test_near(): pass

        def test_far(): pass
    """
    assert session(code).counts == {"passed": 7}


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("t.py::test_x[run3]", "t.py::test_x"),
        ("t.py::test_x[case-run12]", "t.py::test_x[case]"),
        ("t.py::test_x[run1-run2]", "t.py::test_x[run1]"),
        ("t.py::test_x[case-run12]@group", "t.py::test_x[case]@group"),
        ("t.py::test_x[run3]@group", "t.py::test_x@group"),
        ("t.py::test_x[run3-case]", "t.py::test_x[run3-case]"),
        ("t.py::test_x[rerun3]", "t.py::test_x[rerun3]"),
        ("t.py::test_x[[run3]@x-run0]", "t.py::test_x[[run3]@x]"),
        ("t.py::test_x[a-run1]@-run12]", "t.py::test_x[a-run1]@]"),
        ("t.py::test_x[a-run1]@-run12]@group", "t.py::test_x[a-run1]@]@group"),
        ("t.py::test_run3", "t.py::test_run3"),
    ],
)
def test_a_group_goes_by_the_id_of_its_test(nodeid, group):
    assert group_of(nodeid) == group


@pytest.mark.parametrize(
    ("indices", "words"),
    [
        ([3], "run 3"),
        ([0, 1], "runs 0, 1"),
        ([0, 1, 2, 3, 4], "runs 0–4"),
        ([9, 0, 1, 2, 7, 8, 11], "runs 0–2, 7–9, 11"),
    ],
)
def test_runs_are_named_in_spans(indices, words):
    assert in_words(indices) == words


@pytest.mark.parametrize("nodeid", ["t.py::test_x[run3]", 't.py::test_x[a"b-run3]', "t.py::test_x[$HOME `ls`-run3]"])
def test_the_command_for_a_run_survives_the_shell(nodeid):
    assert shlex.split(again(nodeid, 7, None)) == ["pytest", nodeid, "--squall-seed=7"]


def test_the_command_repeats_the_number_of_runs_that_was_given():
    assert again("t.py::test_x[run37]", 0, 50) == 'pytest "t.py::test_x[run37]" --squall-seed=0 --runs=50'
