from __future__ import annotations

import os

import anthropic
import openai
import pytest

from squall.wire.clients.environment import ELSEWHERE, KEY, UNPROXIED, set_for, variables
from tests.wire.clients.asked import ANSWER, asks_anthropic, asks_openai, said_by_anthropic, said_by_openai

URL = "http://127.0.0.1:4711"
ALL = (*variables(URL), *ELSEWHERE, *UNPROXIED)


def variables_now():
    return {name: os.environ.get(name) for name in ALL}


@pytest.fixture(params=["unset", "set"])
def before(request, monkeypatch):
    for name in ALL:
        if request.param == "set":
            monkeypatch.setenv(name, f"the user's {name}")
        else:
            monkeypatch.delenv(name, raising=False)
    return variables_now()


@pytest.mark.parametrize("failing", [True, False])
def test_the_variables_are_set_and_put_back_though_the_agent_fails_or_changes_them(before, failing):
    def agent():
        with set_for(URL):
            assert os.environ["OPENAI_BASE_URL"] == f"{URL}/v1"
            assert os.environ["ANTHROPIC_BASE_URL"] == URL
            assert os.environ["OPENAI_API_KEY"] == os.environ["ANTHROPIC_API_KEY"] == KEY
            assert not set(ELSEWHERE) & set(os.environ)
            os.environ["OPENAI_API_KEY"] = "the agent's"
            del os.environ["ANTHROPIC_BASE_URL"]
            if failing:
                raise ZeroDivisionError

    if failing:
        with pytest.raises(ZeroDivisionError):
            agent()
    else:
        agent()
    assert variables_now() == before


def test_what_goes_past_a_proxy_already_still_does(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "intranet.example")
    monkeypatch.delenv("no_proxy", raising=False)
    with set_for(URL):
        assert os.environ["NO_PROXY"] == "intranet.example,127.0.0.1,localhost,api.openai.com,api.anthropic.com"
        assert os.environ["no_proxy"] == "127.0.0.1,localhost,api.openai.com,api.anthropic.com"


@pytest.mark.parametrize("url", [None, "https://api.openai.com/v1"])
def test_clients_go_round_the_machines_proxy(begin, monkeypatch, url):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://proxy.example:3128")
    with begin() as run, openai.OpenAI(base_url=url) as client:
        assert said_by_openai(asks_openai(client)) == ANSWER
    assert run.result.status == "passed"


def test_the_sdks_take_the_address_and_a_dummy_key_and_nothing_of_a_real_account(begin, monkeypatch):
    for name in ALL:
        monkeypatch.setenv(name, "https://real.example" if name.endswith(("URL", "BASE")) else "real")
    with begin() as run, openai.OpenAI() as one, anthropic.Anthropic() as other:
        assert (one.api_key, one.organization, one.project) == (KEY, None, None)
        assert (other.api_key, other.auth_token) == (KEY, None)
        assert said_by_openai(asks_openai(one)) == ANSWER
        assert said_by_anthropic(asks_anthropic(other)) == ANSWER
    assert run.result.status == "passed"
    assert os.environ["OPENAI_API_KEY"] == "real"


@pytest.mark.parametrize(("given", "wanted"), [(None, "1"), ("0", "0")])
def test_sdks_report_to_nobody_unless_the_user_says_so(monkeypatch, given, wanted):
    name = "OPENAI_AGENTS_DISABLE_TRACING"
    monkeypatch.delenv(name, raising=False)
    if given is not None:
        monkeypatch.setenv(name, given)
    with set_for(URL):
        assert os.environ[name] == wanted
    assert os.environ.get(name) == given
