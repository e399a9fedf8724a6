"""Which faults are tried where, `runs/exploring/catalog.py`."""

from __future__ import annotations

import msgspec
import pytest

from squall.call import MODEL_TARGETS, Target
from squall.decide import Point
from squall.errors import UsageError
from squall.runs.exploring.catalog import PHASES, PLAINEST, USUAL, Catalog, known, names, nearest_to
from squall.runs.exploring.search import Options, check

READ = Target("orders.get_order", "get_order", access="read", fields=("id",), returns=("id", "total"), empty={})
WRITE = Target("payments.issue_refund", "issue_refund", access="write", fields=("order",), returns=("id",), empty={})
STEP = Target("step1.pay", "pay", access="write", fields=("to",), returns=("id",), empty={})


def tried(target, kinds=(), *, streams=False):
    point = Point(target.wire, "", target.name, "d", 1)
    return [(choice.kind, choice.phase) for choice in Catalog(kinds).at(point, target, streams=streams)]


def test_a_write_is_struck_before_its_effect_after_it_and_late():
    found = tried(WRITE)
    assert found[:3] == [("timeout", "after"), ("timeout", "before"), ("timeout", "late")]
    for kind, phases in PHASES.items():
        assert [phase for name, phase in found if name == kind] == list(phases)
    assert "stale_read" not in {kind for kind, _ in found}


def test_at_a_read_a_phase_makes_no_difference_and_each_kind_is_tried_once():
    kinds = [kind for kind, _ in tried(READ)]
    assert len(kinds) == len(set(kinds))
    assert {"timeout", "stale_read"} <= set(kinds)
    assert "duplicate_delivery" not in kinds


def test_a_request_arrives_twice_only_where_a_key_could_help_or_somebody_asks_for_it():
    keyed = msgspec.structs.replace(WRITE, key="idempotency_key")
    offered = [{kind for kind, _ in tried(target)} for target in (WRITE, keyed, STEP)]
    assert ["duplicate_delivery" in kinds for kinds in offered] == [False, True, True]
    assert tried(WRITE, ["duplicate_delivery"]) == tried(WRITE, ["duplicate_*"]) == [("duplicate_delivery", "after")]


def test_before_the_first_write_nothing_can_be_stale():
    point = Point("tool", "", READ.name, "d", 1)
    catalog = Catalog()
    kinds = [{choice.kind for choice in catalog.at(point, READ, written=written)} for written in (True, False)]
    assert kinds[0] - kinds[1] == {"stale_read"}


def test_streams_break_only_where_the_answer_is_streamed():
    chat = MODEL_TARGETS["chat"]
    assert "stream_disconnect" not in {kind for kind, _ in tried(chat)}
    assert {"stream_disconnect", "clean_eof"} <= {kind for kind, _ in tried(chat, streams=True)}


def test_what_spoils_a_body_is_not_tried_at_a_stream_not_even_by_name():
    chat, kinds = MODEL_TARGETS["chat"], ["malformed_json", "empty_choices"]
    assert {kind for kind, _ in tried(chat, kinds)} == set(kinds)
    assert tried(chat, kinds, streams=True) == []
    assert "malformed_json" not in {kind for kind, _ in tried(chat, streams=True)}


def test_what_a_model_says_is_cut_in_its_middle_and_near_its_end_and_a_stream_within_text_and_call():
    chat = MODEL_TARGETS["chat"]
    choices = Catalog().at(Point("model", "", "model.chat", "d", 1), chat, streams=True)
    cut = {(choice.kind, choice.params) for choice in choices}
    assert {("length_cut", ()), ("length_cut", (("keep", 0.9),)), ("truncated_arguments", (("keep", 0.9),))} <= cut
    assert {("clean_eof", ()), ("clean_eof", (("after", 2),)), ("clean_eof", (("after", 6),))} <= cut


def test_kinds_that_nobody_can_know_of_are_tried_where_they_are_named():
    assert "wrong_value" not in {kind for kind, _ in tried(READ)}
    assert tried(READ, ["hang"]) == [("hang", "after")]


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        (["http_*"], {"http_503", "http_429"}),
        (["http_418"], {"http_418"}),
        (["time*", "http_500"], {"timeout", "http_500"}),
        (["clean_eof"], set()),
    ],
)
def test_kinds_are_named_or_meant_by_globs(kinds, found):
    assert {kind for kind, _ in tried(WRITE, kinds)} == found


@pytest.mark.parametrize(
    ("kind", "is_known"),
    [("http_418", True), ("http_5*", True), ("http_999", False), ("http_", False), ("http_server", False)],
)
def test_a_status_is_known_where_there_is_one(kind, is_known):
    assert known(kind) is is_known


def test_a_step_may_break_off_and_has_no_world_behind_it():
    kinds = {kind for kind, _ in tried(STEP)}
    assert "stream_disconnect" in kinds
    assert not kinds & {"stale_read", "stale_memory", "repeated_call", "duplicate_task"}
    assert "stream_disconnect" not in {kind for kind, _ in tried(WRITE)}
    assert tried(STEP, ["stale_memory", "stale_read"]) == []


@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        ("memory.step0", ["stale_memory"]),
        ("asks.step12", ["repeated_call"]),
        ("asks.task", ["duplicate_task"]),
        ("session.list_tools", []),
    ],
)
def test_beside_the_calls_of_steps_each_place_has_its_own_kind(target, kinds):
    point = Point("tool", "", target, "d", 1)
    assert [choice.kind for choice in Catalog().beside(point, Target(target, ""))] == kinds


def test_what_is_beside_the_calls_is_filtered_by_kind_too():
    point, target = Point("tool", "", "memory.step0", "d", 1), Target("memory.step0", "")
    assert Catalog(["timeout"]).beside(point, target) == ()
    assert len(Catalog(["stale_*"]).beside(point, target)) == 1


def test_the_same_point_gives_the_same_object():
    catalog, point = Catalog(), Point("tool", "", READ.name, "d", 1)
    assert catalog.at(point, READ) is catalog.at(point, READ)


def test_every_usual_kind_can_be_asked_for_by_name_and_has_a_rank():
    for name in (*USUAL["tool"], *USUAL["model"], "stale_memory", "repeated_call", "duplicate_task"):
        assert known(name)
    assert known("http_*")
    assert not known("timeot")
    assert "http_STATUS" not in names()
    assert set(USUAL["tool"]) <= set(PLAINEST)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("stall", "stream_stall"), ("stream_disconect", "stream_disconnect"), ("vote", None), ("zz*", None)],
)
def test_a_name_that_is_none_is_told_the_nearest(name, meant):
    assert nearest_to(name) == meant


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("stall", "unknown kind of fault 'stall'; did you mean 'stream_stall'?"),
        ("zz*", "no kind of fault is like 'zz*'"),
    ],
)
def test_kinds_that_there_are_not_are_answered_with_those_that_there_are(pattern, told):
    with pytest.raises(UsageError) as wrong:
        check(Options(kinds=(pattern, "http_4*")))
    assert str(wrong.value) == f"{told}\n    Kinds: {', '.join(names())}."
