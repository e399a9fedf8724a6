"""What these tests share: hooks that are on, SDKs that are imported outside of any run's clock, what a trace holds."""

from __future__ import annotations

import asyncio
import functools
import importlib
from pathlib import Path

import pytest

from squall.capture import current, hooks

HERE = Path(__file__).parent

QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or its import asks the network for prices
    "LITELLM_LOG": "CRITICAL",
    "LANGSMITH_TRACING": "false",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
}


@pytest.fixture(scope="session", autouse=True)
def quiet():
    """No SDK reports to its maker; certificates are loaded once."""
    core = importlib.import_module("httpcore2")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in QUIET.items():
            patch.setenv(name, value)
        patch.setattr(core, "default_ssl_context", functools.cache(core.default_ssl_context))
        yield


def pytest_collection_modifyitems(items):
    """What agents do wrong here is what is looked at: no test fails by it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.checks(off=True))


@pytest.fixture(autouse=True)
def hooked():
    """The hooks are on."""
    before = hooks.installed()
    hooks.install()
    yield
    hooks.uninstall()
    if before:
        hooks.install()


@pytest.fixture
def alone(monkeypatch):
    """No run goes on but those of the test itself."""
    monkeypatch.setattr(current, "_entered", [])
    token = current._context.set(None)
    yield
    current._context.reset(token)


def _sdk(name):
    @pytest.fixture(scope="session", name=name)
    def imported(quiet):
        return importlib.import_module(name)

    return imported


openai = _sdk("openai")
anthropic = _sdk("anthropic")
langchain_openai = _sdk("langchain_openai")
langchain_anthropic = _sdk("langchain_anthropic")
pydantic_ai = _sdk("pydantic_ai")
agents = _sdk("agents")


@pytest.fixture(scope="session")
def litellm(quiet):
    """In sync code it takes the thread's own event loop, or makes one that nobody closes."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield importlib.import_module("litellm")
    loop.close()


class Seen:
    """A run's events, by kind."""

    def __init__(self, trace):
        self.trace = trace

    def of(self, *kinds):
        """The events of these kinds, in order."""
        return [e.event for e in self.trace if e.event.__struct_config__.tag in kinds]

    @property
    def kinds(self):
        """The kinds in order, without how the run begins."""
        return [e.event.__struct_config__.tag for e in self.trace if e.event.__struct_config__.tag != "run_start"]

    def one(self, kind):
        """The only event of its kind."""
        (event,) = self.of(kind)
        return event


@pytest.fixture
def seen(model):
    """What the run's trace holds so far."""
    return Seen(model._run.trace)
