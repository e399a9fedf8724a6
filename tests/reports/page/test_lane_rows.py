from __future__ import annotations

from itertools import count

import pytest

from squall.reports.page.lane_rows import LONGEST, MOST, rows_of
from squall.trace import Recorder, Trace
from squall.trace.kinds import (
    Abandoned,
    AgentFinal,
    Attempt,
    AttemptEnd,
    CaptureIncomplete,
    Delivery,
    Effected,
    Faulted,
    Landed,
    Mark,
    ModelCall,
    ModelReply,
    RunEnd,
    ToolCall,
    ToolResult,
)


@pytest.fixture
def told():
    """The rows of a run of these events, a second after each other: kind, from, to, words."""

    def tell(*events):
        ticks = count()
        recorder = Recorder("x#0", lambda: float(next(ticks)))
        for event in events:
            recorder.record(event)
        return [row[1:5] for row in rows_of(Trace(recorder.lines))]

    return tell


def call(number=1, tool="pay", **args):
    return ToolCall(call=number, tool=tool, target=f"bank.{tool}", access="write", args=args, digest="0", nth=1)


def done(number=1, result="ok"):
    return ToolResult(call=number, ok=True, form="value", result=result)


def attempt(number=1, place=1):
    return Attempt(call=number, attempt=place, number=place, target="model.chat", digest="0", nth=1)


def test_a_call_goes_to_the_tools_and_comes_back(told):
    assert told(call(order="7", amount=40), done(result={"paid": True})) == [
        ("ask", "agent", "tools", "pay(amount=40, order=7)"),
        ("reply", "tools", "agent", '{"paid":true}'),
    ]


def test_a_fault_stands_between_and_an_error_comes_back(told):
    fault = Faulted(call=1, rule=0, fault="timeout", target="bank.pay", phase="after", fired=True)
    assert told(call(), fault, ToolResult(call=1, ok=False, form="timeout", error="timed out")) == [
        ("ask", "agent", "tools", "pay"),
        ("fault", "tools", None, "timeout, after the effect"),
        ("error", "tools", "agent", "timed out"),
    ]


def test_a_fault_that_did_not_fire_is_not_in_the_picture(told):
    assert told(Faulted(call=1, rule=0, fault="timeout", target="bank.pay", phase="after", fired=False)) == []


def test_the_model_is_asked_and_what_it_says_is_short(told):
    call = ModelCall(call=1, target="model.chat", model="m", messages=[])
    reply = ModelReply(call=1, attempt=1, ok=True, status=200, calls=[{"name": "pay", "arguments": "{}"}])
    assert told(call, attempt(), reply) == [
        ("ask", "agent", "model", "model.chat"),
        ("reply", "model", "agent", "asks for pay"),
    ]
    assert told(ModelReply(call=1, attempt=1, ok=True, text="done"))[0][3] == "done"
    assert told(ModelReply(call=1, attempt=1, ok=True))[0][3] == "an empty answer"


def test_what_went_wrong_with_the_model_is_told(told):
    fault = Faulted(call=1, rule=0, fault="http_503", target="model.chat", phase="before", fired=True)
    refused = ModelReply(call=1, attempt=2, ok=False, status=503, error="Service Unavailable")
    assert told(attempt(1, 2), fault, refused) == [
        ("ask", "agent", "model", "model.chat, attempt 2"),
        ("fault", "model", None, "http_503"),
        ("error", "model", "agent", "503 Service Unavailable"),
    ]
    assert told(ModelReply(call=1, attempt=1, ok=False))[0][3] == "no answer"
    assert told(ModelReply(call=1, attempt=1, ok=True, status=200, complete=False))[0][3] == "not the whole answer"


def test_what_the_client_saw_is_told_where_nobody_else_told_it(told):
    end = AttemptEnd(call=1, attempt=1, status=503)
    assert told(attempt(), end)[1] == ("error", "model", "agent", "status 503")
    assert told(attempt(), AttemptEnd(call=1, attempt=1, status=200))[1][0] == "reply"
    assert told(attempt(), AttemptEnd(call=1, attempt=1, error="reset"))[1][3] == "reset"
    assert len(told(attempt(), end, ModelReply(call=1, attempt=1, ok=False, status=503))) == 2


def test_effects_are_in_the_world_and_the_second_of_one_kind_stands_out(told):
    def effect(rev, row, **more):
        after = {"id": row, "order": "7"} | more.pop("after", {})
        return Effected(rev=rev, table="bank.payment", op=more.pop("op", "insert"), id=row, after=after, call=1, **more)

    assert told(
        effect(1, "p1"),
        effect(2, "p2"),
        effect(3, "p3", after={"order": "8"}),
        effect(4, "p3", op="update", late=True),
    ) == [
        ("effect", "world", None, "payment p1 inserted"),
        ("again", "world", None, "payment p2 inserted, the same as p1"),
        ("effect", "world", None, "payment p3 inserted"),
        ("late", "world", None, "payment p3 updated"),
    ]


def test_effects_of_scenarios_made_of_steps_are_called_by_their_tools(told):
    def effect(rev):
        after = {"tool": "pay", "step": 1, "arguments": {}}
        return Effected(rev=rev, table="steps", op="insert", id=f"1.{rev}", after=after, call=1)

    assert [row[3] for row in told(effect(1), effect(2))] == ["pay happens", "pay happens again"]


@pytest.mark.parametrize(
    ("event", "row"),
    [
        (Landed(call=1, form="value"), ("late", "world", None, "the late effect is there")),
        (Landed(call=1, form="refused"), ("late", "world", None, "the late effect was refused")),
        (Abandoned(call=1, told=True, operation="done"), ("error", "agent", None, "gives up waiting; it is done")),
        (
            Delivery(event="paid", id="1", target="bank.paid", emitted=0.0),
            ("note", "world", "agent", "event paid"),
        ),
        (Mark(name="decided"), ("note", "agent", None, "decided")),
        (CaptureIncomplete(why="a hook broke"), ("note", "agent", None, "not all was seen: a hook broke")),
        (AgentFinal(answer="done"), ("note", "agent", None, "answers: done")),
        (AgentFinal(error="ValueError: no"), ("error", "agent", None, "raises ValueError: no")),
        (RunEnd(status="not_fired", count=1), ("end", "agent", None, "the run ends: not fired")),
    ],
)
def test_other_events_are_told_in_words(told, event, row):
    assert told(event) == [row]


def test_no_word_is_longer_than_the_picture_is_wide(told):
    long = "x" * 1_000_000
    for row in told(call(tool=long, a=long), done(result=long), AgentFinal(answer=[long]), Mark(name=long)):
        assert len(row[3]) <= LONGEST + 30


def test_secrets_and_addresses_are_masked(told):
    assert told(call(to="ada@example.com"))[0][3] == "pay(to=[masked email])"


def test_a_long_run_of_equal_calls_is_told_once(told):
    events = [event for number in range(1, 200) for event in (call(number, "poll"), done(number, "not yet"))]
    rows = told(*events, call(200), done(200))
    assert rows[2] == ("fold", "agent", None, "the same 198 more times, until 6.62 min")
    assert len(rows) == 5


def test_of_a_long_run_the_calls_in_which_nothing_went_wrong_are_folded(told):
    calm = [event for number in range(1, 200) for event in (call(number, "get", id=number), done(number))]
    fault = Faulted(call=200, rule=0, fault="timeout", target="bank.pay", phase="after", fired=True)
    rows = told(*calm, call(200), fault, done(200))
    assert rows[0] == ("fold", "agent", None, "199 calls in which nothing went wrong")
    assert [row[0] for row in rows] == ["fold", "ask", "fault", "reply"]


def test_a_run_in_which_all_goes_wrong_is_cut_in_its_middle(told):
    wrong = [
        event
        for number in range(1, 200)
        for event in (call(number, "get", id=number), ToolResult(call=number, ok=False, form="refused", error="no"))
    ]
    rows = told(*wrong)
    assert len(rows) <= MOST
    assert [row[3] for row in rows if row[0] == "fold"] == ["342 rows left out"]
    assert rows[-1][0] == "error"
