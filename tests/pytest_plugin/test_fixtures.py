from __future__ import annotations

import pytest

ALL = """
    import pytest, squall

    pytestmark = pytest.mark.world("shop.yaml")

    @pytest.mark.faults({"payments.issue_refund": {"errors": {"timeout": 1}}})
    def test_all(world, faults, clock, trace, tools, mcp_server):
        assert world.orders.count() == 3
        assert faults.drawn
        with pytest.raises(TimeoutError):
            tools.issue_refund(order="1", amount=2.5)
        assert [refund.amount for refund in world.refunds.all()] == [2.5]
        assert trace.count("issue_refund") == 1
        assert clock.mode == "virtual" and clock.elapsed() == 60
        assert type(mcp_server).__name__ == "McpServer"

    def test_afresh(world, trace, clock):
        assert world.refunds.count() == 0 and trace.count("issue_refund") == 0 and clock.elapsed() == 0

    def test_only_marked():
        assert squall.runs.current.current() is not None
"""


def test_what_a_test_can_ask_for(session, shop):
    assert session(
        ALL.replace("squall.runs.current", "sys.modules['squall.runs.current']").replace(
            "import pytest, squall", "import sys, pytest, squall"
        )
    ).counts == {"passed": 3}


@pytest.mark.parametrize(
    ("fixture", "marker"), [("world", "world"), ("tools", "world"), ("mcp_server", "world"), ("faults", "faults")]
)
def test_a_fixture_without_its_marker_says_what_to_add(session, fixture, marker):
    done = session(f"def test_it({fixture}): pass")
    assert done.counts == {"errors": 1}
    parameter = {"world": "path", "faults": "plan"}[marker]
    said = f"add @pytest.mark.{marker}({parameter}): the fixture '{fixture}' needs it"
    assert f"\n{said}\n    For example: @pytest.mark.{marker}(" in done.text
    assert f"\nERROR test_it.py::test_it - Failed: {said}\n" in done.text


def test_a_clock_and_a_trace_need_no_marker(session):
    code = """
        import time

        def test_clock(clock):
            time.sleep(3000)
            assert clock.elapsed() == 3000

        def test_trace(trace): assert trace.calls() == []
    """
    assert session(code).counts == {"passed": 2}


def test_a_fixture_may_be_asked_for_while_the_test_runs(session, shop):
    code = """
        import time, pytest

        @pytest.mark.world("shop.yaml")
        def test_marked(request): assert request.getfixturevalue("world").orders.count() == 3

        def test_late(request):
            clock = request.getfixturevalue("clock")
            time.sleep(3000)
            assert clock.elapsed() == 3000

        def test_unmarked(request): request.getfixturevalue("tools")
    """
    done = session(code)
    assert done.counts == {"passed": 2, "failed": 1}
    assert "add @pytest.mark.world(path): the fixture 'tools' needs it" in done.text


def test_the_users_fixtures_use_the_runs_world(session, shop):
    code = """
        import pytest, pytest_asyncio

        @pytest.fixture
        def paid(tools, world):
            tools.issue_refund(order="1", amount=1)
            yield world
            assert world.refunds.count() == 2

        @pytest_asyncio.fixture
        async def paid_later(tools): await tools.aio.issue_refund(order="2", amount=1)

        @pytest.mark.usefixtures("paid")
        @pytest.mark.world("shop.yaml")
        @pytest.mark.runs(2)
        class TestClass:
            @pytest.mark.asyncio
            async def test_async(self, world, paid_later): assert world.refunds.count() == 2

            def test_sync(self, world, tools):
                tools.issue_refund(order="3", amount=1)
                assert world.refunds.count() == 2

        @pytest.mark.usefixtures("world")
        @pytest.mark.world("shop.yaml")
        def test_used(): pass

        @pytest.mark.world("shop.yaml")
        @pytest.mark.parametrize("order", ["1", "2"])
        def test_case(order, world): assert world.orders.get(order).id == order
    """
    assert session(code).counts == {"passed": 7}


def test_a_shadowed_fixture_is_told_and_squalls_own_parts_do_without_it(session, shop, pytester):
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def clock(): return "mine"

        @pytest.fixture
        def world(world): return ("extended", world)
        """
    )
    code = """
        import time, pytest
        pytestmark = [pytest.mark.world("shop.yaml"), pytest.mark.runs(2)]

        def test_it(clock, world, trace, tools):
            time.sleep(3000)
            assert clock == "mine" and world[0] == "extended" and world[1].clock.elapsed() == 3000

    """
    done = session(code, "-W", "default")
    assert done.counts == {"passed": 2, "warnings": 1}
    assert "conftest.py:3: SquallWarning: this fixture 'clock' hides squall's" in done.text
    strict = session(code, "-W", "error")
    assert strict.ret == 4
    assert "conftest.py:3: this fixture 'clock' hides squall's" in strict.text


def test_a_fixture_of_that_name_in_a_project_without_squall_is_nobodys_business(session, pytester):
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef world(): return 1")
    done = session("def test_it(world): assert world == 1", "-W", "error")
    assert done.counts == {"passed": 1}


def test_wider_fixtures_are_set_up_on_wall_time_and_the_tests_own_on_the_runs_clock(session):
    code = """
        import asyncio, time, pytest, pytest_asyncio
        started = time.monotonic
        spent = {}

        def timed(name):
            begun = time.monotonic()
            time.sleep(0.02)
            spent[name] = time.monotonic() - begun

        @pytest.fixture(scope="session", autouse=True)
        def wide(): timed("session")

        @pytest.fixture(scope="module")
        def module(request): timed("module")

        @pytest.fixture(autouse=True)
        def own():
            timed("own")
            yield
            timed("own's clean-up")

        @pytest_asyncio.fixture(scope="module", loop_scope="module")
        async def loop(): return asyncio.get_running_loop()

        @pytest_asyncio.fixture(loop_scope="module")
        async def on_that_loop():
            await asyncio.sleep(40)
            yield
            await asyncio.sleep(40)

        class TestClass:
            @pytest_asyncio.fixture(loop_scope="module")
            async def method(self):
                await asyncio.sleep(40)
                return self

            @pytest.mark.asyncio(loop_scope="module")
            async def test_on_a_loop_born_before(self, loop, on_that_loop, module, clock, method):
                assert asyncio.get_running_loop() is loop and method is self
                assert clock.elapsed() == pytest.approx(80.02)
                await asyncio.sleep(3000)
                assert clock.elapsed() == pytest.approx(3080.02)

        @pytest.mark.asyncio(loop_scope="module")
        async def test_that_loop_is_on_wall_time_again(loop):
            begun = time.monotonic()
            await asyncio.sleep(0.02)
            assert time.monotonic() - begun >= 0.02

        def test_spent():
            assert spent["session"] >= 0.02 and spent["module"] >= 0.02

        def test_own(clock): assert spent["own"] < 0.01
    """
    assert session(code).counts == {"passed": 4}


def test_a_sync_test_runs_its_agent_in_virtual_time(session):
    code = """
        import asyncio, anyio, pytest

        async def agent(): await asyncio.sleep(3000)

        def test_asyncio(clock):
            asyncio.run(agent())
            assert clock.elapsed() == 3000

        def test_anyio(clock):
            anyio.run(agent)
            assert clock.elapsed() == 3000

        @pytest.fixture
        def anyio_backend(): return "asyncio"

        @pytest.fixture
        async def any_fixture(anyio_backend): await anyio.sleep(40)

        @pytest.mark.anyio
        async def test_under_anyios_plug_in(any_fixture, clock):
            with anyio.move_on_after(60) as scope:
                await anyio.sleep(3000)
            assert scope.cancelled_caught and clock.elapsed() == 100
    """
    assert session(code).counts == {"passed": 3}


def test_a_unittest_case_gets_a_world_and_a_clock(session, shop):
    code = """
        import asyncio, unittest, pytest, squall

        @pytest.mark.world("shop.yaml")
        class TestUnit(unittest.IsolatedAsyncioTestCase):
            @pytest.fixture(autouse=True)
            def _given(self, world, clock): self.world, self.clock = world, clock

            async def test_unit(self):
                await asyncio.sleep(3000)
                assert self.clock.elapsed() == 3000 and self.world.orders.count() == 3

            def test_violated(self): squall.finally_(lambda: self.fail("planted"))
    """
    done = session(code)
    assert done.counts == {"passed": 1, "failed": 1}
    assert "planted" in done.text
