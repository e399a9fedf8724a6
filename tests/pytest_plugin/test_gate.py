from __future__ import annotations

import pytest

ONE_OF_EACH = """
    import pytest

    def gate(rate, runs=10):
        return lambda test: pytest.mark.runs(runs)(pytest.mark.min_pass_rate(rate)(test))

    @gate(0.8)
    def test_absorbed(request): assert request.node.callspec.indices["_squall_run"] != 3

    @gate(0.8)
    def test_too_low(request):
        print("said by run", request.node.name)
        assert request.node.callspec.indices["_squall_run"] % 2, "boom"

    @gate(0.8, 5)
    @pytest.mark.parametrize("case", ["good", "bad"])
    def test_cases(case): assert case == "good"

    @gate(0.5, 4)
    def test_some_skipped(request):
        if request.node.callspec.indices["_squall_run"]:
            pytest.skip("no key")

    @gate(0.5, 4)
    @pytest.mark.skip(reason="later")
    def test_all_skipped(): pass

    @pytest.mark.min_pass_rate(1.0)
    def test_one_run(): pass

    @pytest.mark.min_pass_rate(0.5)
    def test_one_bad_run(): raise RuntimeError("agent")

    class TestClass:
        @gate(0.9, 3)
        def test_method(self, tmp_path): pass

    def test_plain(): pass
"""
IDS = {
    "test_absorbed": "passed",
    "test_too_low": "failed",
    "test_cases[good]": "passed",
    "test_cases[bad]": "failed",
    "test_some_skipped": "failed",
    "test_all_skipped": "skipped",
    "test_one_run": "passed",
    "test_one_bad_run": "failed",
    "test_method": "passed",
    "test_plain": "passed",
}


def outcomes(done):
    def outcome(case):
        return {"failure": "failed", "skipped": "skipped", "error": "error"}.get(
            next((child.tag for child in case if child.tag != "properties"), ""), "passed"
        )

    return {case.get("name"): outcome(case) for case in done.junit}


def test_each_group_is_one_result_under_the_tests_own_id(session):
    done = session(ONE_OF_EACH)
    assert done.ret == 1
    assert done.counts == {"passed": 5, "failed": 4, "skipped": 1}
    assert outcomes(done) == IDS
    assert len(done.junit) == len(IDS)


def test_progress_ends_at_a_hundred_percent_of_groups(session):
    done = session(ONE_OF_EACH, "-v")
    lines = [line for line in done.text.splitlines() if "%]" in line]
    assert len(lines) == len(IDS)
    assert "test_it.py::test_absorbed PASSED" in lines[0]
    assert "[100%]" in lines[-1]
    assert "run0] PASSED" not in done.text


def test_a_failed_gate_says_how_many_passed_and_shows_the_first_bad_run(session):
    text = session(ONE_OF_EACH, "-k", "too_low").text
    assert "\ngate: 5 of 10 runs passed, required 80 %\n" in text
    assert "run 0 failed:" in text
    assert "AssertionError: boom" in text
    assert "said by run test_too_low[run0]" in text
    assert "said by run test_too_low[run8]" not in text
    assert "FAILED test_it.py::test_too_low - gate: 5 of 10 runs passed, required 80 %" in text


def test_the_report_in_junit_says_the_same(session):
    (case,) = session(ONE_OF_EACH, "-k", "some_skipped").junit
    (failure,) = case.iter("failure")
    assert failure.get("message") == "gate: 1 of 4 runs passed (3 skipped), required 50 %"
    assert [(each.get("name"), each.get("value")) for each in case.iter("property")] == [("squall.passed", "1/4")]


def test_skipped_runs_say_why(session):
    text = session(ONE_OF_EACH, "-k", "all_skipped", "-rs").text
    assert "SKIPPED [1] test_it.py" in text
    assert "all 4 runs were skipped: later" in text


@pytest.mark.parametrize(("style", "shown"), [("short", True), ("no", False)])
def test_the_traceback_style_is_respected(session, style, shown):
    text = session(ONE_OF_EACH, "-k", "one_bad_run", f"--tb={style}").text
    assert ("gate: 0 of 1 runs passed, required 50 %\n\nrun 0 crashed" in text) is shown
    assert "gate: 0 of 1 runs passed" in text


def test_stopping_at_the_first_failure_means_the_first_failed_group(session):
    done = session(ONE_OF_EACH, "-x")
    assert done.counts == {"passed": 1, "failed": 1}
    assert "stopping after 1 failures" in done.text


def test_a_number_of_failures_counts_groups(session):
    assert session(ONE_OF_EACH, "--maxfail=2").counts == {"passed": 2, "failed": 2}


def test_a_selection_is_the_group(session):
    done = session(ONE_OF_EACH, "-k", "run3 and (absorbed or too_low)")
    assert done.counts == {"passed": 1, "failed": 1, "deselected": 42}
    assert "gate: 0 of 1 runs passed, required 80 %" in done.text


def test_last_failed_runs_whole_groups_again_until_they_pass(session):
    code = """
        import os, pytest

        @pytest.mark.runs(4)
        @pytest.mark.min_pass_rate(1.0)
        def test_gate(request):
            assert "FIXED" in os.environ or request.node.callspec.indices["_squall_run"] != 2

        @pytest.mark.runs(2)
        @pytest.mark.min_pass_rate(1.0)
        def test_other(): pass
    """
    assert session(code).counts == {"failed": 1, "passed": 1}
    again = session(None, "--lf")
    assert again.counts == {"failed": 1}
    assert "gate: 3 of 4 runs passed" in again.text
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIXED", "1")
        assert session(None, "--lf").counts == {"passed": 1}
    assert session(None, "--lf").counts == {"failed": 1, "passed": 1}
    assert session(None, "-p", "no:cacheprovider").counts == {"failed": 1, "passed": 1}


def test_what_breaks_in_set_up_or_clean_up_fails_the_run(session):
    code = """
        import pytest

        @pytest.fixture
        def broken(request):
            if request.node.name.endswith("run0]"): raise OSError("set-up")
            yield
            if request.node.name.endswith("run1]"): raise OSError("clean-up")

        @pytest.mark.runs(3)
        @pytest.mark.min_pass_rate(0.5)
        def test_gate(broken): pass
    """
    done = session(code)
    assert done.counts == {"failed": 1}
    assert "gate: 1 of 3 runs passed, required 50 %" in done.text
    assert "OSError: set-up" in done.line("    OSError")


def test_a_gate_that_is_expected_to_fail(session):
    code = """
        import pytest
        gate = pytest.mark.min_pass_rate(0.8)
        pytestmark = pytest.mark.runs(5)

        @gate
        @pytest.mark.xfail(reason="bug 7")
        def test_fails(): assert 0

        @gate
        @pytest.mark.xfail(reason="bug 7")
        def test_works(request): assert request.node.name != "test_works[run0]"

        @gate
        @pytest.mark.xfail(reason="bug 7", strict=True)
        def test_must_fail(request): assert request.node.name != "test_must_fail[run0]"

        @gate
        @pytest.mark.xfail(reason="bug 7", raises=ValueError)
        def test_fails_otherwise(): assert 0

        @gate
        @pytest.mark.xfail(reason="bug 7", run=False)
        def test_never_run(): assert 0
    """
    done = session(code, "-rxX")
    assert done.counts == {"xfailed": 2, "xpassed": 1, "failed": 2}
    assert "XFAIL test_it.py::test_fails - bug 7 - gate: 0 of 5 runs passed, required 80 %" in done.text
    assert "XPASS test_it.py::test_works - bug 7" in done.text
    assert "[XPASS(strict)] bug 7" in done.text


def test_a_plug_in_that_runs_tests_again_leaves_a_gate_alone_and_repeats_single_runs(session):
    pytest.importorskip("pytest_rerunfailures")
    code = """
        import pytest
        executed = []

        @pytest.mark.runs(2)
        @pytest.mark.min_pass_rate(1.0)
        def test_gate(request):
            executed.append(request.node.name)
            assert executed.count(request.node.name) > 1

        @pytest.mark.runs(2)
        def test_single(request):
            executed.append(request.node.name)
            assert executed.count(request.node.name) > 1
    """
    done = session(code, "--reruns=3", plugins=["rerunfailures"])
    assert done.counts == {"failed": 1, "passed": 2, "rerun": 2}
    assert "gate: 0 of 2 runs passed" in done.text
    assert "test_single     2/2" in done.text


def test_subtests_count_for_their_run(session):
    pytest.importorskip("_pytest.subtests", reason="pytest has subtests from version 9 on")
    code = """
        import pytest

        @pytest.mark.runs(4)
        @pytest.mark.min_pass_rate(0.5)
        def test_gate(request, subtests):
            for n in range(2):
                with subtests.test(n=n):
                    assert request.node.name != "test_gate[run1]" or n

        @pytest.mark.runs(2)
        @pytest.mark.min_pass_rate(1.0)
        def test_red(request, subtests):
            with subtests.test("inner"):
                assert request.node.name != "test_red[run1]", "planted"
    """
    done = session(code)
    assert done.counts == {"passed": 1, "failed": 1}
    assert outcomes(done) == {"test_gate": "passed", "test_red": "failed"}
    assert "AssertionError: planted" in done.text
    assert "contains 1 failed subtest" in done.text


def test_properties_that_runs_record_end_in_the_groups_test_case(session):
    code = """
        import pytest

        @pytest.mark.runs(2)
        @pytest.mark.min_pass_rate(1.0)
        def test_gate(request, record_property): record_property("cost", request.node.name)
    """
    (case,) = session(code, "-o", "junit_family=xunit1").junit
    values = [each.get("value") for each in case.iter("property") if each.get("name") == "cost"]
    assert values == ["test_gate[run0]", "test_gate[run1]"]


def test_a_session_that_is_interrupted_leaves_the_group_undecided(session):
    code = """
        import pytest

        @pytest.mark.runs(3)
        @pytest.mark.min_pass_rate(0.3)
        def test_gate(request):
            if request.node.name == "test_gate[run1]": raise KeyboardInterrupt

        def test_never(): pass
    """
    done = session(code, "-v", apart=True)
    assert done.ret == 2
    assert "1 undecided" in done.text
    assert "UNDECIDED" in done.text
    assert outcomes(done) == {"test_gate": "skipped"}
    assert "gate undecided: 1 of 3 runs had ended when the session stopped" in done.junit[0][-1].get("message")


def test_collecting_alone_decides_nothing(session):
    done = session(ONE_OF_EACH, "--collect-only")
    assert done.ret == 0
    assert "gate" not in done.text.replace("test_gate", "")
    assert "squall: 1" not in done.text


def test_warnings_as_errors_and_a_full_report_change_nothing(session):
    done = session(ONE_OF_EACH, "-W", "error", "-rA", "-s")
    assert done.counts == {"passed": 5, "failed": 4, "skipped": 1}
    assert "PASSED test_it.py::test_absorbed" in done.text


def test_debugging_stops_in_the_run_that_fails(session, pytester):
    code = """
        import pytest

        @pytest.mark.runs(3)
        @pytest.mark.min_pass_rate(0.5)
        def test_gate(request): assert request.node.name != "test_gate[run1]"
    """
    pytester.makeconftest(
        """
        import pdb
        class Noting(pdb.Pdb):
            def interaction(self, frame, traceback, *rest): print("debugger in", frame or traceback)
        """
    )
    done = session(code, "--pdb", "--pdbcls=conftest:Noting")
    assert done.counts == {"passed": 1}
    assert done.text.count("debugger in") == 1


def test_setting_up_alone_decides_nothing(session):
    done = session(ONE_OF_EACH, "--setup-only")
    assert done.ret == 0
    assert "= squall" not in done.text


def test_the_time_of_all_runs_is_the_groups(session):
    code = """
        import pytest, time

        @pytest.mark.runs(3)
        @pytest.mark.min_pass_rate(1.0)
        def test_it(): time.sleep(0.01)
    """
    done = session(code, "--durations=0", "-vv")
    assert float(done.junit[0].get("time")) >= 0.03
    assert done.text.count("call     test_it.py::test_it") == 1
