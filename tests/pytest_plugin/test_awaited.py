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


def test_it_is_said_what_to_do_about_it(session, pytester):
    pytester.makeconftest(SWALLOWERS["somebody who drops every failure"])
    text = session(UNAWAITED, "-p", "no:asyncio", "-W", "ignore").text
    assert "test_it.py::test_function is `async def` and nothing awaited it, so it tested nothing." in text
    assert "@pytest.mark.asyncio" in text
    assert "test_generator is an async generator, so it was never run." in text


def test_repeated_and_gated_coroutine_tests_are_noticed_too(session):
    code = """
        import pytest

        @pytest.mark.runs(3)
        @pytest.mark.min_pass_rate(0.5)
        async def test_gate(): assert False
    """
    done = session(code, "-p", "no:asyncio", "-W", "ignore")
    assert done.counts == {"failed": 1}
    assert "gate: 0 of 3 runs passed" in done.text


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
