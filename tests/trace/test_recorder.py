from __future__ import annotations

import json
import select
import threading
from typing import Any

import pytest

from squall.trace import Recorder, Trace, verify_lines
from squall.trace.kinds import AgentFinal, Mark, RunEnd, ToolCall, ToolResult


def ended(number):
    return RunEnd(status="passed", count=number)


def test_events_are_numbered_from_one_and_chained(live):
    for name in "abc":
        live.record(Mark(name=name))
    values = [json.loads(line) for line in live.lines]
    assert [(value["seq"], value["name"]) for value in values] == [(1, "a"), (2, "b"), (3, "c")]
    assert [value["prev"] for value in values] == ["0" * 64, *(value["hash"] for value in values[:-1])]
    assert live.head == values[-1]["hash"]


@pytest.mark.parametrize("looks_after", [(), (1,), (1, 2, 3), (3,)])
def test_the_lines_are_the_same_whenever_somebody_has_looked(looks_after):
    live = Recorder("r#0", lambda: 0.25)
    first = live.lines
    for number in (1, 2, 3):
        live.record(Mark(name='a "t":1 in a name', data={"number": number}))
        if number in looks_after:
            assert len(live.lines) == live.written == number
    assert live.lines is first
    assert live.tails == [line[line.index(b'"t":0.25') :] for line in first]
    live.end(ended)
    assert verify_lines(live.lines).events == 4


def test_what_lines_say_is_there_before_they_are_chained(live):
    live.record(Mark(name="a"))
    live.later(Mark(name="b"))
    assert live.written == 2
    assert [json.loads(b"{" + said)["name"] for said in live.tails] == ["a", "b"]
    assert json.loads(live.lines[1])["prev"] == json.loads(live.lines[0])["hash"]


def test_the_head_of_an_empty_recorder_is_64_zeros(live):
    assert live.head == "0" * 64
    assert not live.ended


def test_the_last_event_is_told_how_many_there_are_itself_included(live):
    live.record(Mark(name="a"))
    live.end(ended)
    assert json.loads(live.lines[-1])["count"] == 2
    assert live.ended
    assert verify_lines(live.lines).head == live.head


@pytest.mark.parametrize("late", [lambda r: r.record(Mark(name="late")), lambda r: r.end(ended)])
def test_after_the_end_nothing_is_added(live, late):
    live.end(ended)
    before = list(live.lines)
    late(live)
    assert live.lines == before
    assert verify_lines(live.lines).events == 1


def test_what_is_changed_after_recording_does_not_change_the_trace(live):
    args: dict[str, Any] = {"items": [{"n": 1}]}
    result = {"rows": [1]}
    live.record(ToolCall(call=1, tool="t", target="s.t", access="read", args=args, digest="0", nth=1))
    live.record(ToolResult(call=1, ok=True, form="value", result=result))
    args["items"][0]["n"] = 2
    args["more"] = True
    result["rows"].clear()
    live.end(ended)
    (view,) = Trace(live.lines).calls()
    assert (view.args, view.result) == ({"items": [{"n": 1}]}, {"rows": [1]})
    assert verify_lines(live.lines).events == 3


def test_time_comes_from_the_clock_it_was_given():
    now = [1.5]
    recorder = Recorder("r#0", lambda: now[0])
    recorder.record(Mark(name="a"))
    now[0] = 181.25
    recorder.record(Mark(name="b"))
    assert [json.loads(line)["t"] for line in recorder.lines] == [1.5, 181.25]


def test_a_clock_that_fails_leaves_the_chain_whole():
    times = iter([0.0, None, 1.0])

    def elapsed():
        if (now := next(times)) is None:
            raise RuntimeError("the clock stopped")
        return now

    recorder = Recorder("r#0", elapsed)
    recorder.record(Mark(name="a"))
    with pytest.raises(RuntimeError, match="the clock stopped"):
        recorder.record(Mark(name="lost"))
    recorder.end(ended)
    assert verify_lines(recorder.lines).events == 2


@pytest.mark.parametrize(
    ("run", "written"),
    [
        ("tests/test_a.py::test_b[1-é]#3", "tests/test_a.py::test_b[1-é]#3"),
        ('"quoted"\n#0', '"quoted"\n#0'),
        ("\ud800#0", "?#0"),
    ],
)
def test_any_name_of_a_run_is_written(run, written):
    recorder = Recorder(run, lambda: 0.0)
    recorder.end(ended)
    assert verify_lines(recorder.lines).run == written


@pytest.fixture
def crowded():
    """A recorder whose clock lets other threads go first each time it is asked."""

    def elapsed():
        select.select([], [], [], 0)  # waits for nothing, and gives up the interpreter's lock meanwhile
        return 0.0

    return Recorder("r#0", elapsed)


def test_threads_that_record_at_once_keep_the_chain_whole(crowded):
    workers, each = 8, 50
    barrier = threading.Barrier(workers)

    def work(worker):
        barrier.wait(timeout=30)
        for number in range(each):
            crowded.record(Mark(name=f"{worker}", data={"n": number}))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    crowded.record(AgentFinal(answer="done"))
    crowded.end(ended)
    assert verify_lines(crowded.lines).events == workers * each + 2
    for worker in range(workers):
        own = [
            e.event.data["n"] for e in Trace(crowded.lines) if isinstance(e.event, Mark) and e.event.name == f"{worker}"
        ]
        assert own == list(range(each))


def test_threads_that_end_at_once_end_it_once(crowded):
    recorders = [Recorder(f"r#{number}", crowded.elapsed) for number in range(40)]
    barrier = threading.Barrier(4)

    def work():
        for recorder in recorders:
            barrier.wait(timeout=30)
            recorder.end(ended)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert [verify_lines(recorder.lines).events for recorder in recorders] == [1] * 40


def test_what_is_recorded_later_has_its_time_and_its_place():
    ticks = iter([1.0, 2.0, 3.0, 4.0])
    recorder = Recorder("r#0", lambda: next(ticks))
    made = []

    def second():
        made.append("made")
        return Mark(name="second")

    recorder.later(Mark(name="first"))
    recorder.later(second)
    assert made == []
    recorder.record(Mark(name="third"))
    recorder.end(ended)
    assert [(e.event.name, e.envelope.t) for e in Trace(recorder.lines) if isinstance(e.event, Mark)] == [
        ("first", 1.0),
        ("second", 2.0),
        ("third", 3.0),
    ]
    assert verify_lines(recorder.lines).events == 4


def test_whoever_looks_sees_what_waits_and_what_comes_of_nothing_is_left_out(live):
    trace = Trace(live.lines, live)
    before = len(trace)
    live.later(lambda: None)
    live.later(Mark(name="later"))
    assert len(trace) == before + 1


def test_what_is_made_may_record_something_itself(live):
    live.later(lambda: live.record(Mark(name="inner")))
    live.later(Mark(name="outer"))
    assert [e.event.name for e in Trace(live.lines) if isinstance(e.event, Mark)][-2:] == ["outer", "inner"]


def test_what_waits_does_not_grow_without_end(live):
    made = []
    for number in range(live.most_waiting):
        live.later(lambda number=number: made.append(number))
    assert len(made) == live.most_waiting
