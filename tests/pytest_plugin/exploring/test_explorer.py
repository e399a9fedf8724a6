"""Exploring gets along with pytest's own options and with other plug-ins: one item, one result."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

REFUND = """
import pytest, squall
from explored_agents import agent, careful

@pytest.mark.world("shop.yaml")
@pytest.mark.explore(kinds=["timeout"])
def test_refund(tools, world):
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    agent(tools)

@pytest.mark.world("shop.yaml")
@pytest.mark.explore(kinds=["timeout"])
def test_careful(tools):
    careful(tools)

def test_plain():
    pass
"""


def test_with_xdist_each_test_is_explored_by_one_worker_and_told_of_once(session):
    done = session(REFUND, "-n2", plugins=("xdist",))
    assert done.counts == {"failed": 1, "passed": 2}
    assert "squall: 2 tests explored, 1 failure, " in done.text
    assert "under timeout (after) at payments.issue_refund" in done.text
    assert "Every single fault (1) of the kinds timeout" not in done.text
    assert len(done.junit) == 3


def test_stopping_at_the_first_failure_counts_an_explored_test_once(session):
    assert session(REFUND, "--maxfail=2").counts == {"failed": 1, "passed": 2}
    assert session(None, "-x").counts == {"failed": 1}


def test_a_session_without_a_terminal_explores_too(session):
    done = session(REFUND, "-p", "no:terminal")
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert len(done.junit) == 3


def test_what_failed_last_is_explored_again(session):
    session(REFUND)
    done = session(None, "--lf")
    assert done.counts == {"failed": 1}


def test_the_debugger_opens_in_the_run_that_fails(session, refunds):
    code = """
        import pdb
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools, world):
            try:
                tools.issue_refund(order="1", amount=40)
            except TimeoutError:
                late = "yes"
                assert late == "no"
        """
    opened = """
        import pytest

        class Debugger:
            def __init__(self, *args, **kwargs): pass
            quitting = False
            def reset(self): pass
            def interaction(self, frame, trace):
                print("OPENED", frame.f_locals if frame else trace.tb_frame.f_locals.get("late"))
        """
    (refunds / "debugger.py").write_text(dedent(opened))
    done = session(code, "--pdb", "--pdbcls=debugger:Debugger", "-s", apart=True)
    assert done.counts == {"failed": 1}
    assert done.text.count("OPENED") == 1
    assert done.text.index("under timeout (before) at payments.issue_refund") < done.text.index("OPENED")
    plain = 'def test_plain():\n    late = "yes"\n    assert late == "no"'
    done = session(plain, "--pdb", "--pdbcls=debugger:Debugger", "-s", "--squall-explore", apart=True)
    assert done.counts == {"failed": 1}
    assert done.text.count("OPENED") == 1


def test_the_time_limit_of_a_test_is_for_each_of_its_runs(session):
    code = """
        import pytest, time
        RUNS = []
        real = time.monotonic

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["http_*"])
        @pytest.mark.timeout(0.4)
        def test_refund(tools):
            RUNS.append(1)
            until = real() + 0.06
            while real() < until:
                pass
            try:
                tools.issue_refund(order="1", amount=40)
            except Exception:
                pass
            if len(RUNS) == 4:
                while True: pass
        """
    done = session(code, plugins=("timeout",), apart=True)
    assert done.counts == {"failed": 1}
    assert "Timeout (>0.4s) from pytest-timeout" in done.text
    assert "It needs no fault" not in done.text


def test_a_test_that_may_be_run_again_is_explored_once(session):
    done = session(REFUND, "--reruns=2", plugins=("rerunfailures",))
    assert done.counts == {"failed": 1, "passed": 2}


def test_an_interrupt_ends_the_session_and_its_fixtures(session):
    done = session(
        """
        import pytest
        RUNS = []

        @pytest.fixture(scope="module")
        def wide():
            yield
            print("wide is gone")

        @pytest.fixture
        def fresh():
            yield
            print("fresh is gone")

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore
        def test_refund(tools, wide, fresh):
            RUNS.append(1)
            if len(RUNS) == 7:
                raise KeyboardInterrupt
            tools.issue_refund(order="1", amount=40)
        """,
        "-s",
        apart=True,
    )
    assert done.ret == pytest.ExitCode.INTERRUPTED
    assert done.text.count("wide is gone") == 1
    assert done.text.count("fresh is gone") == 7
    assert "squall: 1 test explored, 3 failures, 6 runs" in done.text
    assert "33 % of single faults (4 of 12): 3 failures." in done.text
    assert "Found: TimeoutError at test_it.py:20, timeout (after) at payments.issue_refund." in done.text
    assert "INTERNALERROR" not in done.text


def test_a_failed_subtest_fails_its_run_and_is_no_result_of_its_own(session):
    pytest.importorskip("_pytest.subtests")
    done = session(
        """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"], crashes=False)
        def test_refund(tools, world, subtests):
            try:
                tools.issue_refund(order="1", amount=40)
            except TimeoutError:
                pass
            with subtests.test("paid"):
                assert len(world.refunds) == 1
        """
    )
    assert done.counts == {"failed": 1}
    assert "under timeout (before) at payments.issue_refund" in done.text
    assert (
        "FAILED test_it.py::test_refund - under timeout (before) at payments.issue_refund: assert 0 == 1" in done.text
    )


def test_subtests_that_fail_under_different_faults_are_different_failures(session):
    pytest.importorskip("_pytest.subtests")
    done = session(
        """
        import pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"], crashes=False)
        def test_refund(tools, world, subtests):
            missed = []
            for name, given in (("issue_refund", {"amount": 40}), ("list_refunds", {})):
                try:
                    getattr(tools, name)(order="1", **given)
                except TimeoutError:
                    missed.append(name)
            with subtests.test("issued"):
                assert "issue_refund" not in missed
            with subtests.test("listed", at=1):
                assert "list_refunds" not in missed
        """
    )
    assert "squall: 1 test explored, 2 failures, " in done.text
    names = sorted(json.loads(file.read_text())["violated"] for file in done.folder.glob(".squall/regressions/*.json"))
    assert names == ["a subtest: issued", "a subtest: listed, at=1"]


def test_what_only_the_garbage_collector_sees_fails_no_run(session):
    done = session(
        """
        import gc, pytest
        from explored_agents import careful

        class Noisy:
            def __del__(self):
                raise ValueError("collected")

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools):
            careful(tools)
            Noisy()
            gc.collect()
        """,
        "-W",
        "error",
        apart=True,
    )
    assert done.counts == {"passed": 1, "warnings": 1}


def test_fixtures_of_a_wider_scope_that_break_in_the_end_are_an_error_beside_the_result(session):
    done = session(
        """
        import pytest
        from explored_agents import careful

        @pytest.fixture(scope="module")
        def wide():
            yield
            raise ValueError("broken")

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(tools, wide):
            careful(tools)
        """
    )
    assert done.counts == {"passed": 1, "errors": 1}


def test_a_run_that_a_wider_fixture_begins_has_no_weather(session):
    done = session(
        """
        import pytest, squall
        from explored_agents import careful

        @pytest.fixture(scope="module")
        def bank():
            with squall.world("shop.yaml") as run:
                run.tools.issue_refund(order="1", amount=1)
                yield run

        @pytest.mark.explore(kinds=["timeout"])
        def test_refund(bank):
            with squall.world("shop.yaml") as run:
                careful(run.tools)
        """
    )
    assert done.counts == {"passed": 1}
    assert "Every single fault (4) of the kinds timeout: no failure." in done.text


def test_traces_are_those_of_the_run_that_is_reported(session, pytester):
    done = session(REFUND, "--squall-traces=traces")
    assert sorted(path.name for path in (done.folder / "traces").iterdir()) == [
        "test_it.py--test_careful.jsonl",
        "test_it.py--test_refund.jsonl",
    ]
    lines = (done.folder / "traces" / "test_it.py--test_refund.jsonl").read_text().splitlines()
    assert [json.loads(line)["fault"] for line in lines if json.loads(line)["kind"] == "fault"] == ["timeout"]


def test_only_setting_up_explores_nothing(session):
    done = session(REFUND, "--setup-only")
    assert "explored" not in done.text


def test_over_mcp_the_session_is_lost_and_the_server_exits_too(session):
    done = session(
        """
        import mcp, pytest, squall

        @pytest.mark.asyncio
        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["session_lost", "server_exit"], crashes=False)
        async def test_refund(mcp_url, world):
            squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
            for _ in range(2):
                try:
                    async with mcp.Client(mcp_url, mode="legacy") as client:
                        await client.call_tool("issue_refund", {"order": "1", "amount": 40})
                        return
                except Exception:
                    squall.sometimes("goes on", True)
        """,
        plugins=("asyncio",),
    )
    assert done.counts == {"failed": 1}
    assert "under server_exit (after) at payments.issue_refund" in done.text
    assert "Every single fault (2) of the kinds session_lost, server_exit: 1 failure." in " ".join(done.text.split())
