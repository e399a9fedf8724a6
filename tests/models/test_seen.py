"""A request as conditions look at it."""

from __future__ import annotations

from squall.call import Message, ToolUse
from squall.models.seen import Seen, place


def test_the_last_text_of_the_user_is_looked_for_behind_pictures_and_results(asked):
    assert Seen(asked("one", "two", ("assistant", "three"), ("user", ""), ("tool", "four"))).user.text == "two"
    assert Seen(asked(("system", "one"))).user.text == ""


def test_all_system_messages_are_one_text(asked):
    assert Seen(asked(("system", "a"), "b", ("system", "c"))).system.text == "a\nc"


def test_everything_includes_the_arguments_of_calls(asked):
    use = ToolUse("pay", '{"to":"Zoë"}', "1")
    assert Seen(asked("a", Message("assistant", "b", (use,)))).everything.text == 'a\nb\n{"to":"Zoë"}'


def test_turns_of_the_assistant_are_counted_from_one(asked):
    assert Seen(asked("a")).turn == 1
    assert Seen(asked("a", ("assistant", "b"), "c")).turn == 2


def test_results_are_those_since_the_assistants_last_turn_each_with_its_tool(asked):
    one, two = ToolUse("get", "{}", "1"), ToolUse("pay", "{}", "2")
    seen = Seen(
        asked(
            "a",
            Message("assistant", calls=(one,)),
            Message("tool", "old", answers="1"),
            Message("assistant", calls=(two,)),
            Message("tool", "new", answers="2"),
            Message("tool", "stray", answers="9"),
            "b",
        )
    )
    assert [(each.tool, each.message.text) for each in seen.results] == [("pay", "new"), ("", "stray")]
    assert seen.calls == (two,)


def test_calls_of_one_turn_may_stand_in_several_messages(asked):
    one, two = ToolUse("get", "{}", "1"), ToolUse("pay", "{}", "2")
    assert Seen(asked("a", Message("assistant", calls=(one,)), Message("assistant", calls=(two,)))).calls == (one, two)
    assert Seen(asked("a")).calls == ()


def test_a_message_is_called_by_its_place_in_the_body(asked):
    request = asked("a", Message("tool", "b", place="input.7"))
    assert [place(request, number) for number in (0, 1)] == ["messages.0 (user)", "input.7 (tool)"]
