"""Why a rule did not fire, in the sentence that says so: `runs/not_fired.py`."""

from __future__ import annotations

import contextlib

import pytest

from squall.errors import LimitReached
from squall.interpose import scope
from squall.runs.environment import Environment

WORLD = """\
services:
  bookings:
    records:
      booking: { id: str, state: "enum[held, confirmed, cancelled]", at: datetime }
    seed:
      booking:
        - { id: "1", state: held, at: 2025-05-29T00:00:00Z }
        - { id: "2", state: held, at: 2025-05-31T22:30:00Z }
    operations:
      get_booking: { kind: get, record: booking }
      list_bookings: { kind: list, record: booking, filter: [state] }
      update_booking: { kind: update, record: booking, emits: booking_changed }
      confirm: { kind: custom, handler: hotel_rules.confirm }
      remove_booking: { kind: delete, record: booking }
"""
RULES = """
from typing import Any

def confirm(world, clock, booking: Any, note: str = "none"):
    return {"booking": str(booking)}
"""
GET, CONFIRM = ("get_booking", {"id": "1"}), ("confirm", {"booking": "1"})
OTHER = ("get_booking", {"id": "2"})


@pytest.fixture
def hotel(tmp_path):
    (tmp_path / "hotel_rules.py").write_text(RULES, encoding="utf-8")
    path = tmp_path / "hotel.yaml"
    path.write_text(WORLD, encoding="utf-8")
    return path


@pytest.fixture
def begin(hotel):
    def make(*rules, **options):
        return Environment(hotel, faults=list(rules), **options)

    return make


@pytest.fixture
def told(begin):
    """`told(calls, rules…)`: the sentences on rules that did not fire when these calls were made."""

    def make(calls, *rules, **options):
        with begin(*rules, **options) as run:
            for tool, args in calls:
                run.interposer.call(tool, args)
        return list(run.result.not_fired)

    return make


def at(operation, kind="timeout", **more):
    return {"target": f"bookings.{operation}", "kind": kind, **more}


@pytest.mark.parametrize(
    ("calls", "rule", "sentence"),
    [
        ([], {"nth": 1}, "timeout at bookings.confirm (nth 1), faults[0]: bookings.confirm was never called"),
        (
            [CONFIRM] * 2,
            {"nth": 5},
            (
                "timeout at bookings.confirm (nth 5), faults[0]: "
                "bookings.confirm was called 2 times, and the rule waits for the 5th"
            ),
        ),
        (
            [CONFIRM],
            {"every": 2},
            (
                "timeout at bookings.confirm (every 2), faults[0]: "
                "bookings.confirm was called once, and the rule waits for the 2nd"
            ),
        ),
        (
            [CONFIRM],
            {"nth": 1, "when": {"booking": 1}},
            (
                "timeout at bookings.confirm (nth 1), faults[0]: "
                "bookings.confirm was called once, never with booking=1 (it came as '1')"
            ),
        ),
    ],
)
def test_the_whole_sentence_reads_well(told, calls, rule, sentence):
    assert told(calls, at("confirm", **rule)) == [sentence]


@pytest.mark.parametrize(
    ("calls", "rule", "reason"),
    [
        ([GET], at("confirm", first=1), "bookings.confirm was never called"),
        (
            [("confirm", {"booking": key}) for key in "33456"],
            at("confirm", nth=1, when={"booking": ["1", "2"]}),
            "bookings.confirm was called 5 times, never with booking='1' or '2' (it came as '3', '4', '5', …)",
        ),
        (
            [("confirm", {"booking": "2"}), ("confirm", {})],
            at("confirm", nth=1, when={"booking": "1"}),
            "bookings.confirm was called 2 times, never with booking='1' (it came as '2' or was left out)",
        ),
        (
            [CONFIRM],
            at("confirm", nth=1, when={"note": "urgent"}),
            "bookings.confirm was called once, never with note='urgent' (it was left out)",
        ),
        (
            [("confirm", {"booking": "1", "note": "a"}), ("confirm", {"booking": "2", "note": "b"})],
            at("confirm", nth=1, when={"booking": "1", "note": "b"}),
            "bookings.confirm was called 2 times, never with booking and note as the rule asks at once",
        ),
        (
            [CONFIRM, CONFIRM, ("confirm", {"booking": "2"})],
            at("confirm", nth=3, when={"booking": "1"}),
            "bookings.confirm was called 3 times, 2 of them as the rule asks, and the rule waits for the 3rd",
        ),
        (
            [GET],
            at("get_booking", nth=1, when={"newer_than": "2h"}),
            "bookings.get_booking was called once, never for a record newer than 2h (the youngest was 3d old)",
        ),
        (
            [GET, OTHER],
            at("get_booking", nth=1, when={"older_than": "30d"}),
            "bookings.get_booking was called 2 times, never for a record older than 30d (the oldest was 3d old)",
        ),
        (
            [OTHER],
            at("get_booking", nth=1, when={"older_than": "2d", "newer_than": "4d"}),
            "bookings.get_booking was called once, never for a record older than 2d (the oldest was 1h30m old)",
        ),
        (
            [GET, OTHER],
            at("get_booking", nth=1, when={"older_than": "1d", "newer_than": "2d"}),
            "bookings.get_booking was called 2 times, never for a record as old as the rule asks",
        ),
        (
            [("get_booking", {"id": "9"})],
            at("get_booking", nth=1, when={"newer_than": "2h"}),
            "bookings.get_booking was called once, never for a record that has an age",
        ),
        (
            [GET],
            at("get_booking", nth=1, scope="desk"),
            "bookings.get_booking was called once, never in the scope 'desk'",
        ),
        (
            [GET, GET, CONFIRM],
            {"target": "bookings.*", "kind": "timeout", "nth": 4},
            "its 5 operations were called 3 times, at most 2 of them at one operation, and the rule waits for the 4th",
        ),
        ([], {"target": "bookings.*", "kind": "timeout", "nth": 1}, "none of its 5 operations was called"),
        (
            [GET, GET],
            at("get_booking", "stale_read", nth=2),
            "it was reached once, and could change nothing",
        ),
        (
            [],
            {"target": "session.list_tools", "kind": "paged_tools", "nth": 1},
            "session.list_tools was never asked",
        ),
        ([], at("booking_changed", "lost", nth=1), "bookings.booking_changed was never emitted"),
        (
            [("update_booking", {"id": "1", "state": "confirmed"})],
            at("booking_changed", "lost", nth=11),
            "bookings.booking_changed was emitted once, and the rule waits for the 11th",
        ),
        (
            [("update_booking", {"id": "1", "state": "confirmed"})],
            at("booking_changed", "lost", nth=1, when={"id": "2"}),
            "bookings.booking_changed was emitted once, and not often enough as the rule asks",
        ),
    ],
)
def test_the_reason_is_what_the_calls_were_like(told, calls, rule, reason):
    (sentence,) = told(calls, rule)
    assert sentence.partition("faults[0]: ")[2] == reason


def test_calls_in_several_scopes_are_counted_apart(begin):
    with begin(at("confirm", nth=2)) as run:
        for name in "ab":
            with scope(name):
                run.interposer.call(*CONFIRM)
    (sentence,) = run.result.not_fired
    assert sentence.endswith("was called 2 times, at most 1 of them in one scope, and the rule waits for the 2nd")


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (at("confirm", "http_503", when={"booking": "1"}), "http_503 (faults[0]) came first"),
        (at("confirm", "http_503", probability=0.9999), "http_503 (faults[0]) came first"),
        (at("confirm", "rate_limit", calls=1, per_seconds=60), "a rate limit came first"),
    ],
)
def test_a_rule_that_others_come_before_says_which(told, other, reason):
    (sentence,) = told([CONFIRM] * 2, other, at("confirm", nth=2))
    assert sentence == f"timeout at bookings.confirm (nth 2), faults[1]: {reason}"


def test_a_tool_that_is_gone_is_not_called(told):
    (sentence,) = told([GET] * 3, at("get_booking", "tool_removed", nth=1), at("get_booking", nth=2))
    assert sentence.endswith("bookings.get_booking was called once, and the rule waits for the 2nd")


@pytest.mark.parametrize("record", [False, "trace.jsonl"])
def test_where_no_trace_is_kept_the_sentence_is_the_rule(told, record, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert told([CONFIRM], at("confirm", nth=2), record=record) == ["timeout at bookings.confirm (nth 2), faults[0]"]


def test_ages_that_were_met_elsewhere_give_no_reason(begin):
    with begin(at("get_booking", nth=1, when={"newer_than": "2h"})) as run:
        run.interposer.call(*GET)
        run.interposer.ages.clear()
    assert run.result.not_fired == ("timeout at bookings.get_booking (nth 1), faults[0]",)


def test_what_happened_beside_calls_in_another_process_is_not_said_to_have_stayed_away(begin):
    with begin(at("booking_changed", "lost", nth=1)) as run:
        run.interposer.call(*GET)
        run.interposer.calls = 0
    assert run.result.not_fired == ("lost at bookings.booking_changed (nth 1), faults[0]",)


def test_a_run_that_hung_tells_too(begin):
    run = begin(at("confirm", "hang", nth=1), at("get_booking", nth=1))
    with contextlib.suppress(LimitReached), run:
        run.tools.confirm("1")
    assert run.result.status == "hung"
    assert run.result.not_fired == (
        "timeout at bookings.get_booking (nth 1), faults[1]: bookings.get_booking was never called",
    )
