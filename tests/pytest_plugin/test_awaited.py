from __future__ import annotations

import gc

import pytest

SWALLOWERS = {
    "nobody": "",
    "somebody who says that the test was run": """
        import inspect
        def pytest_pyfunc_call(pyfuncitem):
            if inspect.iscoroutinefunction(pyfuncitem.obj):
                pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}).close()
                return True
    """,
    "somebody who drops every failure": """
        import pytest
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call(item):
            try:
                return (yield)
            except BaseException:
                return None
    """,
    "somebody who makes it synchronous": """
        import pytest
        @pytest.hookimpl(wrapper=True)
        def pytest_pyfunc_call(pyfuncitem):
            test, pyfuncitem.obj = pyfuncitem.obj, lambda **kwargs: None
            try:
                return (yield)
            finally:
                pyfuncitem.obj = test
    """,
}
UNAWAITED = """
    import functools, unittest

    async def test_function(): assert False

    class TestClass:
        async def test_method(self): assert False

    def decorated(test):
        @functools.wraps(test)
        def inner(*args, **kwargs): return test(*args, **kwargs)
        return inner

    @decorated
    async def test_behind_a_plain_wrapper(): assert False

    async def test_generator():
        assert False
        yield

    class TestUnit(unittest.TestCase):
        async def test_unit(self): assert False
"""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:coroutine:RuntimeWarning")
@pytest.mark.parametrize("who", SWALLOWERS)
def test_a_coroutine_test_that_nothing_awaits_never_passes(session, pytester, who):
    pytester.makeconftest(SWALLOWERS[who])
    done = session(UNAWAITED, "-p", "no:asyncio", "-p", "no:anyio", "-W", "ignore")
    assert done.counts == {"failed": 5}
    gc.collect()  # the coroutines that nobody awaited say so now, not in another test


def test_it_is_said_what_to_do_about_it(session):
    text = session(UNAWAITED, "-W", "ignore").text
    assert (
        "__ test_function _____________________________________________________\n"
        "nothing awaits it: add @pytest.mark.asyncio, or set asyncio_mode = auto\n"
        "    A test that nothing awaits tests nothing, so it is no pass.\n"
        "    Or mark it @pytest.mark.anyio: anyio's plug-in is here, too.\n"
        "____"
    ) in text
    assert text.count("tests nothing, so it is no pass") == 1  # in full once, then a line for each
    assert text.count("\nnothing awaits it: add @pytest.mark.asyncio") == 3
    assert "\nit is an async generator, which nothing runs: a test awaits, it does not yield\n" in text
    assert "\nnothing awaits it: derive its class from unittest.IsolatedAsyncioTestCase\n" in text
    assert "natively supported" not in text


def test_the_advice_holds_whoever_swallows_what_pytest_says(session, pytester):
    pytester.makeconftest(SWALLOWERS["somebody who drops every failure"])
    text = session(UNAWAITED, "-p", "no:asyncio", "-W", "ignore").text
    assert "\nnothing awaits it: pytest-asyncio is switched off (-p no:asyncio)\n" in text


def test_in_a_gate_it_is_said_once_and_is_no_matter_of_rates(session, shop):
    code = """
        import pytest
        pytestmark = [pytest.mark.world("shop.yaml"), pytest.mark.runs(3)]

        @pytest.mark.min_pass_rate(0)
        async def test_gate(tools): assert False

        @pytest.mark.min_pass_rate(0.5)
        @pytest.mark.xfail(reason="bug 7")
        async def test_expected(tools): assert False
    """
    done = session(code, "-W", "ignore")
    assert done.counts == {"failed": 1, "xfailed": 1}
    assert done.text.count("nothing awaits it") == 2  # in the report and in pytest's own summary
    assert "gate: 0 of 3" not in done.text
    assert done.line("test_it.py::test_gate ").split() == [
        "test_it.py::test_gate", "–", "–", "–", "–", "0", "%", "failed",
    ]  # fmt: skip
    assert "[run0]" not in done.text


def test_without_a_gate_each_run_says_it_in_a_line(session):
    code = """
        import pytest

        @pytest.mark.runs(3)
        async def test_runs(): assert False
    """
    done = session(code, "-W", "ignore")
    assert done.counts == {"failed": 3}
    assert done.text.count("\nnothing awaits it: ") == 3
    assert done.text.count("tests nothing, so it is no pass") == 1


def test_a_plain_function_that_returns_a_coroutine_is_no_pass_and_says_so(session, shop):
    code = """
        import pytest

        async def agent(tools): await tools.aio.get_order(id="1")

        @pytest.mark.world("shop.yaml")
        def test_forgotten(tools): return agent(tools)
    """
    done = session(code, "-W", "error")
    assert done.counts == {"failed": 1}
    assert (
        "\nit returned a coroutine, and nothing awaits that: write `async def` and `await`, or use asyncio.run\n"
    ) in done.text


def test_a_test_that_fails_by_its_own_word_says_that(session, shop):
    code = """
        import pytest

        @pytest.mark.asyncio
        async def test_async(): pytest.fail("its own word", pytrace=False)

        @pytest.mark.world("shop.yaml")
        def test_sync(world): pytest.fail("its own word", pytrace=False)
    """
    done = session(code)
    assert done.counts == {"failed": 2}
    assert done.text.count("\nits own word\n") == 2


DRIVEN = """
    import asyncio, functools, unittest
    import pytest

    seen = []

    @pytest.mark.asyncio
    async def test_asyncio(): seen.append(1)

    class TestClass:
        @pytest.mark.asyncio
        async def test_method(self): seen.append(1)

        @staticmethod
        @pytest.mark.asyncio
        async def test_static(): seen.append(1)

    class TestUnit(unittest.IsolatedAsyncioTestCase):
        async def test_unit(self):
            await asyncio.sleep(0)
            seen.append(1)

    @pytest.fixture
    def anyio_backend(): return "asyncio"

    @pytest.mark.anyio
    async def test_anyio(anyio_backend): seen.append(1)

    @pytest.mark.asyncio
    async def test_that_skips(): pytest.skip("why not")

    @pytest.mark.asyncio
    @pytest.mark.xfail(strict=True)
    async def test_that_is_expected_to_fail(): assert 0

    def test_all_of_them_ran(): assert len(seen) == 5
"""


def test_coroutine_tests_that_something_awaits_are_left_as_they_are(session):
    assert session(DRIVEN).counts == {"passed": 6, "skipped": 1, "xfailed": 1}


def test_under_pytest_asyncios_auto_mode_too(session):
    code = DRIVEN.replace("@pytest.mark.asyncio", "@pytest.mark.skipif(False, reason='')")
    assert session(code, "-o", "asyncio_mode=auto", "-p", "no:anyio").counts["passed"] >= 5


def test_a_hypothesis_test_of_a_coroutine_runs_all_its_examples(session):
    pytest.importorskip("hypothesis")
    code = """
        import pytest
        from hypothesis import given, settings, strategies as st
        seen = []

        @pytest.mark.asyncio
        @settings(max_examples=7, database=None, derandomize=True)
        @given(st.integers())
        async def test_given(n): seen.append(n)

        def test_seen(): assert len(seen) == 7
    """
    assert session(code, plugins=["hypothesispytest"]).counts == {"passed": 2}
