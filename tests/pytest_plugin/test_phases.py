from __future__ import annotations

import pytest

HEAD = """
    import asyncio, pytest, squall
    pytestmark = pytest.mark.world("shop.yaml")
    ALWAYS = {"payments.issue_refund": {"errors": {"timeout": 1}}}
    FIFTH = [{"target": "payments.issue_refund", "kind": "timeout", "nth": 5}]
"""


def test_a_run_whose_counting_rule_never_fired_fails_and_says_so(session, shop):
    code = f"""{HEAD}
    @pytest.mark.faults(FIFTH)
    def test_single(tools): tools.issue_refund(order="1", amount=1)

    @pytest.mark.faults(FIFTH)
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(0.5)
    def test_gate(tools): tools.issue_refund(order="1", amount=1)

    @pytest.mark.faults(FIFTH)
    def test_fired(tools):
        for _ in range(4): tools.issue_refund(order="1", amount=1)
        with pytest.raises(TimeoutError): tools.issue_refund(order="1", amount=1)
    """
    done = session(code)
    assert done.counts == {"failed": 2, "passed": 1}
    assert "\nnot fired: timeout at payments.issue_refund (nth 5)" in done.text
    assert "gate: 0 of 2 runs passed (2 not fired), required 50 %" in done.text
    assert "runs 0, 1 not fired: issue_refund\n    not fired: timeout at payments.issue_refund (nth 5)" in done.text


def test_what_squall_says_of_a_run_hints_at_no_hidden_traceback(session, shop, pytester):
    pytester.makeconftest(
        """
        import pytest

        class Other:
            @pytest.hookimpl(wrapper=True, tryfirst=True)
            def pytest_runtest_call(self): return (yield)

        def pytest_runtestloop(session): session.config.pluginmanager.register(Other())
        """
    )
    code = f"""{HEAD}
    @pytest.mark.faults(FIFTH)
    def test_single(tools): tools.issue_refund(order="1", amount=1)
    """
    why = "payments.issue_refund was called once, and the rule waits for the 5th"
    for style in ("auto", "short", "long"):
        text = session(code, f"--tb={style}").text
        assert f"_\nnot fired: timeout at payments.issue_refund (nth 5), faults[0]: {why}\n--" in text
        assert "traceback entries are hidden" not in text


BROKEN = """
import squall

def issue(world, clock):
    return helper(world)

def helper(world):
    return world.refunds.count().nothing
"""


def test_a_broken_handler_has_a_heading_of_its_own_and_comes_first(session, shop, pytester):
    (pytester.path / "rules.py").write_text(BROKEN)
    text = shop.read_text(encoding="utf-8")
    shop.write_text(text + "      issue: { kind: custom, handler: rules.issue }\n", encoding="utf-8")
    code = f"""{HEAD}
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(1)
    def test_gate(tools):
        squall.finally_(lambda: squall.exactly_once([], by="planted"))
        try: tools.issue()
        except squall.ToolError: raise AssertionError("the framework gave up") from None

    def test_swallowed(tools):
        try: tools.issue()
        except squall.ToolError: pass
    """
    done = session(code)
    assert done.counts == {"failed": 2}
    bug = "the handler of issue raised AttributeError: 'int' object has no attribute 'nothing'"
    assert f"- squall: a handler of the world is broken -{'-' * 38}\n{bug}" in done.text
    assert "- squall finally_ -" in done.text  # the violated property has its own
    gate, swallowed = done.text.index("__ test_gate __"), done.text.index("__ test_swallowed __")
    assert done.text.index("a handler of the world is broken") < done.text.index("- squall finally_ -") < swallowed
    assert gate < swallowed
    assert f"_\n{bug}" in done.text
    assert f"\nFAILED test_it.py::test_swallowed - Failed: {bug[:40]}" in done.text
    assert "  runs 0, 1 failed: issue" in done.text
    assert f"\n    {bug}" in done.text[done.text.index("= squall: ") :]
    assert "HandlerBug" not in done.text
    assert "squall/" not in done.text  # no frame of ours


def test_properties_and_trace_are_shown_when_the_agent_raises(session, shop):
    code = f"""{HEAD}
    @pytest.mark.faults(ALWAYS)
    def test_crash(tools, world):
        squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
        squall.finally_(lambda: print("and the next one"))
        for _ in range(2):
            with pytest.raises(TimeoutError): tools.issue_refund(order="1", amount=1)
        raise RuntimeError("the agent gave up")
    """
    done = session(code)
    assert done.counts == {"failed": 1}
    assert "RuntimeError: the agent gave up" in done.text
    assert "issue_refund!timeout(after) ×2\n" in done.text
    assert "AssertionError: at most one refund per order, but '1' has 2:" in done.text
    assert "and the next one" in done.text


def test_a_violated_property_fails_a_test_whose_body_passed(session, shop):
    code = f"""{HEAD}
    order = []

    def test_violated(world):
        squall.finally_(lambda: order.append(1))
        squall.finally_(lambda: squall.exactly_once([], by="planted"))
        squall.finally_(lambda: order.append(2))

    def test_order(): assert order == [1, 2]

    def test_violated_and_skipped():
        squall.finally_(lambda: squall.exactly_once([], by="x") or 1 / 0)
        pytest.skip("a skip hides nothing")

    def test_skipped():
        pytest.skip("no key")
    """
    done = session(code)
    assert done.counts == {"failed": 2, "passed": 1, "skipped": 1}
    assert "planted" in done.text


def test_finally_functions_see_the_world_before_fixtures_are_torn_down(session, shop):
    code = f"""{HEAD}
    alive = []

    @pytest.fixture
    def server():
        alive.append(1)
        yield
        alive.clear()

    def test_it(server):
        @squall.finally_
        def check(): assert alive
    """
    assert session(code).counts == {"passed": 1}


def test_an_agent_that_hangs_is_ended_by_the_runs_limit(session, shop):
    code = f"""{HEAD}
    LIMITED = pytest.mark.faults([], limits={{"seconds": 100, "calls": 3}})

    async def forever():
        while True:
            try:
                await asyncio.sleep(10)
            except Exception:
                pass

    @LIMITED
    @pytest.mark.asyncio
    async def test_async(): await forever()

    @LIMITED
    def test_sync(): asyncio.run(forever())

    @LIMITED
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(0.5)
    def test_calls(tools):
        while True: tools.get_order(id="1")

    @LIMITED
    def test_swallowed(tools):
        try:
            while True: tools.get_order(id="1")
        except BaseException:
            pass
    """
    done = session(code)
    assert done.counts == {"failed": 4}
    assert "gate: 0 of 2 runs passed (2 hung), required 50 %" in done.text
    assert "its limit, and what the limit raised was swallowed" in done.text


def test_drawn_faults_that_never_fire_are_a_warning(session, shop):
    code = f"""{HEAD}
    RARELY = pytest.mark.faults({{"payments.issue_refund": {{"errors": {{"timeout": 0.0001}}}}}})

    @RARELY
    @pytest.mark.runs(3)
    @pytest.mark.min_pass_rate(1.0)
    def test_gate(tools): tools.issue_refund(order="1", amount=1)

    @RARELY
    @pytest.mark.runs(2)
    def test_runs(tools): tools.issue_refund(order="1", amount=1)

    @RARELY
    def test_single(tools): tools.issue_refund(order="1", amount=1)

    @pytest.mark.faults(ALWAYS)
    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(1.0)
    def test_fires(tools):
        with pytest.raises(TimeoutError): tools.issue_refund(order="1", amount=1)
    """
    done = session(code, "-W", "default")
    assert done.counts == {"passed": 5, "warnings": 3}
    assert "test_it.py::test_gate: no drawn fault fired in any of the 3 runs" in done.text
    assert "test_it.py::test_runs: no drawn fault fired in any of the 2 runs" in done.text
    assert "test_it.py::test_single: no drawn fault fired, so none was tested: add @pytest.mark.runs(20)" in done.text
    strict = session(code, "-W", "error")
    assert strict.counts["failed"] == 2
    assert "FAILED test_it.py::test_gate - test_it.py::test_gate: no drawn fault fired" in strict.text


def test_a_wall_clock_timeout_of_pytest_timeout_still_counts_in_wall_time(session):
    pytest.importorskip("pytest_timeout")
    code = """
        import asyncio, time, pytest

        @pytest.mark.timeout(5)
        @pytest.mark.asyncio
        async def test_virtual_hours_are_no_timeout(clock): await asyncio.sleep(3000)

        @pytest.mark.timeout(5)
        def test_sync_hours_neither(clock): time.sleep(3000)

        @pytest.mark.timeout(0.2)
        @pytest.mark.asyncio
        async def test_a_busy_loop_is_one(clock):
            while True: pass
    """
    done = session(code, plugins=["timeout"])
    assert done.counts == {"passed": 2, "failed": 1}
    assert "Timeout (>0.2s) from pytest-timeout" in done.text


def test_a_run_that_is_executed_again_has_a_fresh_world(session, shop):
    pytest.importorskip("pytest_rerunfailures")
    code = f"""{HEAD}
    tries = []

    @pytest.mark.asyncio
    async def test_it(tools, world, clock):
        assert world.refunds.count() == 0 and clock.elapsed() == 0
        await asyncio.sleep(10)
        await tools.aio.issue_refund(order="1", amount=1)
        tries.append(1)
        assert len(tries) == 3
    """
    assert session(code, "--reruns=5", plugins=["rerunfailures"]).counts == {"passed": 1, "rerun": 2}


def test_an_output_that_is_not_captured_changes_nothing(session, shop):
    code = f"""{HEAD}
    def test_it(tools): print("said", tools.get_order(id="1")["id"])
    """
    done = session(code, "-s")
    assert done.counts == {"passed": 1}
    assert "said 1" in done.text


def test_the_traces_are_written_where_the_option_says(session, shop, pytester):
    code = f"""{HEAD}
    @pytest.mark.runs(2)
    @pytest.mark.parametrize("order", ["1", "2_3"])
    def test_it(tools, order): tools.get_order(id="1")

    def test_plain(): pass
    """
    session(code, "--squall-traces=out/traces")
    assert sorted(path.name for path in (pytester.path / "out/traces").iterdir()) == [
        "test_it.py--test_it--1--run0000.jsonl",
        "test_it.py--test_it--1--run0001.jsonl",
        "test_it.py--test_it--2_3--run0000.jsonl",
        "test_it.py--test_it--2_3--run0001.jsonl",
        "test_it.py--test_plain.jsonl",
    ]


def test_debugging_under_virtual_time_stops_where_the_test_failed(session, shop, pytester):
    pytester.makeconftest(
        """
        import pdb
        class Noting(pdb.Pdb):
            def interaction(self, frame, traceback, *rest): print("debugger in", frame or traceback)
        """
    )
    code = f"""{HEAD}
    @pytest.mark.asyncio
    async def test_it(tools):
        await asyncio.sleep(9)
        assert 0
    """
    done = session(code, "--pdb", "--pdbcls=conftest:Noting")
    assert done.counts == {"failed": 1}
    assert done.text.count("debugger in") == 1


def test_an_agent_that_raises_in_a_fixture_is_judged_too(session, shop):
    code = f"""{HEAD}
    @pytest.fixture
    def agent(tools, world):
        squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
        for _ in range(2): tools.issue_refund(order="1", amount=1)
        raise RuntimeError("the agent gave up")

    @pytest.mark.runs(2)
    @pytest.mark.min_pass_rate(0.5)
    def test_it(agent): pass
    """
    done = session(code)
    assert done.counts == {"failed": 1}
    assert "RuntimeError: the agent gave up" in done.text
    assert "  runs 0, 1 crashed: issue_refund ×2\n    AssertionError: at most one refund per order" in done.text


def test_under_trio_the_run_is_on_wall_time_and_says_so(session):
    code = """
        import pytest

        @pytest.fixture
        def anyio_backend(): return ("trio", {})

        def test_it(anyio_backend, clock): assert clock.mode == "wall"

        @pytest.mark.clock("wall")
        def test_asked(anyio_backend, clock): assert clock.mode == "wall"

        @pytest.mark.parametrize("anyio_backend", ["asyncio"])
        def test_asyncio(anyio_backend, clock): assert clock.mode == "virtual"
    """
    done = session(code, "-W", "default")
    assert done.counts == {"passed": 3, "warnings": 1}
    assert "SquallWarning: trio runs on wall time" in done.text


def test_an_error_that_only_other_plug_ins_have_a_hand_in_can_be_shown(session):
    code = """
        import gc, pytest

        class Late:
            def __del__(self): raise ValueError("too late")

        def test_it(clock):
            Late()
            gc.collect()
    """
    done = session(code, "-W", "error")
    assert done.counts == {"failed": 1}
    assert "too late" in done.text


def test_an_interrupted_run_is_not_evaluated(session, shop):
    code = f"""{HEAD}
    def test_it():
        squall.finally_(lambda: print("EVALUATED"))
        raise KeyboardInterrupt
    """
    done = session(code, "-s", apart=True)
    assert done.ret == 2
    assert "EVALUATED" not in done.text


def test_a_run_that_had_to_go_along_with_real_time_says_why_once(session):
    code = """
        import asyncio, sys, pytest

        @pytest.mark.runs(2)
        @pytest.mark.asyncio
        async def test_it(clock):
            child = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
            await child.wait()
    """
    done = session(code, "-W", "default")
    assert done.counts == {"passed": 2, "warnings": 1}
    assert "SquallWarning: test_it.py::test_it: " in done.text
    assert session(code, "-W", "error").counts == {"passed": 1, "failed": 1}
