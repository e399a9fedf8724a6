from __future__ import annotations

import pytest

GATES = """
    import os, pytest, time

    index = lambda request: request.node.callspec.indices["_squall_run"]

    def gate(rate, runs=10):
        return lambda test: pytest.mark.runs(runs)(pytest.mark.min_pass_rate(rate)(test))

    @gate(0.8)
    def test_absorbed(request): assert index(request) != 3

    @gate(0.8)
    def test_too_low(request): assert index(request) % 2, "boom"

    @gate(0.5, 4)
    @pytest.mark.parametrize("case", ["good", "bad"])
    def test_cases(case): assert case == "good"

    @gate(0.5, 4)
    @pytest.mark.skip(reason="later")
    def test_skipped(): pass

    def test_plain(): pass
"""
COUNTS = {"passed": 3, "failed": 2, "skipped": 1}
NAMES = ["test_absorbed", "test_cases[bad]", "test_cases[good]", "test_plain", "test_skipped", "test_too_low"]
DYING = """
    import os, pytest, signal

    index = lambda request: request.node.callspec.indices["_squall_run"]

    def die(): os.kill(os.getpid(), signal.SIGKILL)

    @pytest.mark.runs(5)
    @pytest.mark.min_pass_rate(0.9)
    def test_strict(request): index(request) == 2 and die()

    @pytest.mark.runs(5)
    @pytest.mark.min_pass_rate(0.8)
    def test_lenient(request): index(request) == 2 and die()

    @pytest.mark.min_pass_rate(0.5)
    def test_one(): die()

    def test_plain(): pass
"""


def names(done):
    return sorted(case.get("name") for case in done.junit)


def reports_to_one_group(done):
    assert done.ret == 1
    assert done.counts == COUNTS
    assert names(done) == NAMES
    assert "gate: 5 of 10 runs passed, required 80 %" in done.text
    assert done.line("test_it.py::test_absorbed").split()[1] == "9/10"
    assert "[100%]" in done.text


@pytest.mark.parametrize("how", ["loadscope", "worksteal"])
def test_distributed_runs_report_to_one_group(session, how):
    reports_to_one_group(session(GATES, "-n2", f"--dist={how}", apart=True))


def test_distributed_runs_report_to_one_group_and_selection_and_last_failed_mean_groups(session):
    reports_to_one_group(session(GATES, "-n2", apart=True))
    again = session(None, "-n2", "--lf", "-k", "too_low or plain", apart=True)
    assert again.counts == {"failed": 1}
    assert "gate: 5 of 10 runs passed" in again.text


def test_stopping_distributed_runs_leaves_open_groups_undecided(session):
    code = """
        import pytest, time

        @pytest.mark.runs(2)
        @pytest.mark.min_pass_rate(1.0)
        def test_bad(): assert 0

        @pytest.mark.runs(40)
        @pytest.mark.min_pass_rate(0.5)
        def test_long(request): request.node.callspec.indices["_squall_run"] and time.sleep(0.05)
    """
    done = session(code, "-n2", "-x", apart=True)
    assert done.ret == 2
    assert done.counts["failed"] == 1
    assert "1 undecided" in done.text
    assert names(done) == ["test_bad", "test_long"]
    assert "undecided" in done.line("test_it.py::test_long")


def test_runs_lost_with_their_worker_are_no_passes_and_the_crash_is_shown_beside_the_group(session):
    done = session(DYING, "-n2", apart=True)
    assert done.ret == 1
    assert "gate: 4 of 5 runs passed (1 lost with its worker), required 90 %" in done.text
    assert "gate: 0 of 1 runs passed (1 lost with its worker)" in done.text
    assert done.line("test_it.py::test_lenient").split()[1] == "4/5"
    assert done.text.count("crashed while running") >= 3
    assert done.counts == {"failed": 5, "passed": 2}
    assert names(done) == [
        "test_lenient",
        "test_lenient[run2]",
        "test_one",
        "test_one[run0]",
        "test_plain",
        "test_strict",
        "test_strict[run2]",
    ]


def test_running_everything_on_each_worker_makes_a_group_per_worker(session):
    done = session(GATES, "-n2", "--dist=each", "-k", "too_low", apart=True)
    assert done.counts == {"failed": 2}


def test_groups_that_xdist_keeps_on_one_worker_are_other_groups_than_ours(session):
    code = """
        import pytest

        @pytest.mark.xdist_group("db")
        @pytest.mark.runs(3)
        @pytest.mark.min_pass_rate(0.5)
        @pytest.mark.parametrize("case", ["a", "b"])
        def test_it(case): pass
    """
    done = session(code, "-n2", "--dist=loadgroup", apart=True)
    assert done.counts == {"passed": 2}
    assert [name.removesuffix("@db") for name in names(done)] == ["test_it[a]", "test_it[b]"]


def test_without_xdist_installed_nothing_is_missed(session):
    assert session(GATES, "-p", "no:xdist").counts == COUNTS
