"""The variables by which SDKs find their provider, and report to nobody. Knows their names, and no SDK."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from squall.wire.clients.hosts import PROVIDERS

KEY = "sk-squall"
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
ELSEWHERE = ("ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")  # a real account's
REPORTING = {"OPENAI_AGENTS_DISABLE_TRACING": "1"}  # or a thread of that SDK reports to its maker, in real time
UNPROXIED = ("NO_PROXY", "no_proxy")  # clients read the one or the other


def variables(url: str) -> dict[str, str]:
    """What has to be set for a provider at `url`; keys are dummies."""
    addresses = {
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_BASE": f"{url}/v1",  # older clients, and litellm's
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_BASE": url,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or its import asks the network for prices
    }
    return addresses | dict.fromkeys(KEYS, KEY)


@contextmanager
def set_for(url: str) -> Iterator[None]:
    """Set them while the context lives, and put back what was there."""
    unasked = {name: value for name, value in REPORTING.items() if name not in os.environ}
    wanted: Mapping[str, str | None] = {**variables(url), **unasked, **_past_proxies(url), **dict.fromkeys(ELSEWHERE)}
    before = {name: os.environ.get(name) for name in wanted}
    _set(wanted)
    try:
        yield
    finally:
        _set(before)


def _past_proxies(url: str) -> dict[str, str]:
    """Where the machine has a proxy, the provider is reached without it."""
    hosts = (urlsplit(url).hostname or "", "localhost", *PROVIDERS)
    return {name: ",".join(filter(None, (os.environ.get(name), *hosts))) for name in UNPROXIED}


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
