"""Which kinds there are, `faults/registry.py`."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

from squall.faults import KINDS, kind_named, kinds, names
from squall.faults.file import ChanceSpec, RuleSpec
from squall.faults.kind import AT_EVERY_MODEL, Family, Kind
from squall.faults.kinds import http_status
from squall.faults.registry import FAMILIES, MODEL_KINDS, MODEL_TABLE, TABLE, is_kind, nearest_kind, shown


def files_of(*packages):
    return [
        f"{package.__name__}.{found.name}"
        for package in packages
        for found in pkgutil.iter_modules(package.__path__)
        if not found.ispkg
    ]


SIDES = [((kinds,), TABLE), ((kinds.model, kinds.stream, kinds.embeddings), MODEL_TABLE)]


@pytest.mark.parametrize(("packages", "table"), SIDES, ids=["tool", "model"])
def test_every_file_defines_a_kind_or_a_family_and_every_one_is_registered(packages, table):
    modules = [import_module(file) for file in files_of(*packages)]
    defined = [getattr(module, "KIND", None) or module.FAMILY for module in modules]
    assert {id(entry) for entry in defined} == {id(entry) for entry in table}
    assert len(defined) == len(table)


@pytest.mark.parametrize(("packages", "table"), SIDES, ids=["tool", "model"])
def test_a_kind_has_its_files_name(packages, table):
    files = {file.rpartition(".")[2] for file in files_of(*packages)}
    assert {entry.name for entry in table if isinstance(entry, Kind)} == files - {"http_status"}


def test_a_family_stands_in_the_table_among_the_kinds_with_one_that_stands_for_it():
    assert [entry.name for entry in TABLE if isinstance(entry, Family)] == [family.name for family in FAMILIES]
    assert list(shown()) == names()
    assert (shown()["http_STATUS"].name, shown()["hang"]) == ("http_503", KINDS["hang"])


def test_the_names_are_those_of_calls_of_sessions_and_of_events():
    assert " ".join(names()) == (
        "timeout connection_lost hang http_STATUS not_found permission_denied is_error error_in_200 empty_result "
        "malformed_json truncated_result wrong_value missing_field stale_read duplicate_delivery latency tool_removed "
        "session_lost server_exit late_reply progress_only paged_tools duplicate delay lost"
    )


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_found_by_its_name(name):
    assert kind_named(name) is KINDS[name]


def test_each_status_is_a_kind_of_its_own():
    teapot = kind_named("http_418")
    assert teapot is not None
    assert teapot.name == "http_418"
    assert teapot is kind_named("http_418")


@pytest.mark.parametrize("name", ["", "Timeout", "http_STATUS", "http_200", "rate_limit", "latency_ms"])
def test_what_is_no_kind_is_not_found(name):
    assert kind_named(name) is None


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("tiemout", "timeout"),
        ("TIMEOUT", "timeout"),
        ("http_5O3", "http_503"),
        ("http-429", "http_429"),
        ("conection_lost", "connection_lost"),
        ("earthquake", None),
    ],
)
def test_a_misspelt_name_has_a_nearest(name, near):
    assert nearest_kind(name) == near


def test_other_names_can_be_near_too():
    assert nearest_kind("rate_limt") is None
    assert nearest_kind("rate_limt", ["rate_limit"]) == "rate_limit"


@pytest.mark.parametrize("kind", [*KINDS.values(), http_status.kind_for(500)], ids=lambda kind: kind.name)
def test_every_kind_is_documented_in_full_sentences(kind):
    assert kind.summary.endswith(".")
    assert kind.sees.endswith(".")
    if kind.wire == "event":
        assert "world.events()" in kind.sees or "isteners" in kind.sees
    else:
        assert "MCP" in kind.sees
        assert "lain callables" in kind.sees
    assert all(field.description for field in kind.params.model_fields.values())


def test_parameters_of_every_kind_come_last():
    assert KINDS["wrong_value"].parameters == ("field", "value", "late_by")
    assert KINDS["hang"].parameters == ("late_by",)


@pytest.mark.parametrize(
    "kind", [*shown().values(), *shown("model").values()], ids=lambda kind: f"{kind.wire} {kind.name}"
)
def test_no_parameter_has_the_name_of_a_key_that_every_rule_has(kind):
    assert not set(kind.parameters) & {*RuleSpec.model_fields, *ChanceSpec.model_fields}


# ------------------------------------------------------------------------------------------------ the side of models


def test_the_names_are_those_of_models_of_streams_and_of_embeddings():
    assert " ".join(names("model")) == (
        "http_STATUS timeout connection_error reset short_body slow_body malformed_json error_in_200 empty_choices "
        "empty_content refusal content_filter length_cut truncated_arguments invalid_arguments unknown_tool "
        "reused_call_id context_overflow latency "
        "stream_disconnect stream_stall slow_chunks clean_eof ping_only error_event malformed_event interleaved_deltas "
        "wrong_count wrong_dimension wrong_order nan"
    )


@pytest.mark.parametrize("name", ["timeout", "latency", "malformed_json", "error_in_200", "http_503"])
def test_one_name_can_be_a_kind_on_each_side(name):
    tool, model = kind_named(name), kind_named(name, "model")
    assert tool is not None
    assert model is not None
    assert (tool.wire, model.wire) == ("tool", "model")


def test_a_kind_of_one_side_is_none_of_the_other():
    assert kind_named("clean_eof", "model") is MODEL_KINDS["clean_eof"]
    assert kind_named("clean_eof") is None
    assert kind_named("hang", "model") is None
    assert all(map(is_kind, ("clean_eof", "hang", "http_529")))
    assert not is_kind("earthquake")


def test_a_misspelt_name_has_its_nearest_on_its_own_side():
    assert nearest_kind("clean_eoff", wire="model") == "clean_eof"
    assert nearest_kind("clean_eoff") is None
    assert nearest_kind("http_52g", wire="model") == "http_529"


@pytest.mark.parametrize("kind", shown("model").values(), ids=lambda kind: kind.name)
def test_every_kind_of_models_is_documented_and_says_where_it_makes_sense(kind):
    assert kind.summary.endswith(".")
    assert kind.sees.startswith("openai")
    assert kind.sees.endswith(".")
    assert all(field.description for field in kind.params.model_fields.values())
    assert kind.slot is not None
    assert kind.phase == ("before" if kind.slot in ("wait", "answer") else "after")
    assert kind.targets
    assert set(kind.targets) <= set(AT_EVERY_MODEL)
    assert "late_by" not in kind.parameters
