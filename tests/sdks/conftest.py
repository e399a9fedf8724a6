"""What these tests share: SDKs that are imported when a test asks for them, and none that reports to anybody.

Importing some of them takes seconds. They are fixtures of the session, so that only who needs one pays for it, once,
outside of any run's clock.
"""

from __future__ import annotations

import asyncio
import functools
import importlib

import pytest

QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or its import asks the network for prices
    "LITELLM_LOG": "CRITICAL",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
}


@pytest.fixture(scope="session", autouse=True)
def quiet():
    """No SDK reports what it does to its maker, and certificates are loaded once: nothing gets as far as TLS."""
    core = importlib.import_module("httpcore2")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in QUIET.items():
            patch.setenv(name, value)
        patch.setattr(core, "default_ssl_context", functools.cache(core.default_ssl_context))
        yield


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
