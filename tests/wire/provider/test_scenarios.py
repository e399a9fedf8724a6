"""What the keys of a scenarios file make of models as they are served: their delays, their cuts, their recoveries."""

from __future__ import annotations

import json

import pytest

from squall.call import MODEL_TARGETS
from squall.faults import parse_plan
from squall.models import Script, load_scenarios, say
from squall.wire.http.steps import Fin, Wait
from squall.wire.provider import Provider
from tests.wire.provider.conftest import Client, Side, last

WORDS = "one two three four"  # with the role, the finish and the end seven chunks


@pytest.fixture
def served(clock, tmp_path):
    """`served(delay_seconds=1)` is a client of a provider whose model `m` behaves so."""

    def make(**scenario):
        path = tmp_path / "scenarios.json"
        path.write_text(json.dumps({"models": {"m": scenario}}))
        scenarios = load_scenarios(path)
        plan = parse_plan(scenarios.weather, tuple(MODEL_TARGETS.values()), scenarios.models)
        provider = Provider(Side(clock, plan=plan), brain=Script(say(WORDS)), named=scenarios.models)
        return Client(provider, clock)

    return make


def waits(answered):
    return [step.seconds for step in answered.steps if isinstance(step, Wait)]


def faults(client):
    return [each.told() for each in last(client).happened]


def test_a_status_comes_until_it_has_recovered_and_in_each_scope_anew(served):
    client = served(status=429, recover_after=2, say="back")
    for scope in ("a", "b"):
        assert [client.chat(mock_scope=scope).status for _ in range(4)] == [429, 429, 200, 200]
    assert client.chat(mock_scope="a").json["choices"][0]["message"]["content"] == "back"


def test_a_delay_passes_before_the_first_byte_of_a_body_and_of_a_stream(served):
    client = served(delay_seconds=1.5, recover_after=2)
    for more in ({}, {"stream": True}):
        answered = client.chat(**more)
        assert answered.kinds[0] == "Wait"
        assert waits(answered) == [1.5]
        assert [each["seconds"] for each in faults(client)] == [1.5]
    assert waits(client.chat()) == []


def test_a_delay_comes_before_a_status_too(served):
    answered = served(status=503, delay_seconds=2).chat()
    assert (answered.status, answered.kinds) == (503, ["Wait", "Send"])


def test_each_chunk_but_the_first_is_delayed(served):
    client = served(chunk_delay_seconds=0.2)
    answered = client.chat(stream=True)
    assert waits(answered) == [0.2] * (len(answered.events) - 2)  # neither the first nor the end of the body
    assert waits(client.chat()) == []


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_stream_is_cut_after_so_many_chunks_of_which_the_role_is_one(served, after):
    client = served(disconnect_after_chunks=after, recover_after=1)
    assert client.chat().status == 200
    cut = client.chat(stream=True)
    assert (len(cut.events), isinstance(cut.steps[-1], Fin)) == (after, True)
    assert [each["after"] for each in faults(client)] == [after]
    assert (last(client).injected, last(client).complete) == (True, False)
    assert client.chat(stream=True).events[-1] == b""


def test_a_cut_that_a_stream_never_gets_to_is_none(served):
    client = served(disconnect_after_chunks=500)
    assert client.chat(stream=True).events[-1] == b""
    assert faults(client) == []
    assert last(client).complete


def test_a_stream_falls_silent_after_so_many_chunks_and_goes_on(served):
    client = served(stall_after_chunks=2, stall_seconds=7)
    answered = client.chat(stream=True)
    assert waits(answered) == [7]
    assert answered.events[-1] == b""
    assert [(each["after"], each["seconds"]) for each in faults(client)] == [(2, 7.0)]


@pytest.mark.parametrize(("fault", "sizes"), [("count", [4]), ("dimension", [3, 3])])
def test_vectors_are_wrong_until_it_has_recovered(served, fault, sizes):
    client = served(kind="embedding", embedding_fault=fault, recover_after=1)
    for expected in (sizes, [4, 4]):
        data = client.on("embeddings", input=["a", "b"], dimensions=4).json["data"]
        assert [len(each["embedding"]) for each in data] == expected


def test_rules_of_a_plan_stand_beside_them(served):
    client = served(delay_seconds=1, faults=[{"kind": "http_529", "nth": 2, "retry_after": "2s"}])
    first, second = client.chat(), client.chat()
    assert (first.status, second.status, second.headers["retry-after"]) == (200, 529, "2")
    assert waits(second) == [1]
