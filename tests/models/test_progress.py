"""Which turn is due: told from the history alone."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.call import Message, ToolUse
from squall.models import call, calls, progress, refuse, say
from squall.models.progress import Progress

USER = Message("user", "Go on")
IDS = itertools.count()
GET, PAY, TELL, MORE = call("get", id=1), call("pay", amount=5), say("It is paid."), say("Anything else?")
SCRIPT = (GET, PAY, TELL, MORE)


def said(turn, answer="ok"):
    """A turn in the history: its message, and then its calls' results, or else the user."""
    uses = tuple(ToolUse(use.name, use.arguments, use.id or f"c{next(IDS)}") for use in turn.reply.calls)
    text = turn.reply.refusal if turn.reply.text is None else turn.reply.text
    after = [Message("tool", answer, answers=use.id) for use in uses] or [USER]
    return [Message("assistant", text or "", uses), *after]


def due(turns, *parts):
    flat = [message for part in parts for message in (part if isinstance(part, list) else [part])]
    return Progress([turn.reply for turn in turns]).due(flat)


def turns_of(text):
    """Any turns, of few kinds, so that they repeat."""
    some_call = st.sampled_from([call("get", id=1), call("get", id=2), call("pay"), call("pay", amount=5)])
    return st.one_of(
        st.sampled_from(["", "a", "ab", "a b", "c"]).map(say),
        st.just("No.").map(refuse),
        some_call,
        st.lists(some_call, min_size=1, max_size=3).map(lambda each: calls(*each)),
        some_call.map(lambda one: say("a", one)),
    )


scripts = st.lists(turns_of("any"), min_size=1, max_size=7)


@given(scripts, st.data())
def test_after_any_beginning_of_the_script_the_next_turn_is_due(turns, data):
    end = data.draw(st.integers(0, len(turns)))
    assert due(turns, USER, *(said(turn) for turn in turns[:end])) == end


@given(scripts, st.data())
def test_what_was_said_elsewhere_before_changes_nothing(turns, data):
    end = data.draw(st.integers(0, len(turns)))
    before = [USER, *said(say("Welcome!")), *said(call("other", x=1)), *said(call("gut", id=1))]
    assert due(turns, before, *(said(turn) for turn in turns[:end])) == end


@given(
    st.permutations([GET, PAY, TELL, MORE, call("get", id=2), call("get", id=3), refuse("No."), say("Bye")]), st.data()
)
def test_of_turns_that_differ_any_piece_of_the_history_will_do(turns, data):
    end = data.draw(st.integers(1, len(turns)))
    start = data.draw(st.integers(0, end - 1))
    assert due(turns, USER, *(said(turn) for turn in turns[start:end])) == end


@given(scripts, st.data())
def test_parallel_calls_may_have_been_written_down_one_by_one(turns, data):
    turns = [turn for turn in turns if turn.reply.calls] or [GET]
    turns = [calls(call("get", id=n), call("pay", amount=n)) for n, _ in enumerate(turns)]
    end = data.draw(st.integers(0, len(turns)))
    single = [call(use.name, use.arguments) for turn in turns[:end] for use in turn.reply.calls]
    assert due(turns, USER, *map(said, single)) == end


def test_where_the_turn_before_begins_is_told_unless_something_else_was_said_last():
    script = Progress([turn.reply for turn in (GET, calls(PAY, GET), TELL)])
    history = [USER, *said(GET), *said(PAY), *said(GET)]
    assert script.place(history) == (2, 3)
    assert script.place([*history, *said(call("other"))]) == (2, None)
    assert script.place([USER]) == (0, None)


def test_a_retry_gets_the_same_turn():
    history = [USER, *said(GET)]
    progress = Progress([turn.reply for turn in SCRIPT])
    assert [progress.due(history) for _ in range(3)] == [1, 1, 1]


def test_with_nothing_of_the_script_in_the_history_the_first_turn_is_due():
    assert due(SCRIPT) == due(SCRIPT, USER) == due(SCRIPT, USER, said(say("Welcome!"))) == 0


def test_a_conversation_taken_up_from_an_earlier_point_goes_on_from_there():
    whole = [USER, *said(GET), *said(PAY), *said(TELL)]
    assert [due(SCRIPT, whole[:end]) for end in (1, 3, 5, 7, 3)] == [0, 1, 2, 3, 1]


def test_after_a_text_the_next_message_of_the_user_goes_on():
    assert due(SCRIPT, USER, said(GET), said(PAY), said(TELL)) == 3


def test_when_all_is_said_their_number_is_due():
    assert due(SCRIPT, USER, *map(said, SCRIPT)) == 4


@pytest.mark.parametrize("arguments", ['{ "id": 1 }', '{"id":1.0}', '{\n"id" : 1}'])
def test_arguments_are_compared_as_json(arguments):
    assert due((GET, call("get", id=2), TELL), USER, said(call("get", arguments))) == 1


def test_order_of_keys_and_of_parallel_calls_means_nothing():
    both = calls(call("get", id=1, x=2), call("pay"))
    assert due((both, TELL), USER, said(calls(call("pay"), call("get", x=2, id=1)))) == 1


@pytest.mark.parametrize("text", ["It is paid.", " It is\npaid. ", "It is", "I"])
def test_white_space_means_nothing_and_a_text_cut_short_is_said(text):
    assert due((TELL, MORE), USER, said(say(text))) == 1


@pytest.mark.parametrize("text", ["It was paid.", "It is paid. Bye.", "it is paid.", ""])
def test_another_text_is_not_said(text):
    assert due((TELL, MORE), USER, said(say(text))) == 0


def test_a_text_around_calls_may_be_lost_or_stand_alone():
    turns = (say("Wait.", GET), say("Wait.", PAY), TELL)
    assert due(turns, USER, said(GET), said(PAY)) == 2
    alone = [Message("assistant", "Wait."), *said(GET), Message("assistant", "Wait."), *said(PAY)]
    assert due(turns, USER, alone) == 2


def test_a_call_with_other_arguments_was_made_if_it_went_well():
    other = call("pay", amount=5, currency="EUR")
    assert due(SCRIPT, USER, said(GET), said(other)) == 2
    assert due(SCRIPT, USER, said(GET), said(other, '{"error": "no such currency"}')) == 1


def test_a_call_as_written_was_made_even_if_it_went_wrong():
    assert due(SCRIPT, USER, said(GET), said(PAY, '{"error": "no money"}')) == 2


def test_a_call_whose_arguments_are_no_object_was_not_made():
    assert due(SCRIPT, USER, said(GET), said(call("pay", '{"amount": 5'), "Sorry?")) == 1
    assert due(SCRIPT, USER, said(GET), said(call("pay", "[5]"), "Sorry?")) == 1


def test_what_a_script_sends_broken_was_made_whatever_became_of_it():
    broken = call("pay", '{"amount": 5')
    assert due((broken, TELL), USER, said(broken, '{"error": "no JSON"}')) == 1
    assert due((broken, TELL), USER, said(call("pay"), '{"error": "no JSON"}')) == 1


def test_a_turn_that_a_fault_has_spoilt_is_due_again_and_passed_over_when_it_was_repeated():
    spoilt = said(call("pya", amount=5), "There is no tool pya.")
    assert due(SCRIPT, USER, said(GET), spoilt) == 1
    assert due(SCRIPT, USER, said(GET), spoilt, said(PAY)) == 2
    assert due(SCRIPT, USER, said(GET), said(say("I cannot help with that.")), said(PAY), said(TELL)) == 3


def test_an_exchange_that_stands_twice_counts_once():
    assert due(SCRIPT, USER, said(GET), said(GET)) == 1


def test_a_part_of_parallel_calls_is_not_the_turn():
    assert due((calls(GET, PAY), TELL), USER, said(GET)) == 0
    assert due((TELL, calls(GET, PAY), MORE), USER, said(TELL), said(GET)) == 1


def test_of_a_trimmed_history_the_most_turns_in_a_row_decide():
    turns = (GET, TELL, PAY, TELL, MORE)
    assert due(turns, USER, said(TELL)) == 2
    assert due(turns, USER, said(PAY), said(TELL)) == 4


def test_a_long_history_in_which_one_call_was_altered_is_not_compared_with_all_of_the_script(monkeypatch):
    looked: list[object] = []
    grade = progress._grade

    def counted(*given):
        looked.append(given)
        return grade(*given)

    monkeypatch.setattr(progress, "_grade", counted)
    turns = [call("get", id=number) for number in range(100)]
    changed = [call("get", id=99, more=True) if number == 30 else turn for number, turn in enumerate(turns)]
    for start, end in ((0, 100), (0, 60), (20, 70)):
        looked.clear()
        assert due([*turns, TELL], USER, *map(said, changed[start:end])) == end
        assert len(looked) < 500


def test_word_for_word_beats_other_arguments():
    turns = (call("page", n=1), call("page", n=2), call("page", n=3), TELL)
    assert due(turns, USER, said(call("page", n=2))) == 2
    assert due(turns, USER, said(call("page", n=2)), said(call("page", n=3))) == 3


def test_equal_turns_of_a_trimmed_history_are_told_apart_by_ids_given_to_them():
    assert due((GET, GET, TELL), USER, said(GET)) == 1
    turns = (call("get", id=1, call_id="one"), call("get", id=1, call_id="two"), TELL)
    assert due(turns, USER, said(turns[1])) == 2
    assert due(turns, USER, said(GET)) == 1


def test_a_prefill_is_no_turn_unless_it_is_one_word_for_word():
    assert due((TELL, MORE), USER, Message("assistant", "It is")) == 0
    assert due((TELL, MORE), USER, Message("assistant", "It is paid.")) == 1
