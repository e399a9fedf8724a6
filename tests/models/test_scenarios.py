"""Scenarios files: what they make of models, in the words of fault plans, and what is told where they are wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from squall.call import ModelRequest, Reply
from squall.errors import UsageError
from squall.models import load_scenarios
from squall.models.builtin import NAMES


@pytest.fixture
def load(tmp_path):
    """`load(text)` loads a file in TOML, `load(data)` one in JSON."""

    def make(given):
        path = tmp_path / ("scenarios.toml" if isinstance(given, str) else "scenarios.json")
        path.write_text(given if isinstance(given, str) else json.dumps(given))
        return load_scenarios(path)

    return make


def rules(load, **scenario):
    return load({"models": {"m": scenario}}).weather.data["faults"].get("m", [])


@pytest.fixture
def told(load):
    """What is wrong with a file, each with its place in it."""

    def make(text):
        with pytest.raises(UsageError) as wrong:
            load(text)
        return str(wrong.value)

    return make


@pytest.mark.parametrize(
    ("scenario", "rule"),
    [
        ({"status": 429}, {"kind": "http_429"}),
        ({"delay_seconds": 1.5}, {"kind": "latency", "seconds": 1.5}),
        ({"delay_seconds": 60}, {"kind": "latency", "seconds": 60}),
        ({"chunk_delay_seconds": 1}, {"kind": "slow_chunks", "seconds": 1, "when": {"stream": True}}),
        ({"disconnect_after_chunks": 0}, {"kind": "stream_disconnect", "after": 0, "when": {"stream": True}}),
        (
            {"stall_after_chunks": 3, "stall_seconds": 2},
            {"kind": "stream_stall", "after": 3, "seconds": 2, "when": {"stream": True}},
        ),
        ({"kind": "embedding", "embedding_fault": "count"}, {"kind": "wrong_count"}),
        ({"kind": "embedding", "embedding_fault": "dimension"}, {"kind": "wrong_dimension"}),
    ],
)
def test_each_key_is_a_rule_that_ends_where_it_is_said_to(load, scenario, rule):
    assert rules(load, **scenario) == [rule]
    assert rules(load, **scenario, recover_after=2) == [{**rule, "first": 2}]


@pytest.mark.parametrize(
    "scenario", [{}, {"delay_seconds": 0}, {"chunk_delay_seconds": 0}, {"stall_after_chunks": 1, "stall_seconds": 0}]
)
def test_no_delay_is_no_rule(load, scenario):
    assert rules(load, **scenario) == []


def test_what_fits_together_is_kept_in_the_order_of_what_happens(load):
    found = rules(load, delay_seconds=1, chunk_delay_seconds=2, disconnect_after_chunks=3, faults=[{"kind": "reset"}])
    assert [rule["kind"] for rule in found] == ["latency", "slow_chunks", "stream_disconnect", "reset"]


def test_a_model_says_its_text_or_its_script_or_what_all_say(load, tmp_path):
    (tmp_path / "odd.toml").write_text('[[turn]]\nsay = "scripted"\n')
    found: Any = load({"models": {"a": {"say": "hello"}, "b": {"script": "odd.toml"}, "c": {}}}).models
    request = ModelRequest("chat", "a")
    assert found["a"].brain.answer(request) == Reply("hello")
    assert found["b"].brain.answer(request) == Reply("scripted")
    assert found["c"].brain is None


def test_a_model_chats_or_makes_embeddings(load):
    found = load({"models": {"a": {}, "b": {"kind": "chat"}, "c": {"kind": "embedding"}}}).models
    assert {name: model.embeds for name, model in found.items()} == {"a": False, "b": False, "c": True}


def test_sentinels_are_those_of_the_file(load):
    assert load('sentinels = ["4111", "Jane"]').sentinels == ("4111", "Jane")
    assert load("[models]").sentinels == ()


def test_toml_json_and_yaml_say_the_same(load, tmp_path):
    data = {"models": {"m": {"status": 503, "recover_after": 1}}}
    toml = load("[models.m]\nstatus = 503\nrecover_after = 1")
    (tmp_path / "s.yaml").write_text("models:\n  m: { status: 503, recover_after: 1 }\n")
    assert toml.weather.data == load(data).weather.data == load_scenarios(tmp_path / "s.yaml").weather.data


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[models.m]\nstatuss = 503", "2:1: unknown key 'statuss'; did you mean 'status'?"),
        ("[model.m]\nstatus = 503", "1:2: unknown key 'model'; did you mean 'models'?"),
        ("[models.m]\nstatus = 399", "2:10: 'status' must be greater than or equal to 400, not 399"),
        ("[models.m]\nstatus = 600", "2:10: 'status' must be less than or equal to 599, not 600"),
        ("[models.m]\ndelay_seconds = 60.1", "2:17: 'delay_seconds' must be less than or equal to 60, not 60.1"),
        ("[models.m]\nchunk_delay_seconds = -1", "2:23: 'chunk_delay_seconds' must be greater than or equal to 0"),
        ('[models.m]\ndelay_seconds = "1s"', "2:17: 'delay_seconds' "),
        ("[models.m]\nstatus = 503\nrecover_after = 0", "3:17: 'recover_after' must be greater than or equal to 1"),
        ("[models.m]\nstatus = 503\nrecover_after = 101", "3:17: 'recover_after' must be less than or equal to 100"),
        ("[models.m]\nrecover_after = 1", "2:1: 'recover_after' stands here, and nothing that it could end"),
        ("[models.m]\ndisconnect_after_chunks = -1", "2:27: 'disconnect_after_chunks' must be greater than"),
        ("[models.m]\nstall_after_chunks = 1", "2:1: 'stall_after_chunks' stands here without 'stall_seconds'"),
        ("[models.m]\nstall_seconds = 1", "2:1: 'stall_seconds' stands here without 'stall_after_chunks'"),
        (
            "[models.m]\ndisconnect_after_chunks = 1\nstall_after_chunks = 1\nstall_seconds = 1",
            "3:1: 'stall_after_chunks' cannot stand beside disconnect_after_chunks",
        ),
        (
            "[models.m]\nstatus = 503\nchunk_delay_seconds = 1",
            "3:1: 'chunk_delay_seconds' never comes about beside a status",
        ),
        ('[models.m]\nembedding_fault = "count"', "2:1: 'embedding_fault' is for kind = \"embedding\" alone"),
        ('[models.m]\nkind = "embeding"', "2:8: 'kind' cannot be 'embeding'; did you mean 'embedding'?"),
        ('[models.m]\nkind = "embedding"\nsay = "x"', "3:1: 'say' is not for kind = \"embedding\""),
        ('[models.m]\nkind = "embedding"\nembedding_fault = "cont"', "3:19: 'embedding_fault' cannot be 'cont'"),
        ('[models.m]\nsay = "x"\nscript = "y.toml"', "2:1: 'say' cannot stand beside script"),
        ('[models.m]\nscript = "y.toml"', "1:9: there is no file"),
        ('[models."model.chat"]\nstatus = 503', "1:9: 'model.chat' is a target of faults, and no model's name"),
        ("[models.default]\nstatus = 503", "1:9: 'default' is a target of faults"),
        ('sentinels = [""]', "1:14: "),
    ],
)
def test_a_mistake_is_told_with_its_place(told, text, problem):
    assert f"scenarios.toml:{problem}" in told(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_model_is_not_made_anew(told, name):
    assert f"scenarios.toml:1:9: the model '{name}' is built in" in told(f"[models.{name}]\nstatus = 503")


def test_all_mistakes_are_told_at_once(told):
    text = told('[models.a]\nstatuss = 1\n[models.b]\nkind = "chatt"\n')
    assert "2:1: unknown key" in text
    assert "4:8: 'kind' cannot be" in text


def test_every_part_of_the_weather_knows_its_place(load):
    weather = load(
        '[models.a]\nstatus = 503\nfaults = [{ kind = "reset", nth = 1 },\n  { kind = "timeout" }]\n'
        "[models.b]\ndelay_seconds = 1\n"
    ).weather

    def place(*loc, key=False):
        return weather.at(("faults", *loc), key=key)[1:]

    assert place("a", 0) == place("a", 0, "first") == (2, 1)
    assert place("a", 1, "nth") == (3, 35)
    assert place("a", 1, "nth", key=True) == (3, 29)
    assert place("a", 2, "kind") == (4, 12)
    assert place("b", 0, "seconds") == (6, 1)
    assert place("b", key=True) == (5, 9)
    assert weather.at(())[1] == 1


def test_a_script_with_a_handler_may_be_refused(tmp_path):
    (tmp_path / "py.toml").write_text('handler = "brains.answer"\n')
    (tmp_path / "s.toml").write_text('[models.m]\nscript = "py.toml"\n')
    with pytest.raises(UsageError, match="no handlers may run here"):
        load_scenarios(tmp_path / "s.toml", handlers=False)
