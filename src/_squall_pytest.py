"""squall's door into pytest: options, markers and fixture names.

Knows the words that a test uses and nothing of what they do. `squall.pytest_plugin` is imported when the first test
that concerns it is collected; a session without one pays for this module alone.

PYTEST_DONT_REWRITE: nothing is asserted here.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from squall.errors import Problem

MARKERS = {
    "world": "world(path): the world file of a test, relative to the test's file",
    "faults": "faults(plan, limits=None): a plan file, a world file whose faults: block is taken, a dict or a list",
    "model": "model(path): the script by which the fake model answers, relative to the test's file",
    "runs": "runs(N): run the test N times, each run with the faults of its own run index",
    "min_pass_rate": "min_pass_rate(r, confidence=None): the runs are reported as one result, which passes if at least "
    "r of them passed; with confidence=0.95, if they show at this confidence that the true rate is at least r",
    "clock": 'clock("virtual" | "wall"): whose time the test runs on (default: virtual)',
    "explore": "explore(depth=1, kinds=(), targets=(), budget=None, seconds=None, crashes=True): run the test under "
    "every fault, in order, and report the smallest schedule that fails",
}
REPEATED = frozenset(MARKERS) - {"clock", "explore"}  # what --runs applies to
ANY_DEPTH = "any"  # what --squall-explore says without a number
CHECKS = (
    "checks(checks=None, skip=None, policy=None, mode=None, off=False): which of squall's checks hold for the runs of "
    "this test's agent, and what their firing means (mode: fail, warn, off)"
)
WAKING = ("openai._base_client", "anthropic._base_client", "litellm", "squall.capture.run", "squall.capture.by_hand")
MODES = ("fail", "warn", "off")
SAID = {  # options and variables, beside the mode, that say something to checks
    *(f"squall_{name}" for name in ("checks", "policy", "redact", "json", "markdown", "export_otlp")),
    *(f"SQUALL_{name}" for name in ("CHECKS", "POLICY", "REDACT")),
}
FIXTURES = {
    "world": "squall: the world of this run, freshly seeded from the file that the marker world(path) names.",
    "faults": "squall: the fault plan in force in this run.",
    "clock": "squall: the clock of this run.",
    "trace": "squall: what happened so far in this run.",
    "tools": "squall: the world's operations as plain callables: tools.NAME(...), await tools.aio.NAME(...).",
    "mcp_server": "squall: the world's operations as an MCP server in this process.",
    "mcp_url": "squall: the address of that server, http://127.0.0.1:PORT/mcp; .snapshot() gives the world's rows.",
    "model": "squall: the fake model provider of this run, found by unmodified clients.",
    "mcp_stdio": "squall: how an MCP client starts that server as a process; .snapshot() gives its world's rows.",
}


class _Unrewritten:
    """Finds squall's modules the ordinary way, before pytest's import hook sees them.

    pytest rewrites the assertions of every module of a distribution with a pytest11 entry point. Ours hold none, and
    the rewriting would cost each session more than the plug-in itself.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.partition(".")[0] == "squall" else None


if _Unrewritten not in sys.meta_path:
    sys.meta_path.insert(0, _Unrewritten)


def _count(text: str) -> int:
    """At least 1; argparse words the error and pytest makes it a usage error."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of runs is at least 1, not {text!r}")
    return int(text)


def pytest_addoption(parser: pytest.Parser) -> None:
    """squall's options; `--runs` has no prefix because it belongs to the test, as `-k` does."""
    group = parser.getgroup("squall", "squall: tool-using agents in bad weather")
    group.addoption(
        "--runs",
        type=_count,
        metavar="N",
        help="run each test that carries one of the markers world, faults, model, runs, min_pass_rate N times "
        "(instead of what its marker runs(N) says)",
    )
    group.addoption(
        "--squall-seed",
        type=int,
        metavar="N",
        help="the seed of all that squall draws (default: the world's own, or 0)",
    )
    group.addoption("--squall-traces", metavar="DIR", help="write the trace of every run into DIR, one file each")
    _add_options_of_exploring(parser.getgroup("squall-explore", "squall: every fault in order, failures as files"))
    checks = parser.getgroup("squall-checks", "squall: checks of every test that drives an agent")
    checks.addoption("--squall", metavar="MODE", help="fail (default), warn or off: what a check that fires means")
    checks.addoption(
        "--squall-checks", metavar="NAMES", help="the checks to run, with commas (default: those that are on)"
    )
    checks.addoption("--squall-policy", metavar="FILE", help="the limits of tool calls (default: .squall/policy.json)")
    checks.addoption(
        "--squall-redact", metavar="HOW", help="builtin (default) masks secrets in what is shown, off does not"
    )
    checks.addoption("--squall-json", metavar="PATH", help="write what checks found into a file, as JSON")
    checks.addoption("--squall-markdown", metavar="PATH", help="the same as Markdown, for $GITHUB_STEP_SUMMARY too")
    checks.addoption(
        "--squall-export-otlp",
        metavar="PATH",
        help="write the runs as OTLP/JSON, with RAW payloads: all that models and tools were told",
    )


def _add_options_of_exploring(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--squall-explore",
        nargs="?",
        const=ANY_DEPTH,
        metavar="DEPTH",
        help="explore each test that uses squall's fixtures, or asks a model through an SDK: run it under every fault, "
        "in order, with DEPTH 2 under pairs of them, too (default: 1, or what its marker says)",
    )
    group.addoption("--squall-replay", metavar="FILE", help="run the test of a kept failure once, under its faults")
    group.addoption("--squall-no-write", action="store_true", help="keep no failure as a file in .squall/regressions")
    group.addoption(
        "--squall-allow-live", action="store_true", help="explore tests that call models which squall does not serve"
    )
    group.addoption(
        "--squall-mutate-world",
        action="store_true",
        help="alter the world at the end of each explored test, to see whether its assertions notice",
    )


def pytest_load_initial_conftests(args: list[str]) -> None:
    """`--squall-explore tests` means no depth of `tests`."""
    for place, (word, after) in enumerate(zip(args, [*args[1:], ""], strict=True)):
        if word == "--squall-explore" and not after.isdigit():
            args[place] = f"{word}={ANY_DEPTH}"


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers; where xdist distributes, the results of groups are put together in this process."""
    for line in MARKERS.values():
        config.addinivalue_line("markers", line)
    config.addinivalue_line("markers", CHECKS)
    if _is_exploring(config):
        _exploring().begin(config)
    if config.option.squall_traces:
        _make_folder(config)
    if getattr(config.option, "dist", "no") != "no" and not hasattr(config, "workerinput"):
        _plugin().wake(config)
        _checks().collect(config)
        _explored().collect(config)
    _watch_for_agents(config)


def _watch_for_agents(config: pytest.Config) -> None:
    """Have the checks wake when an SDK is imported; at once where something is said to them that may be wrong."""
    said = {name for name, value in vars(config.option).items() if name.startswith("squall_") and value is not None}
    said |= {name for name, value in os.environ.items() if name.startswith("SQUALL_") and value.strip()}
    mode = config.option.squall or os.environ.get("SQUALL", "").strip() or MODES[0]
    if mode not in MODES or not said.isdisjoint(SAID):
        _checks().wake_at_configure(config)
    elif mode != "off":
        from squall.postimport import when_imported  # light, and all that most sessions need

        for name in WAKING:
            config.add_cleanup(when_imported(name, lambda _module: _checks().wake(config)))


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which seed the user set; a session that does not use squall is told nothing."""
    seed = config.option.squall_seed
    return None if seed is None else f"squall: seed {seed}"


def pytest_report_collectionfinish(config: pytest.Config, items: Sequence[pytest.Item]) -> str | None:
    """Where nobody set a seed, say so: with the seed any run can be had again."""
    told = config.option.squall_seed is not None or config.option.verbose < 0  # --quiet shows no header either
    if not told and any(isinstance(item, pytest.Function) and _asks(item) for item in items):
        return "squall: the seed of each world's file, 0 where it has none (--squall-seed=N sets one for all)"
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)  # after whoever adds parameters, so that ids read [case-run3]
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None, object, object]:
    """Turn each run of a test into an item of its own."""
    result = yield
    of_cases = (mark for case in metafunc._calls for mark in case.marks)  # noqa: SLF001 - pytest.param's; see `repeat`
    if any(mark.name in REPEATED for mark in chain(metafunc.definition.iter_markers(), of_cases)):
        _plugin().wake(metafunc.config)
        _plugin().repeat(metafunc)
    return result


@pytest.hookimpl(trylast=True)  # among what everybody else has left
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a failure that is replayed, only its test runs."""
    if config.option.squall_replay:
        _exploring().select(config, items)


@pytest.hookimpl(tryfirst=True)  # before xdist's worker announces what it collected
def pytest_collection_finish(session: pytest.Session) -> None:
    """Wake squall for the tests that concern it, when nothing is added to them any more."""
    config = session.config
    tests = [item for item in session.items if isinstance(item, pytest.Function)]
    asking = [item for item in tests if _asks(item)]
    strange = _near_misses(config, tests, asking)
    marked = [item for item in session.items if item.get_closest_marker("checks")]
    if marked or config.pluginmanager.has_plugin("squall-checks"):
        strange += _checks().look_through(config, marked)
    exploring = _is_exploring(config) or any(item.get_closest_marker("explore") for item in asking)
    if asking or strange or exploring:
        _plugin().wake(config)
        _plugin().admit(config, asking, [*strange, *(_exploring().admit(config, asking, tests) if exploring else ())])
    if any(_is_async(item.obj) for item in tests):  # one that nothing awaits must not pass
        from squall.pytest_plugin.awaited import Guard  # without the rest: many sessions need no more

        config.pluginmanager.register(Guard(), "squall-guard")


def _near_misses(config: pytest.Config, tests: Sequence[pytest.Item], asking: Sequence[pytest.Item]) -> list[Problem]:
    """Markers that nobody has registered, and that are nearly squall's."""
    known = {line.partition(":")[0].partition("(")[0].strip() for line in config.getini("markers")}
    odd = [item for item in tests if any(mark.name not in known for mark in item.iter_markers())]
    if not odd:
        return []
    from squall.pytest_plugin.nearmiss import near_misses  # few sessions have any

    asks, ours = set(asking), (*MARKERS, "checks")
    return [each for item in odd for each in near_misses(item, known, ours, asks=item in asks)]


def _is_exploring(config: pytest.Config) -> bool:
    option = config.option
    return bool(option.squall_explore or option.squall_replay or option.squall_mutate_world)


def _make_folder(config: pytest.Config) -> None:
    from squall.errors import UsageError  # on first use, as below
    from squall.pytest_plugin.traces import make_folder

    try:
        make_folder(config.invocation_params.dir / config.option.squall_traces)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None


def _asks(item: pytest.Function) -> bool:
    return not FIXTURES.keys().isdisjoint(item.fixturenames) or any(m.name in MARKERS for m in item.iter_markers())


def _is_async(test: Callable[..., object]) -> bool:
    function = inspect.unwrap(test)
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _plugin() -> ModuleType:
    import squall.pytest_plugin.door as plugin  # on first use: most sessions never need it

    return plugin


def _checks() -> ModuleType:
    import squall.pytest_plugin.checking.waking as checks  # as above

    return checks


def _explored() -> ModuleType:
    import squall.pytest_plugin.exploring.record as explored  # light: every session with xdist has it

    return explored


def _exploring() -> ModuleType:
    import squall.pytest_plugin.exploring.waking as exploring  # as above

    return exploring


def _fixture(name: str) -> Callable[[pytest.FixtureRequest], object]:
    def provide(request: pytest.FixtureRequest) -> object:
        return _plugin().provide(name, request)

    provide.__doc__ = FIXTURES[name]  # what `pytest --fixtures` shows
    return pytest.fixture(provide, name=name)


_world = _fixture("world")
_faults = _fixture("faults")
_clock = _fixture("clock")
_trace = _fixture("trace")
_tools = _fixture("tools")
_mcp_server = _fixture("mcp_server")
_mcp_url = _fixture("mcp_url")
_mcp_stdio = _fixture("mcp_stdio")
_model = _fixture("model")
