from __future__ import annotations

from squall.checks.story import ToolStep, story_of
from squall.trace.kinds import Mark


def told(run):
    return [(step.tool, step.arguments, step.text) for step in story_of(run.trace).tools]


def test_ids_that_are_used_again_are_paired_by_order(run):
    talk = run.talk()
    for n in range(3):
        talk.calls(("get", {"id": n}), ids=["call_1"]).results(f"r{n}")
    talk.says("done")
    assert told(run) == [("get", {"id": n}, f"r{n}") for n in range(3)]


def test_one_id_for_two_calls_of_one_turn_is_paired_by_order(run):
    run.talk().calls(("get", {"id": 1}), ("get", {"id": 2}), ids=["same", "same"]).results("a", "b").says("done")
    assert told(run) == [("get", {"id": 1}, "a"), ("get", {"id": 2}, "b")]


def test_results_in_another_order_go_to_their_ids(run):
    talk = run.talk().calls(("get", {"id": 1}), ("get", {"id": 2})).results("a", "b")
    talk.messages[-2:] = reversed(talk.messages[-2:])
    talk.says("done")
    assert told(run) == [("get", {"id": 1}, "a"), ("get", {"id": 2}, "b")]


def test_a_call_without_a_result_is_known_as_such(run):
    run.talk().calls(("get", {"id": 1}), ("get", {"id": 2})).results("a").says("done")
    assert [step.answered for step in story_of(run.trace).tools] == [True, False]


def test_a_result_that_nobody_asked_for_is_left_out(run):
    talk = run.talk().calls(("get", {"id": 1})).results("a")
    talk.messages.append({"role": "tool", "tool_call_id": "nobody", "content": "b"})
    talk.says("done")
    assert told(run) == [("get", {"id": 1}, "a")]


def test_results_that_no_request_carries_any_more_are_those_of_the_last_calls(run):
    run.talk().calls(("get", {"id": 1}), ids=["x"])
    messages = [{"role": "tool", "tool_call_id": "x", "content": "late"}]
    run.recorder.record(Mark(name="left", data={"messages": messages}))
    assert told(run) == [("get", {"id": 1}, "late")]


def test_a_call_that_a_hook_sees_too_is_one_step(run):
    talk = run.talk().calls(("get", {"id": 1}))
    run.hook("get", {"id": 1}, {"id": 1}, access="read", effects=2)
    talk.results("{'id': 1}").says("done")
    (step,) = story_of(run.trace).tools
    assert (step.hook, step.turn, step.result, step.text, step.effects) == (True, 1, {"id": 1}, "{'id': 1}", 2)
    assert step.use is not None
    assert (step.mutates, step.use.id) == (False, "call_1")


def test_the_exception_at_the_hook_counts_whatever_the_model_was_told(run):
    talk = run.talk().calls(("pay", {}))
    run.hook("pay", {}, error="card refused", form="crashed", access="write")
    talk.results("something went wrong").says("done")
    (step,) = story_of(run.trace).tools
    assert (step.failed, step.error, step.text) == ("exception", "card refused", "something went wrong")


def test_each_of_the_same_calls_has_its_own_hook(run):
    talk = run.talk()
    for n in range(3):
        talk.calls(("get", {"id": 1}))
        run.hook("get", {"id": 1}, n)
        talk.results(str(n))
    talk.says("done")
    assert [(step.result, step.turn) for step in story_of(run.trace).tools] == [(0, 1), (1, 3), (2, 5)]


def test_arguments_that_the_agent_adds_do_not_hide_the_call(run):
    talk = run.talk().calls(("get", {"id": 1}))
    run.hook("get", {"id": 1, "user": "ann"}, "a")
    talk.results("a").says("done")
    assert [step.arguments for step in story_of(run.trace).tools] == [{"id": 1, "user": "ann"}]


def test_a_server_s_name_before_that_of_the_tool_does_not_hide_the_call(run):
    talk = run.talk().calls(("mcp__shop__get", {"id": 1}))
    run.hook("get", {"id": 1}, "a")
    talk.results("a").says("done")
    assert [(step.tool, step.hook) for step in story_of(run.trace).tools] == [("get", True)]


def test_calls_by_the_agent_s_own_code_are_steps_of_the_conversation_before_them(run):
    run.talk("one").says("done")
    run.hook("log", {"n": 1}, "ok")
    run.talk("two").says("done")
    steps = story_of(run.trace).steps
    assert [(step.step, step.conversation) for step in steps] == [(1, 1), (2, 1), (3, 2)]
    assert isinstance(steps[1], ToolStep)
    assert steps[1].turn is None


def test_a_run_of_calls_alone_is_one_conversation(run):
    run.hook("get", {"id": 1}, "a")
    run.hook("put", {"id": 1}, "b", access="write")
    (talk,) = story_of(run.trace).conversations
    assert [step.step for step in talk.tools] == [1, 2]
    assert (talk.turns, talk.final, talk.last) == ((), None, None)


def test_a_tool_that_only_hands_a_call_on_is_one_step(run):
    from squall.trace.kinds import ToolCall, ToolResult

    for call, target in ((1, "get"), (2, "shop.get")):
        event = ToolCall(call=call, tool="get", target=target, access="read", args={"id": 1}, digest="", nth=1)
        run.recorder.record(event)
    for call in (2, 1):
        run.recorder.record(ToolResult(call=call, ok=True, form="value", result="a"))
    assert len(story_of(run.trace).tools) == 1


def test_what_a_hook_says_of_a_tool_holds_for_calls_that_it_did_not_see(run):
    run.hook("put", {"id": 1}, "a", access="write")
    run.talk().uses("put", {"id": 2}).says("done")
    assert [step.mutates for step in story_of(run.trace).tools] == [True, True]
