from __future__ import annotations

from squall.checks.story import story_of


def shape(run):
    """The turns of each conversation by their steps."""
    return [[turn.step for turn in talk.turns] for talk in story_of(run.trace).conversations]


def test_turns_that_go_on_from_each_other_are_one_conversation(run):
    run.talk().uses("get").uses("get").says("done")
    assert shape(run) == [[1, 3, 5]]
    story = story_of(run.trace)
    assert [step.step for step in story.steps] == [1, 2, 3, 4, 5]
    assert story.conversations[0].final == "done"


def test_agents_that_run_side_by_side_are_told_apart(run):
    one, two = run.talk("one", system="be kind"), run.talk("two", system="be kind")
    for _ in range(2):
        one.uses("get", {"id": 1}, "a")
        two.uses("get", {"id": 1}, "a")
    one.says("one")
    two.says("two")
    assert [len(turns) for turns in shape(run)] == [3, 3]
    first, second = story_of(run.trace).conversations
    assert (first.users, second.users) == (("one",), ("two",))
    assert (first.system, first.final, second.final) == ("be kind", "one", "two")


def test_agents_that_were_asked_the_same_are_told_apart(run):
    for _ in range(3):
        run.talk("same").uses("get").says("done")
    assert [len(turns) for turns in shape(run)] == [2, 2, 2]


def test_the_same_agents_side_by_side_are_told_apart_even_with_the_same_ids(run):
    one, two = run.talk("same"), run.talk("same")
    first, second = one.ask(), two.ask()
    one.reply(None, [("get", {"id": 1})], call=first, ids=["x"]).results("a")
    two.reply(None, [("get", {"id": 1})], call=second, ids=["x"]).results("b")
    one.says("a")
    two.says("b")
    assert [len(turns) for turns in shape(run)] == [2, 2]
    assert sorted(talk.tools[0].text for talk in story_of(run.trace).conversations) == ["a", "b"]


def test_a_request_that_failed_and_is_made_again_is_the_same_conversation(run):
    talk = run.talk()
    talk.reply(None, ok=False, error="APITimeoutError", complete=False, keep=False)
    talk.uses("get")
    talk.reply(None, ok=False, error="APITimeoutError", complete=False, keep=False)
    talk.says("done")
    assert shape(run) == [[1, 2, 4, 5]]
    assert [step.text for step in story_of(run.trace).tools] == ["ok"]


def test_a_reply_that_is_asked_for_again_is_dropped(run):
    run.talk().calls("nonsense", keep=False).says("done")
    turns = story_of(run.trace).conversations[0].turns
    assert [turn.dropped for turn in turns] == [True, False]
    assert not story_of(run.trace).tools


def test_a_conversation_whose_beginning_is_forgotten_goes_on(run):
    talk = run.talk("first", system="be kind")
    for n in range(4):
        talk.uses("get", {"id": n}, str(n))
        talk.messages = [talk.messages[0], *talk.messages[-2:]]
    talk.says("done")
    assert len(shape(run)) == 1
    assert [step.text for step in story_of(run.trace).tools] == ["0", "1", "2", "3"]


def test_a_system_message_that_changes_each_time_is_no_new_conversation(run):
    talk = run.talk("first", system="it is 10:00")
    for n in range(3):
        talk.uses("get", {"id": n}, str(n))
        talk.messages[0] = {"role": "system", "content": f"it is 10:0{n + 1}"}
    talk.says("done")
    assert len(shape(run)) == 1
    assert len(story_of(run.trace).tools) == 3


def test_a_framework_that_rewrites_what_was_said_keeps_the_conversation(run):
    talk = run.talk().says("Hello there!")
    talk.messages[-1] = {"role": "assistant", "content": "(greeting)"}
    talk.user("go on").says("done")
    assert shape(run) == [[1, 2]]


def test_the_same_words_said_to_others_do_not_join_conversations(run):
    run.talk("one").says("OK")
    other = run.talk("two")
    other.messages += [{"role": "assistant", "content": "OK"}, {"role": "user", "content": "three"}]
    other.says("done")
    assert shape(run) == [[1], [2]]


def test_two_ways_on_from_one_reply_are_two_conversations(run):
    talk = run.talk().calls(("get", {"id": 1})).results("a")
    kept = list(talk.messages)
    talk.says("left").user("more").says("left again")
    talk.messages = kept
    talk.says("right").user("more").says("right again")
    first, second = story_of(run.trace).conversations
    assert (len(first.turns), len(second.turns), second.forks) == (3, 2, 1)
    assert [len(talk.tools) for talk in (first, second)] == [1, 0]


def test_a_history_that_is_given_is_not_what_the_agent_did(run):
    talk = run.talk("earlier")
    talk.messages += [
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "get", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "Error: no"},
        {"role": "assistant", "content": "Sorry."},
        {"role": "user", "content": "now"},
    ]
    talk.says("done")
    assert not story_of(run.trace).tools
    assert story_of(run.trace).conversations[0].users == ("earlier", "now")


def test_what_another_client_asked_in_between_is_a_call_too(run):
    talk = run.talk().uses("get", {"id": 1}, "a")
    use = {"id": "z", "type": "function", "function": {"name": "put", "arguments": "{}"}}
    talk.messages += [
        {"role": "assistant", "tool_calls": [use]},
        {"role": "tool", "tool_call_id": "z", "content": "b"},
    ]
    talk.says("done")
    assert [(step.tool, step.text) for step in story_of(run.trace).tools] == [("get", "a"), ("put", "b")]


CUT = {"ok": False, "status": 200, "complete": False, "finish": None, "keep": False}
FAILED = {"ok": False, "error": "APIStatusError", "complete": False, "keep": False}


def test_a_reply_that_broke_off_and_was_thrown_away_is_nobody_elses_though_the_next_says_the_same(run):
    talk = run.talk().reply(None, [("get", {"id": 1})], ids=["x"], **CUT)
    talk.reply(None, [("get", {"id": 1})], ids=["x"]).results("a")
    talk.reply(None, **FAILED).says("done")
    assert shape(run) == [[1, 2, 4, 5]]
    assert [turn.dropped for turn in story_of(run.trace).turns] == [True, False, True, False]
    assert len(story_of(run.trace).tools) == 1


def test_the_same_with_a_history_whose_beginning_changes_each_time(run):
    talk = run.talk(system="it is 10:00").reply(None, [("get", {"id": 1})], ids=["x"], **CUT)
    talk.reply(None, [("get", {"id": 1})], ids=["x"]).results("a")
    for n in range(2):
        talk.messages[0] = {"role": "system", "content": f"it is 10:0{n + 1}"}
        talk.reply(None, **FAILED) if n == 0 else talk.says("done")
    first = story_of(run.trace).turns[0]
    assert all(step.turn != first.step for step in story_of(run.trace).tools)


def test_an_agent_that_starts_over_and_gets_the_same_ids_goes_on_from_the_later_reply(run):
    for last in (FAILED, {}):
        talk = run.talk().reply(None, [("get", {"id": 1})], ids=["x"]).results("a")
        talk.reply(None if last else "done", **last)
    assert shape(run) == [[1, 3], [4, 6]]


def test_a_request_that_is_repeated_goes_on_from_no_reply_with_other_ids(run):
    one, two = run.talk(), run.talk()
    one.calls(("get", {"id": 1})).results("a").says("", keep=False)
    two.calls(("get", {"id": 1})).results("a")
    one.says("done")
    two.says("done")
    assert shape(run) == [[1, 3, 6], [4, 7]]


def test_a_conversation_that_begins_with_a_repeated_request_says_what_the_user_said(run):
    for _ in range(2):
        run.talk("where is it?", system="be kind").uses("get").says("done")
    first, second = story_of(run.trace).conversations
    assert (second.users, second.system) == (first.users, first.system) == (("where is it?",), "be kind")


def test_one_story_is_kept_until_the_run_goes_on(run):
    talk = run.talk().uses("get")
    trace = run.trace
    first = story_of(trace)
    assert story_of(trace) is first
    talk.says("done")
    assert len(story_of(trace).turns) == 2
