from __future__ import annotations

import pytest

from squall.pytest_plugin.run import first_violated, in_one_line
from squall.trace import Trace


def test_the_first_assertion_is_what_was_violated_and_without_one_the_first_error():
    crash, violated = RuntimeError("crash"), AssertionError("violated")
    assert first_violated([crash, ExceptionGroup("late", [violated])]) is violated
    assert first_violated([crash, OSError()]) is crash
    assert first_violated([]) is None


def test_an_error_in_one_line_has_no_second():
    assert in_one_line(AssertionError("two rows:\n  1\n  2")) == "AssertionError: two rows"
    assert in_one_line(pytest.fail.Exception("no")) == "no"
    assert len(in_one_line(ValueError("x" * 1000))) <= 300


MAIN_JOB = """
    import anyio, pytest, squall
    from mcp import Client

    pytestmark = [
        pytest.mark.world("shop.yaml"),
        pytest.mark.faults({"payments.issue_refund": {"errors": {"timeout": 0.5}}}),
        pytest.mark.runs(10),
        pytest.mark.min_pass_rate(0.95),
    ]

    async def agent(server):
        async with Client(server) as client:
            for _ in range(2):
                try:
                    return await client.call_tool("issue_refund", {"order": "1", "amount": 5}, read_timeout_seconds=30)
                except Exception as error:
                    last = error

    @pytest.fixture(autouse=True)
    def one_refund(world):
        squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))

    @pytest.fixture
    def anyio_backend(): return "asyncio"

    @pytest.mark.asyncio
    async def test_asyncio(mcp_server): await agent(mcp_server)

    @pytest.mark.anyio
    async def test_anyio(mcp_server): await agent(mcp_server)

    def test_sync(mcp_server): anyio.run(agent, mcp_server)
"""


def test_a_retried_refund_shows_as_the_same_red_gate_however_the_agent_is_run(session, shop):
    pytest.importorskip("mcp")
    done = session(MAIN_JOB, plugins=("anyio",), apart=True)
    assert done.counts == {"failed": 3}
    for runner in ("asyncio", "anyio", "sync"):
        assert f"FAILED test_it.py::test_{runner} - gate: 7 of 10 runs passed, required 95 %" in done.text
    line = "  runs 4, 9 failed: issue_refund!timeout(after) → issue_refund"
    assert done.text.count(f"{line}\n    AssertionError: at most one refund per order") == 3
    assert "rev 2 at 30 s" in done.text  # the client's own deadline, in virtual time


ENDINGS = """
    import pytest, squall

    pytestmark = pytest.mark.world("shop.yaml")

    def test_passes(world): pass
    def test_fails(world): assert False
    def test_crashes(world): raise OSError("the agent's own")
    def test_skips(world): pytest.skip("no key")
    def test_skips_with_a_violated_property(world):
        squall.finally_(lambda: pytest.fail("paid twice"))
        pytest.skip("no key")
    def test_has_a_property_that_is_misused(world):
        squall.finally_(lambda: squall.at_most_once(world.refunds, by="ordr"))
    def test_has_a_property_that_breaks(world): squall.finally_(lambda: 1 / 0)

    @pytest.mark.faults([{"target": "payments.issue_refund", "kind": "hang", "nth": 1}])
    def test_hangs(tools):
        with pytest.raises(BaseException): tools.issue_refund(order="1", amount=5)

    @pytest.mark.faults([{"target": "payments.issue_refund", "kind": "hang", "nth": 1}])
    def test_never_fires(world): pass
"""


def test_the_trace_and_the_report_give_a_run_one_status(session, shop):
    done = session(ENDINGS, "--squall-traces=traces")
    assert done.counts == {"passed": 1, "failed": 7, "skipped": 1}
    ends = {path.stem.rpartition("--")[2]: Trace.load(path).status for path in shop.parent.glob("traces/*.jsonl")}
    assert ends == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_crashes": "crashed",
        "test_skips": "skipped",
        "test_skips_with_a_violated_property": "failed",
        "test_has_a_property_that_is_misused": "failed",
        "test_has_a_property_that_breaks": "crashed",
        "test_hangs": "hung",
        "test_never_fires": "not_fired",
    }
