from __future__ import annotations

import pytest

GOOD = """
    from pathlib import Path
    import pytest

    @pytest.mark.world("shop.yaml")
    @pytest.mark.faults({"payments.issue_refund": {"errors": {"timeout": 1}}}, limits={"seconds": 60})
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(1)
    @pytest.mark.clock("virtual")
    def test_all(tools, clock):
        with pytest.raises(TimeoutError):
            tools.issue_refund(order="1", amount=1)
        assert clock.mode == "virtual" and clock.limit == 60

    @pytest.mark.world(path=Path("shop.yaml"))
    @pytest.mark.faults(plan=[])
    @pytest.mark.runs(count=1)
    @pytest.mark.min_pass_rate(rate=0, confidence=0.95)
    @pytest.mark.clock(mode="wall")
    def test_by_name(clock): assert clock.mode == "wall"
"""

BAD = {
    'world("shup.yaml")': "the world file 'shup.yaml' does not exist; did you mean 'shop.yaml'?",
    'world(".")': "'.' is a folder",
    "world(3)": "a world file is named by its path, not by 3",
    "world()": "mark.world takes one value, its path, not 0",
    'world("shop.yaml", "other.yaml")': "mark.world takes one value, its path, not 2",
    'world("shop.yaml", seeds=3)': "mark.world has no argument 'seeds'",
    'faults("nowhere/plan.yaml")': "the fault plan 'nowhere/plan.yaml' does not exist",
    "faults(0.1)": "a fault plan is a path, a mapping or a list of rules, not 0.1",
    'faults("plan.yaml", limit={"calls": 3})': "mark.faults has no argument 'limit'; did you mean 'limits'?",
    "faults({}, limits=3)": "limits must be a mapping, not 3",
    "runs(0)": "the number of runs is a whole number from 1 on, not 0",
    "runs(True)": "the number of runs is a whole number from 1 on, not True",
    'runs("20")': "the number of runs is a whole number from 1 on, not '20'",
    "min_pass_rate(2)": "a pass rate is a number from 0 to 1, not 2",
    "min_pass_rate(95)": "For 95 % write 0.95",
    "min_pass_rate(-0.5)": "a pass rate is a number from 0 to 1, not -0.5",
    'min_pass_rate("all")': "a pass rate is a number from 0 to 1, not 'all'",
    "min_pass_rate(0.9, confidence=95)": "a confidence is a number between 0 and 1, not 95\n    For 95 % write 0.95",
    "min_pass_rate(0.9, confidence=True)": "a confidence is a number between 0 and 1, not True",
    "min_pass_rate(0.9, confidence=0)": "a confidence is a number between 0 and 1, not 0",
    'min_pass_rate(0.9, confidence="sure")': "a confidence is a number between 0 and 1, not 'sure'",
    "min_pass_rate(0.9, confidense=0.9)": "mark.min_pass_rate has no argument 'confidense'; did you mean 'confidence'?",
    "min_pass_rate(0.9, 0.95)": "mark.min_pass_rate takes one value, its rate, not 2",
    "min_pass_rate(1, confidence=0.95)": "no number of runs shows a pass rate of 1, at any confidence",
    'clock("virtaul")': """the clock is "virtual" or "wall", not 'virtaul'; did you mean 'virtual'?""",
}


def test_good_values_are_taken_by_position_and_by_name(session, shop):
    assert session(GOOD).counts == {"passed": 2}


@pytest.mark.parametrize("mark", BAD)
def test_a_bad_value_is_a_usage_error_that_points_at_the_mark(session, shop, mark):
    code = f"""
        import pytest

        @pytest.mark.{mark}
        def test_it(): raise SystemError("it ran")
    """
    done = session(code)
    assert done.ret == 4
    assert f"ERROR: test_it.py:3:9: {BAD[mark]}" in done.text or "test_it.py:3:9: a pass rate" in done.text
    assert BAD[mark] in done.text
    assert "Traceback" not in done.text
    assert "it ran" not in done.text


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("tests/worlds/shop.yaml", "worlds/shop.yaml"),  # from the root, where pytest was started
        ("shop.yaml", "worlds/shop.yaml"),  # in a folder beside the test
        ("worlds/shup.yaml", "worlds/shop.yaml"),
        ("other/plan.yaml", "../other/plan.yaml"),
        ("worlds", None),
        ("nowhere/zzz.yaml", None),
    ],
)
def test_a_path_that_was_meant_from_elsewhere_is_told_as_seen_from_the_test(session, shop, pytester, given, meant):
    for path in ("tests/worlds/shop.yaml", "other/plan.yaml"):
        (pytester.path / path).parent.mkdir(parents=True)
        (pytester.path / path).write_text(shop.read_text(encoding="utf-8"), encoding="utf-8")
    shop.unlink()
    code = f"import pytest\n@pytest.mark.world({given!r})\ndef test_it(): pass\n"
    (pytester.path / "tests" / "test_it.py").write_text(code, encoding="utf-8")
    done = session(None, "tests/test_it.py")
    assert done.ret == 4
    what = f"{given!r} is a folder" if given == "worlds" else f"the world file {given!r} does not exist"
    close = f"; did you mean {meant!r}?" if meant else ""
    assert f"ERROR: tests/test_it.py:2:9: {what}{close}\n    Paths are relative to the test's file, so" in done.text


def test_of_several_problems_each_has_its_line_and_they_are_counted(session):
    code = "import pytest\n@pytest.mark.runs(0)\n@pytest.mark.clock('x')\ndef test_it(): pass\n"
    text = session(code).result.stderr.str()
    runs = (
        "test_it.py:2:9: the number of runs is a whole number from 1 on, not 0\n    For example: @pytest.mark.runs(20)"
    )
    clock = (
        'test_it.py:3:9: the clock is "virtual" or "wall", not \'x\'\n    For example: @pytest.mark.clock("virtual")'
    )
    count = "2 problems, so nothing was run"
    assert text.strip().split("\n\n") == [
        f"ERROR: {runs}",
        f'ERROR: {clock} or mark.clock("wall")',
        f"ERROR: {count}",
    ]
    assert "problem" not in session(code.replace("@pytest.mark.runs(0)\n", "")).result.stderr.str()


def test_an_example_says_how_to_write_it(session):
    done = session("import pytest\n@pytest.mark.runs()\ndef test_it(): pass")
    assert "mark.runs takes one value, its count, not 0\n    For example: @pytest.mark.runs(20)" in done.text


def test_all_bad_values_are_told_at_once_and_nothing_runs(session, pytester):
    pytester.makepyfile(
        test_other="""
        import pytest
        pytestmark = [pytest.mark.clock("wal")]

        def test_other(): raise SystemError("it ran")
        """
    )
    code = """
        import pytest

        @pytest.mark.runs(0)
        class TestClass:
            @pytest.mark.min_pass_rate(2)
            @pytest.mark.parametrize("case", "ab")
            def test_it(self, case): raise SystemError("it ran")

        @pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.min_pass_rate(3))])
        def test_param(n): raise SystemError("it ran")
    """
    done = session(code)
    assert done.ret == 4
    assert "it ran" not in done.text
    told = done.text
    assert "test_it.py:3:9" in told  # the class's mark
    assert "test_it.py:5:13" in told  # the method's, once for both cases
    assert told.count("test_it.py:5") == 1
    assert "test_it.py:9:" in told
    assert "test_other.py:2:22" in told


def test_a_unittest_case_cannot_be_repeated_and_says_so(session):
    code = """
        import unittest
        import pytest

        class TestUnit(unittest.TestCase):
            @pytest.mark.runs(3)
            def test_unit(self): pass
    """
    done = session(code)
    assert done.ret == 4
    assert "test_it.py::TestUnit::test_unit is a unittest.TestCase, which pytest cannot repeat" in done.text


def test_errors_of_collection_are_shown_beside_bad_markers(session, pytester):
    pytester.makepyfile(test_broken="import nothing_of_that_name")
    done = session("import pytest\n@pytest.mark.runs(0)\ndef test_it(): pass")
    assert done.ret == 4
    assert "nothing_of_that_name" in done.text
    assert "the number of runs is" in done.text


def test_workers_report_bad_markers_as_one_usage_error(session):
    done = session("import pytest\n@pytest.mark.runs(0)\ndef test_it(): pass", "-n2", apart=True)
    assert done.ret == 4
    assert done.text.count("the number of runs is") == 1
    assert "Traceback" not in done.text
    assert "INTERNALERROR" not in done.text


def test_markers_that_a_conftest_adds_count_too(session, shop, pytester):
    pytester.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.world("shop.yaml"))
                item.add_marker(pytest.mark.min_pass_rate(0.5))
        """
    )
    done = session("def test_it(world): assert world.orders.count() == 3\ndef test_other(): assert 0")
    assert done.counts == {"passed": 1, "failed": 1}
    assert "gate: 0 of 1 runs passed, required 50 %" in done.text


def test_a_number_of_runs_that_a_conftest_adds_comes_too_late_and_that_is_told(session, pytester):
    pytester.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.runs(3))
        """
    )
    done = session("def test_it(): pass")
    assert done.ret == 4
    assert "test_it.py::test_it got mark.runs when tests were being repeated already" in done.text
