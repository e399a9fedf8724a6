"""What a caller is told besides its outcome, and what the trace tells of one that gives up."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from squall.call import Outcome
from squall.errors import UsageError
from squall.interpose.caller import SILENT
from squall.trace.kinds import Abandoned

ORDER = {"order_id": "1"}


class Heard:
    """A caller that keeps what it hears."""

    def __init__(self, *, tells):
        self.tells, self.progressed, self.answers = tells, [], []

    def told(self):
        return self.tells

    async def progress(self, count):
        self.progressed.append(count)

    def answer(self, outcome):
        self.answers.append(outcome)


def given_up(run, caller, tool="pay", after=10.0):
    """A call that is given up after so many seconds."""

    async def agent():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(after):
                await run.interposer.acall(tool, ORDER, caller=caller)
        await asyncio.sleep(5)

    asyncio.run(agent())


def at(kind, operation="pay", **params):
    return {"target": f"payments.{operation}", "kind": kind, "nth": 1, **params}


def abandoned(run):
    return [(event.call, event.told, event.operation) for _, event in run.trace if isinstance(event, Abandoned)]


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize(("phase", "operation"), [("before", "not_run"), ("after", "done"), ("late", "late")])
def test_who_gave_up_and_how_the_operation_stood_is_in_the_trace(begin, tells, phase, operation):
    later = {"late_by": "1h"} if phase == "late" else {}
    with begin(at("timeout", phase=phase, **later)) as run:
        given_up(run, Heard(tells=tells))
        assert abandoned(run) == [(1, tells, operation)]


def test_an_operation_that_a_phase_promises_goes_on_without_its_caller(begin):
    with begin(at("timeout", "pay_slowly")) as run:
        given_up(run, Heard(tells=True), "pay_slowly", after=1.0)
        assert abandoned(run) == [(1, True, "running")]
        assert len(run.world.payments) == 1


def test_an_operation_that_nothing_promises_is_undone_with_its_caller(begin):
    with begin() as run:
        given_up(run, Heard(tells=True), "pay_slowly", after=1.0)
        assert abandoned(run) == [(1, True, "not_run")]
        assert len(run.world.payments) == 0


def test_a_caller_who_is_answered_has_not_given_up(begin):
    with begin(at("timeout")) as run:
        given_up(run, Heard(tells=True), after=61.0)
        assert abandoned(run) == []


def test_a_late_reply_is_sent_when_the_caller_has_gone(begin):
    caller = Heard(tells=True)
    with begin(at("late_reply", gone_for=3)) as run:
        given_up(run, caller)
        (answer,) = caller.answers
        assert answer.value["order_id"] == "1"


@pytest.mark.parametrize("phase", ["before", "late"])
def test_nothing_is_sent_of_what_has_not_happened(begin, phase):
    caller = Heard(tells=True)
    with begin(at("late_reply", phase=phase)) as run:
        given_up(run, caller)
        assert [answer.form for answer in caller.answers] == ([] if phase == "before" else ["value"])


def test_signs_of_life_are_counted(begin):
    caller = Heard(tells=True)
    with begin(at("progress_only", beat=4, answer_after=9)) as run:
        given_up(run, caller, after=60)
        assert caller.progressed == [1, 2, 3]
        assert run.clock.elapsed() == 9 + 5


def test_on_wall_time_signs_of_life_keep_their_number_and_their_wait_is_cut(begin):
    caller = Heard(tells=True)
    with begin(at("progress_only", beat=100), clock="wall", wall_cap=0.06) as run:
        outcome = asyncio.run(run.interposer.acall("pay", ORDER, caller=caller))
    assert outcome.form == "timeout"
    assert caller.progressed == [1, 2, 3, 4, 5, 6]


def test_a_caller_in_python_hears_nothing(begin):
    async def nothing():
        await SILENT.progress(1)
        SILENT.answer(Outcome("value"))

    asyncio.run(nothing())
    assert SILENT.told() is False


def test_sync_code_waits_without_signs_of_life(begin):
    with begin(at("progress_only")) as run:
        assert run.interposer.call("pay", ORDER).form == "timeout"
        assert run.clock.elapsed() == 600


def tools_of(begin):
    """How many there are."""
    with begin() as run:
        return len(run.interposer.visible())


@pytest.mark.parametrize(("less", "gone", "fired"), [(5, 0, 1), (1, 0, 1), (2, 2, 0), (1, 2, 0)])
def test_a_list_of_tools_is_paged_where_it_does_not_fit(begin, less, gone, fired):
    tools = tools_of(begin)
    size = tools - less
    rule = {"target": "session.list_tools", "kind": "paged_tools", "page_size": size}
    with begin(rule) as run:
        run.interposer.removed.update(run.interposer.visible()[:gone])
        assert len(run.interposer.visible()) == tools - gone
        assert run.interposer.page_size() == size
        assert len(run.trace.faults()) == run.interposer.fired[0] == fired


def test_a_page_that_holds_all_tools_is_refused_before_the_run(begin):
    tools = tools_of(begin)
    with pytest.raises(UsageError, match=f"a page holds {tools} tools, and there are {tools}"):
        begin({"target": "session.list_tools", "kind": "paged_tools", "page_size": tools})


def test_a_list_of_tools_is_counted_and_is_no_call(begin):
    rule = {"target": "session.list_tools", "kind": "paged_tools", "nth": 2}
    with begin(rule, record=False) as run:
        assert [run.interposer.page_size() for _ in range(3)] == [0, 1, 0]
        assert run.interposer.calls == 0


def test_without_rules_nothing_is_paged(begin):
    with begin() as run:
        assert run.interposer.page_size() == 0
