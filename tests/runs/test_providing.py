"""A provider for other processes: what is put together for it before it serves."""

from __future__ import annotations

import pytest

from squall.clock import real
from squall.errors import LimitReached, UsageError
from squall.runs import providing
from squall.runs.providing import Provided, provide
from squall.wire.http.steps import HttpRequest


@pytest.fixture
def served(monkeypatch):
    """The provider that `provide` would serve, after so many seconds: it is asked, and nothing listens."""

    def make(after: float, ask, say=lambda _: None, **options):
        async def asked(provider, _what, sock, clock, _say):
            sock.close()
            monkeypatch.setattr(real, "monotonic", lambda now=real.monotonic: now() + after)
            await ask(provider, clock)
            return "ended"

        monkeypatch.setattr(providing, "_until_the_end", asked)
        return provide(Provided(port=0, **options), say)

    return make


@pytest.mark.parametrize("after", [0, 3700, 10**6])
def test_faults_that_wait_do_so_however_long_it_has_served(served, after):
    async def ask(_provider, clock):
        assert clock.elapsed() >= after
        await clock.asleep(0.001)
        await clock.asleep(1e-6, capped=True)

    assert served(after, ask) == 0


def first_steps(provider, number):
    """What each of so many requests is answered with at first."""
    body = b'{"model": "m", "messages": [{"role": "user", "content": "hi"}]}'
    request = HttpRequest("POST", "/v1/chat/completions", {}, {}, body)
    return [type(next(provider.answer(request))).__name__ for _ in range(number)]


def test_no_number_of_requests_is_too_many(served):
    async def ask(provider, _clock):
        assert set(first_steps(provider, 1100)) == {"Send"}

    assert served(0, ask) == 0


def test_limits_that_the_plan_states_hold_and_are_told(served, tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text("limits: { calls: 2 }\nfaults: {}\n")
    said: list[str] = []

    async def ask(provider, clock):
        assert first_steps(provider, 3) == ["Send", "Send", "Wait"]
        with pytest.raises(LimitReached):
            await clock.asleep(1, capped=True)

    assert served(0, ask, said.append, faults=plan) == 1
    assert said == ["ended; 3 requests", "error: the run made more than 2 requests to models"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.2"])
def test_an_address_of_this_machine_needs_no_leave(served, host):
    async def ask(_provider, _clock):
        pass

    assert served(0, ask, host=host) == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.com", ""])  # noqa: S104 - it is refused
def test_one_that_others_may_reach_does(host):
    with pytest.raises(UsageError, match="Add --allow-remote if that is what you want"):
        provide(Provided(port=0, host=host), lambda _: None)
