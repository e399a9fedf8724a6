"""Tests whose runs call a model that costs money are not explored unless that is meant."""

from __future__ import annotations

import pytest

CONFTEST = """
import httpcore
CALLS = []
BODY = b'{"choices": [{"message": {"content": "hi"}}]}'

class Wire(httpcore.NetworkStream):
    def __init__(self, host):
        self.host = host

    def write(self, buffer, timeout=None):
        pass

    def read(self, max_bytes, timeout=None):
        CALLS.append(self.host)
        return b"HTTP/1.1 200 OK\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(BODY) + BODY

    def start_tls(self, *args, **options):
        return self

    def close(self):
        pass

    def get_extra_info(self, info):
        return None

httpcore.SyncBackend.connect_tcp = lambda self, host, port, **options: Wire(host)
"""
ASKS = """
import httpx, pytest
import conftest

@pytest.mark.world("shop.yaml")
MARK
def test_ask(tools):
    try:
        tools.list_refunds(order="1")
    except Exception:
        pass
    with httpx.Client() as client:
        client.post("http://HOST/v1/chat/completions", json={})

def test_calls():
    print("CALLS", len(conftest.CALLS))
"""


@pytest.fixture
def asking(session, pytester, monkeypatch):
    """`asking(*args)` runs a test that asks a model at a host; the network is played by its conftest."""
    core = pytest.importorskip("httpcore")
    monkeypatch.setattr(core.SyncBackend, "connect_tcp", core.SyncBackend.connect_tcp)
    pytester.makeconftest(CONFTEST)

    def run(*args, host="models.example", mark="@pytest.mark.explore(kinds=['http_503'])"):
        return session(ASKS.replace("HOST", host).replace("MARK", mark), "-s", *args)

    return run


def test_a_test_that_is_marked_fails_after_one_call(asking):
    done = asking()
    assert done.counts == {"failed": 1, "passed": 1}
    assert "The test calls a model at models.example, so it was not explored" in done.text
    assert "--squall-allow-live" in done.text
    assert "CALLS 1" in done.text


def test_with_the_option_alone_it_runs_as_usual_and_the_summary_says_so(asking):
    done = asking("--squall-explore", mark="")
    assert done.counts == {"passed": 2}
    assert "The test calls a model at models.example, so it was not explored" in done.text
    assert "CALLS 1" in done.text


def test_it_is_explored_where_that_is_meant(asking):
    done = asking("--squall-allow-live")
    assert done.counts == {"passed": 2}
    assert "Every single fault (1) of the kinds http_503: no failure." in done.text
    assert "CALLS 3" in done.text


def test_a_model_on_this_machine_costs_nothing(asking):
    done = asking(host="127.0.0.1:9")
    assert done.counts == {"passed": 2}
    assert "CALLS 3" in done.text


def test_a_model_that_is_called_only_while_recovering_ends_the_exploration(session, asking):
    done = session(
        """
        import httpx, pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["http_503"])
        def test_ask(tools):
            try:
                tools.list_refunds(order="1")
            except Exception:
                httpx.post("http://models.example/v1/messages", json={})
        """
    )
    assert done.counts == {"failed": 1}
    assert "The test calls a model at models.example, so it was not explored" in done.text


def test_what_the_model_fixture_serves_is_not_live(session):
    done = session(
        """
        import httpx, pytest
        from squall.models import say

        @pytest.mark.explore(kinds=["http_503"])
        def test_ask(model):
            model.script(say("hello"))
            httpx.post("https://api.openai.com/v1/chat/completions", headers={"authorization": "Bearer x"},
                       json={"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]})
        """,
        "--squall=off",
    )
    assert done.counts == {"passed": 1}
    assert "Every single fault (1)" in done.text


def test_a_host_that_the_model_fixture_lets_out_is_live(session, asking):
    done = session(
        """
        import httpx, pytest

        @pytest.mark.explore
        def test_ask(model):
            model.allow("api.openai.com")
            httpx.post("https://api.openai.com/v1/chat/completions", json={})
        """,
        "--squall=off",
    )
    assert done.counts == {"failed": 1}
    assert "The test calls a model at api.openai.com" in done.text


def test_what_is_answered_before_there_is_a_connection_is_not_live(session):
    done = session(
        """
        import httpcore, httpx, pytest

        @pytest.mark.world("shop.yaml")
        @pytest.mark.explore(kinds=["http_503"])
        def test_ask(tools, monkeypatch):
            answer = httpcore.Response(200, content=b"{}")  # as respx puts itself in the place of a network
            monkeypatch.setattr(httpcore.ConnectionPool, "handle_request", lambda *_: answer)
            try:
                tools.list_refunds(order="1")
            except Exception:
                pass
            assert httpx.post("https://api.openai.com/v1/chat/completions", json={}).json() == {}
        """,
        "--squall=off",
    )
    assert done.counts == {"passed": 1}
    assert "Every single fault (1)" in done.text
