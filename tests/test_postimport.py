from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from typing import Any

import pytest

from squall import postimport
from squall.postimport import _Finder, when_imported

NAMES = ("awaited_module", "awaited_other", "awaited_package", "awaited_package.inner")


@pytest.fixture
def finder(monkeypatch):
    """A finder for whom nobody waits yet: the session that runs this test may have one of its own."""
    found = _Finder()
    monkeypatch.setattr(postimport, "_FINDER", found)
    yield found
    assert found._hooks == {}
    assert found not in sys.meta_path


@pytest.fixture(autouse=True)
def modules(tmp_path, monkeypatch, finder):
    """Writes modules that nobody has imported yet."""
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()

    def write(name, text="value = 1"):
        path = tmp_path.joinpath(*name.split("."))
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()

    yield write
    for name in list(sys.modules):
        if name.partition(".")[0].startswith("awaited_"):
            del sys.modules[name]


def test_a_module_that_is_there_is_told_of_at_once_and_the_finder_does_not_come(monkeypatch):
    before = list(sys.meta_path)
    told: list[Any] = []
    cancel = when_imported("json", told.append)
    assert [module.__name__ for module in told] == ["json"]
    assert sys.meta_path == before
    cancel()


def test_a_module_that_comes_is_told_of_after_its_body_has_run_and_the_finder_goes(modules):
    before = list(sys.meta_path)
    told: list[Any] = []
    modules("awaited_module")
    when_imported("awaited_module", lambda module: told.append((module.__name__, module.value)))
    assert sys.meta_path[1:] == before
    assert told == []

    module = importlib.import_module("awaited_module")

    assert told == [("awaited_module", 1)]
    assert sys.meta_path == before
    assert module.__spec__ is not None
    assert type(module.__spec__.loader) is type(module.__loader__) is importlib.machinery.SourceFileLoader


def test_the_finder_goes_before_those_who_have_come_since(modules, finder, monkeypatch):
    class Other:
        @staticmethod
        def find_spec(name, path=None, target=None):
            return importlib.machinery.PathFinder.find_spec(name, path, target)

    told: list[Any] = []
    modules("awaited_module")
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    early = when_imported("awaited_other", told.append)
    sys.meta_path.insert(0, Other)
    when_imported("awaited_module", told.append)
    assert sys.meta_path.count(finder) == 1
    assert told == []
    assert [importlib.import_module("awaited_module")] == told
    early()


def test_it_is_told_of_once_however_often_it_is_imported_or_reloaded(modules):
    told: list[Any] = []
    modules("awaited_module")
    when_imported("awaited_module", told.append)
    for _ in range(2):
        module = importlib.import_module("awaited_module")
    importlib.reload(module)
    assert told == [module]


def test_all_who_wait_are_told_in_order_and_those_who_have_gone_are_not(modules):
    told: list[Any] = []
    modules("awaited_module")
    first = when_imported("awaited_module", lambda _: told.append(1))

    def second(_):
        told.append(2)
        third()

    when_imported("awaited_module", second)
    third = when_imported("awaited_module", lambda _: told.append(3))
    when_imported("awaited_module", lambda _: told.append(4))
    first()
    importlib.import_module("awaited_module")
    assert told == [2, 4], "one that was taken back by another, just before its turn, is not told either"


def test_taking_a_wish_back_twice_or_too_late_does_nothing(modules):
    before = list(sys.meta_path)
    modules("awaited_module")
    early, late = (when_imported("awaited_module", lambda _: None) for _ in range(2))
    early()
    early()
    assert len(sys.meta_path) == len(before) + 1, "the other one waits still"
    importlib.import_module("awaited_module")
    late()
    assert sys.meta_path == before


def test_an_import_that_fails_fails_as_ever_and_the_next_is_told_of(modules):
    told: list[Any] = []
    modules("awaited_module", "raise ValueError('not today')")
    when_imported("awaited_module", told.append)
    with pytest.raises(ValueError, match="not today"):
        importlib.import_module("awaited_module")
    assert told == []
    assert "awaited_module" not in sys.modules

    modules("awaited_module", "value = 'now'")
    assert importlib.import_module("awaited_module") is told[0]


def test_a_module_that_is_not_there_is_not_found_as_ever():
    told: list[Any] = []
    cancel = when_imported("awaited_module", told.append)
    with pytest.raises(ModuleNotFoundError, match="awaited_module"):
        importlib.import_module("awaited_module")
    assert importlib.util.find_spec("awaited_module") is None
    cancel()
    assert told == []


def test_what_a_hook_raises_breaks_neither_the_import_nor_the_other_hooks_and_is_told(modules, monkeypatch):
    told: list[Any] = []
    ignored: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", ignored.append)
    modules("awaited_module")

    def broken(_):
        raise ZeroDivisionError("a bug")

    when_imported("awaited_module", broken)
    when_imported("awaited_module", told.append)
    assert importlib.import_module("awaited_module").value == 1
    assert len(told) == 1
    assert [each.exc_type for each in ignored] == [ZeroDivisionError]


def test_what_it_raises_is_raised_where_the_module_is_there_already():
    with pytest.raises(ZeroDivisionError):
        when_imported("json", lambda _: 1 / 0)


def test_a_hook_may_import_and_wait_for_others(modules):
    told: list[Any] = []
    modules("awaited_module")
    modules("awaited_other")

    def hook(module):
        when_imported("awaited_other", told.append)
        importlib.import_module("awaited_other")
        told.append(module)

    when_imported("awaited_module", hook)
    importlib.import_module("awaited_module")
    assert [module.__name__ for module in told] == ["awaited_other", "awaited_module"]


def test_a_submodule_is_told_of_by_itself_and_so_is_its_package(modules):
    told: list[Any] = []
    modules("awaited_package.__init__", "from awaited_package import inner")
    modules("awaited_package.inner")
    for name in ("awaited_package", "awaited_package.inner"):
        when_imported(name, lambda module: told.append(module.__name__))
    importlib.import_module("awaited_package")
    assert told == ["awaited_package.inner", "awaited_package"]


def test_who_only_looks_whether_a_module_is_there_sees_its_origin_and_nobody_is_told(modules, tmp_path):
    told: list[Any] = []
    modules("awaited_module")
    cancel = when_imported("awaited_module", told.append)
    spec = importlib.util.find_spec("awaited_module")
    assert spec is not None
    assert spec.origin == str(tmp_path / "awaited_module.py")
    assert spec.loader is not None
    assert spec.loader.get_source("awaited_module") == "value = 1"  # type: ignore[attr-defined]  # passed on
    cancel()
    assert told == []


def test_a_module_without_a_body_is_found_and_nobody_is_told(tmp_path):
    told: list[Any] = []
    (tmp_path / "awaited_package").mkdir()
    importlib.invalidate_caches()
    cancel = when_imported("awaited_package", told.append)
    assert importlib.import_module("awaited_package").__spec__ is not None
    assert told == []
    cancel()


def test_a_lazy_module_is_told_of_when_it_is_really_loaded(modules):
    told: list[Any] = []
    modules("awaited_module")
    when_imported("awaited_module", told.append)
    spec = importlib.util.find_spec("awaited_module")
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["awaited_module"] = module
    spec.loader.exec_module(module)
    assert told == []
    assert module.value == 1
    assert told == [module]


def test_ten_threads_that_import_it_at_once_are_told_of_once_and_all_see_what_the_hook_did(modules):
    modules("awaited_module", "import threading\nvalue = 1")
    seen, start = [], threading.Barrier(10)

    def hook(module):
        module.value += 1

    def agent():
        start.wait()
        seen.append(importlib.import_module("awaited_module").value)

    when_imported("awaited_module", hook)
    threads = [threading.Thread(target=agent) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [2] * 10


def test_whoever_asks_while_another_thread_imports_it_waits_for_the_end(modules):
    modules("awaited_module", "import sys\nsys.awaited_begun.set()\nsys.awaited_go_on.wait(10)\nvalue = 1")
    begun, go_on, told = threading.Event(), threading.Event(), []
    vars(sys).update(awaited_begun=begun, awaited_go_on=go_on)
    try:
        importing = threading.Thread(target=importlib.import_module, args=("awaited_module",))
        importing.start()
        begun.wait(10)
        asking = threading.Thread(
            target=when_imported, args=("awaited_module", lambda module: told.append(module.value))
        )
        asking.start()
        go_on.set()
        for thread in (importing, asking):
            thread.join(10)
        assert told == [1]
    finally:
        del vars(sys)["awaited_begun"], vars(sys)["awaited_go_on"]


def test_of_a_module_that_asks_for_itself_nobody_is_told_before_its_end(modules):
    modules(
        "awaited_module",
        "from squall.postimport import when_imported\n"
        "seen = []\n"
        "cancel = when_imported('awaited_module', lambda module: seen.append(module.value))\n"
        "assert seen == []\n"
        "value = 1",
    )
    importlib.import_module("awaited_module").cancel()


def test_other_imports_are_left_to_the_others(modules, finder):
    modules("awaited_other")
    cancel = when_imported("awaited_module", lambda _: None)
    assert finder.find_spec("awaited_other") is None
    assert importlib.import_module("awaited_other").value == 1
    cancel()


def test_pytest_rewrites_the_assertions_of_a_module_that_is_waited_for(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        conftest="""
            import pytest
            pytest.register_assert_rewrite("awaited_asserting")
        """,
        awaited_asserting="def check(x):\n    assert x == 2",
        test_it="""
            import pytest
            from squall.postimport import when_imported

            def test_it():
                told = []
                when_imported("awaited_asserting", told.append)
                import awaited_asserting
                assert told == [awaited_asserting]
                with pytest.raises(AssertionError, match="assert 1 == 2"):
                    awaited_asserting.check(1)
        """,
    )
    assert pytester.runpytest_inprocess("-p", "no:cacheprovider").ret == 0


BEGIN = """
import asyncio
import sys
from squall.models import say

def test_it(model):
    assert not {"openai", "aiohttp", "httpx2", "httpcore2", "httpcore"} & set(sys.modules)
    model.script(say("hello"))
    assert ask()["choices"][0]["message"]["content"] == "hello"

BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
URL = "https://api.openai.com/v1"

def ask():
"""
FIRST = {
    "openai": """
    import openai
    with openai.OpenAI(base_url=URL, api_key="k") as client:
        return client.chat.completions.create(**BODY).model_dump()
""",
    "openai, async": """
    async def agent():
        import openai
        async with openai.AsyncOpenAI(base_url=URL, api_key="k") as client:
            return (await client.chat.completions.create(**BODY)).model_dump()

    return asyncio.run(agent())
""",
    "httpx": """
    import httpx
    return httpx.post(f"{URL}/chat/completions", json=BODY).json()
""",
    "aiohttp": """
    async def agent():
        import aiohttp
        async with aiohttp.ClientSession() as session:
            async with session.post(f"{URL}/chat/completions", json=BODY) as response:
                return await response.json()

    return asyncio.run(agent())
""",
}


@pytest.mark.parametrize("code", FIRST.values(), ids=FIRST)
def test_an_sdk_that_is_imported_for_the_first_time_inside_a_test_is_routed_too(pytester, monkeypatch, code):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # others have imported some of it
    pytester.makepyfile(test_it=BEGIN + code)
    result = pytester.runpytest_subprocess("-p", "_squall_pytest", "-W", "error", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
