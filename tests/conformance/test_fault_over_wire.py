"""The table of `fault_over_wire`, row by row, over every wire."""

from __future__ import annotations

from typing import Any

import pytest

from squall.faults.registry import KINDS
from tests.conformance.fault_over_wire import LATE_BY, PAID, PATIENT, PHASES, ROWS, WIRES, Seen

ON_ALL_WIRES = pytest.mark.parametrize("wire", WIRES)
IN_ALL_PHASES = pytest.mark.parametrize("phase", PHASES)


def named(row):
    return row.kind if not row.params else f"{row.kind}-{'-'.join(map(str, row.params.values()))}"


def test_every_kind_is_in_the_table():
    assert {row.kind for row in ROWS} - {"http_503", "http_429"} | {"stale_read", "paged_tools"} == {
        kind.name for kind in KINDS.values() if kind.wire != "event"
    }


@ON_ALL_WIRES
@IN_ALL_PHASES
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_fault_comes_to_the_same_on_every_wire(begin, row, phase, wire):
    rule = {"target": "payments.pay", "kind": row.kind, "nth": 1, "phase": phase, **row.params}
    expected = row.seen
    if row.kind == "duplicate_delivery" and phase == "before":
        expected = Seen("value", {**PAID, "id": "2"})
    at_once, later = row.effects[PHASES.index(phase)]

    with begin(rule) as run:
        seen = WIRES[wire](run, "pay", {"order_id": "1"})
        answered = run.clock.elapsed()
        counts = [len(run.world.payments)]
        for later_by in (LATE_BY - 0.1, LATE_BY + 0.1):
            run.clock.advance(row.waits + later_by - run.clock.elapsed())
            counts.append(len(run.world.payments))
        run.finish(seen.said if seen.how == "hung" else None)

    assert seen.how == expected.how
    if expected.said is not None:
        assert seen.said == expected.said
    assert answered == row.waits
    assert counts == [at_once, at_once, later]
    assert len(run.world.ledger) == later
    assert run.result.status == ("hung" if row.kind == "hang" else "passed")
    (fault,) = run.trace.faults()
    assert (fault.fault, fault.phase, fault.fired) == (row.kind, phase, True)
    (view,) = run.trace.calls_to("pay")
    assert len(view.effects) == later
    assert view.latency_ms == row.waits * 1000
    assert [effect.late for effect in view.effects] == [False] * at_once + [True] * (later - at_once)


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire not in PATIENT])
@IN_ALL_PHASES
@pytest.mark.parametrize("row", [row for row in ROWS if row.waits > 10], ids=named)
def test_a_caller_with_a_deadline_gives_up_at_that_very_moment(begin, row, phase, wire):
    rule = {"target": "payments.pay", "kind": row.kind, "nth": 1, "phase": phase, **row.params}
    at_once, later = (0, 0) if phase == "before" else row.effects[PHASES.index(phase)]

    with begin(rule) as run:
        seen = WIRES[wire](run, "pay", {"order_id": "1"}, deadline=10)
        gave_up = run.clock.elapsed()
        counts = [len(run.world.payments)]
        for step in (LATE_BY - 0.1, 0.2):
            run.clock.advance(step)
            counts.append(len(run.world.payments))

    assert seen.how == "timeout"
    assert gave_up == 10
    assert counts == [at_once, at_once, later]
    assert run.result.status == "passed"
    (view,) = run.trace.calls_to("pay")
    assert (view.fault, view.phase, view.ok, view.latency_ms) == (row.kind, phase, False, 10_000)


@ON_ALL_WIRES
def test_what_is_still_to_land_lands_in_order_when_the_run_ends(begin, wire):
    rule = {"target": "payments.pay", "kind": "http_500", "first": 3, "phase": "late"}
    landed: list[float] = []
    with begin({**rule, "late_by": 90}) as run:
        run.finally_(lambda: landed.extend(payment.amount for payment in run.world.payments.all()))
        for amount in (1.0, 2.0, 3.0):
            assert WIRES[wire](run, "pay", {"order_id": "1", "amount": amount}).how == "refused"
            run.clock.advance(1)
        assert not run.world.payments.all()
    assert landed == [1.0, 2.0, 3.0]
    assert [effect.t for effect in run.world.ledger] == [90.0, 91.0, 92.0]  # each at its own time


@ON_ALL_WIRES
def test_settling_lands_it_before_the_end(begin, wire):
    with begin({"target": "payments.pay", "kind": "http_500", "nth": 1, "phase": "late"}) as run:
        WIRES[wire](run, "pay", {"order_id": "1"})
        assert not run.world.payments.all()
        run.world.settle()
        assert len(run.world.payments) == 1
    assert len(run.world.ledger) == 1


REACHED_ONLY: dict[str, tuple[str, dict[str, Any], dict[str, Any], Any]] = {
    "wrong_value on an empty list": ("payments.list_payments", {"kind": "wrong_value"}, {}, []),
    "missing_field on an empty list": ("payments.list_payments", {"kind": "missing_field"}, {}, []),
    "missing_field that is not there": ("payments.pay", {"kind": "missing_field", "field": "fee"}, {}, PAID),
    "wrong_value that is not there": ("payments.pay", {"kind": "wrong_value", "field": "fee"}, {}, PAID),
    "wrong_value that is right": ("payments.pay", {"kind": "wrong_value", "field": "amount", "value": 10}, {}, PAID),
    "stale_read without a write": ("payments.list_payments", {"kind": "stale_read"}, {}, []),
}


@ON_ALL_WIRES
@IN_ALL_PHASES
@pytest.mark.parametrize("case", REACHED_ONLY)
def test_a_fault_that_changes_nothing_was_reached_and_has_not_fired(begin, case, phase, wire):
    target, rule, args, expected = REACHED_ONLY[case]
    tool = target.partition(".")[2]
    if tool == "pay":
        args = {"order_id": "1"}

    with begin({"target": target, "nth": 1, "phase": phase, **rule}) as run:
        assert WIRES[wire](run, tool, args) == Seen("value", expected)

    assert run.result.status == "not_fired"
    assert run.result.fired == 0
    assert [rule["kind"] in sentence for sentence in run.result.not_fired] == [True]
    assert run.trace.faults() == []
    (fault,) = run.trace.faults(fired=False)
    assert (fault.reached, fault.fired) == (True, False)
    assert len(run.world.ledger) == (tool == "pay")
    assert run.trace.line() == tool


@ON_ALL_WIRES
@IN_ALL_PHASES
@pytest.mark.parametrize("kind", ["wrong_value", "missing_field", "truncated_result"])
def test_a_refusal_has_no_value_to_change(begin, kind, phase, wire):
    with begin({"target": "payments.pay", "nth": 1, "phase": phase, "kind": kind}) as run:
        assert WIRES[wire](run, "pay", {"order_id": "nobody"}).how == "refused"
    assert run.result.status == "not_fired"


@ON_ALL_WIRES
def test_a_stale_read_answers_as_of_before_the_latest_write(begin, wire):
    play = WIRES[wire]
    with begin({"target": "payments.list_payments", "kind": "stale_read", "first": 1}) as run:
        play(run, "pay", {"order_id": "1"})
        assert play(run, "list_payments", {}) == Seen("value", [])
        assert play(run, "list_payments", {}) == Seen("value", [PAID])
    assert run.result.status == "passed"
    assert [fault.fault for fault in run.trace.faults()] == ["stale_read"]


@ON_ALL_WIRES
@IN_ALL_PHASES
@pytest.mark.parametrize(("tool", "empty"), [("list_payments", []), ("get_order", {})])
def test_an_empty_result_has_the_form_of_the_operation(begin, tool, empty, phase, wire):
    with begin({"target": "default", "kind": "empty_result", "first": 1, "phase": phase}) as run:
        assert WIRES[wire](run, tool, {"id": "1"} if tool == "get_order" else {}) == Seen("value", empty)


@ON_ALL_WIRES
@pytest.mark.parametrize("kind", ["error_in_200", "wrong_value", "missing_field", "empty_result"])
@pytest.mark.parametrize("tool", ["get_order", "list_orders"])
def test_a_changed_reply_of_any_form_passes_the_clients_validation(begin, tool, kind, wire):
    with begin({"target": "default", "kind": kind, "first": 1}) as run:
        assert WIRES[wire](run, tool, {"id": "1"} if tool == "get_order" else {}).how == "value"
    assert run.result.fired == 1
