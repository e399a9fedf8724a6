from __future__ import annotations

import pytest

from squall import UsageError
from squall.wire.clients.hosts import Hosts, Leak, named

PORT = 4711
HERE = [
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "127.0.0.1",
    "127.1.2.3",
    "::1",
    "::ffff:127.0.0.1",
    "",
    "0.0.0.0",  # noqa: S104 - connected to, not bound to
    "::",
]
THERE = [
    "example.com",
    "localhost.example.com",
    "notlocalhost",
    "10.0.0.1",
    "::2",
    "fe80::1%eth0",
    "8.8.8.8",
    "api.openai.com",
]


@pytest.fixture
def hosts():
    return Hosts(f"http://127.0.0.1:{PORT}")


@pytest.mark.parametrize("host", HERE)
def test_this_machine_is_not_outside(hosts, host):
    assert not hosts.is_outside(host)
    hosts.stop(host)
    assert hosts.leaks == []


@pytest.mark.parametrize("host", THERE)
def test_everything_else_is(hosts, host):
    assert hosts.is_outside(host)
    with pytest.raises(Leak):
        hosts.stop(host)
    assert len(hosts.leaks) == 1


@pytest.mark.parametrize("host", HERE)
def test_the_provider_is_at_its_port_of_this_machine(hosts, host):
    assert hosts.is_provider(host, PORT)
    assert not hosts.is_provider(host, PORT + 1)


@pytest.mark.parametrize("host", ["api.openai.com", "API.OpenAI.com", "api.anthropic.com."])
def test_it_stands_for_the_real_ones_at_any_port_unless_they_are_allowed(hosts, host):
    assert hosts.is_provider(host, 443)
    assert hosts.is_provider(host)
    hosts.allow(host)
    assert not hosts.is_provider(host, 443)
    assert not hosts.is_outside(host)


def test_nobody_else_is_a_provider(hosts):
    assert not hosts.is_provider("openai.com", 443)
    assert not hosts.is_provider("api.openai.com.example", PORT)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("example.com", "example.com"),
        ("Example.com.", "example.com"),
        ("example.com:8443", "example.com"),
        ("https://example.com:8443/v1?x=1", "example.com"),
        ("10.0.0.1", "10.0.0.1"),
        ("10.0.0.1:80", "10.0.0.1"),
        ("2001:db8::7", "2001:db8::7"),
        ("[2001:db8::7]:443", "2001:db8::7"),
        ("", ""),
        ("https://", ""),
        ("http://[", ""),
        (None, ""),
        (7, ""),
    ],
)
def test_a_host_is_named_as_in_a_url(text, host):
    assert named(text) == host


@pytest.mark.parametrize("given", ["", "https://", None])
def test_to_allow_no_host_is_a_mistake_that_is_told(hosts, given):
    with pytest.raises(UsageError, match=r"which is no host\n.*model\.allow\(\"example\.com\"\)"):
        hosts.allow(given)
