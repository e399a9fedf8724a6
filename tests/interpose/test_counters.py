"""How often a model has been asked: what is told apart, and what is forgotten again."""

from __future__ import annotations

from itertools import count

import pytest

from squall.call import BadRequest
from squall.interpose import counters
from squall.interpose.counters import ANSWERED, FAILED, Call, Counter, Counters, Lane


def lane(scope: str) -> Lane:
    return Lane(scope, "chat", "m")


@pytest.fixture
def few(monkeypatch):
    """Counters with room for eight different requests in all, of which six stay where room was made."""
    monkeypatch.setattr(counters, "MOST_IN_ALL", 8)
    monkeypatch.setattr(counters, "LEFT", 6)
    return Counters(lambda _lane: None)


def fill(counter: Counter, *digests: str) -> list[int]:
    """Ask each; which of its equals each request is."""
    numbers = count(1)
    return [counter.tried(digest, 0, lambda: next(numbers))[0].nth for digest in digests]


def test_equal_requests_are_told_apart_until_other_counters_need_the_room(few):
    fill(few.of(lane("old"), 0.0), "a", "b")
    fill(few.of(lane("new"), 1.0), "a", "b", "c", "d", "e", "f")
    assert fill(few.of(lane("new"), 2.0), "a") == [2]
    assert fill(few.of(lane("old"), 3.0), "a") == [1]


def test_what_is_in_use_is_not_forgotten_where_there_is_room_for_it(few):
    fill(few.of(lane("old"), 0.0), "a")
    fill(few.of(lane("new"), 1.0), "a", "b")
    assert fill(few.of(lane("new"), 2.0), "a") == [2]
    assert fill(few.of(lane("old"), 3.0), "a") == [2]


def test_how_many_requests_there_were_is_known_of_a_counter_that_made_room(few):
    old = few.of(lane("old"), 0.0)
    old.requests = 5
    fill(old, "a", "b")
    fill(few.of(lane("new"), 1.0), "a", "b", "c", "d", "e", "f")
    few.of(lane("new"), 2.0)
    assert few.of(lane("old"), 3.0).requests == 5


def test_released_and_idle_counters_leave_their_room_to_others(few):
    for scope in ("one", "two", "three"):
        fill(few.of(lane(scope), 0.0), "a", "b", "c", "d")
        assert few.release(scope, 0.0) == 1
    kept = few.of(lane("kept"), 0.0)
    fill(kept, "a", "b", "c")
    few.of(lane("other"), counters.IDLE + 1)
    assert fill(few.of(lane("kept"), counters.IDLE + 1), "a", "b", "c") == [1, 1, 1]
    few.of(lane("other"), counters.IDLE + 1)
    assert fill(few.of(lane("kept"), counters.IDLE + 1), "a", "b", "c") == [2, 2, 2]


def test_the_latest_different_requests_of_one_counter_are_told_apart(monkeypatch):
    monkeypatch.setattr(counters, "MOST_EQUAL", 2)
    counter = Counters(lambda _lane: None).of(lane(""), 0.0)
    assert fill(counter, "a", "b", "a", "c", "a", "b") == [1, 1, 2, 1, 3, 1]


def test_a_new_scope_has_to_wait_where_very_many_are_in_use(monkeypatch):
    monkeypatch.setattr(counters, "MOST", 2)
    forgotten: list[Lane] = []
    some = Counters(forgotten.append)
    some.of(lane("a"), 0.0)
    some.of(lane("b"), 1800.0)
    with pytest.raises(BadRequest, match="scope 'c' can have none"):
        some.of(lane("c"), 1800.0)
    some.of(lane("b"), 1801.0)
    some.of(lane("c"), counters.IDLE + 1)
    assert forgotten == [lane("a")]
    assert len(some) == 2


def test_a_new_scope_is_refused_while_very_many_are_in_use_and_others_go_on(monkeypatch):
    monkeypatch.setattr(counters, "MOST", 3)
    dropped: list[Lane] = []
    all_of_them = Counters(dropped.append)
    for scope in ("a", "b", "c"):
        all_of_them.of(lane(scope), 0.0)
    with pytest.raises(
        BadRequest, match=r"3 counters are in use, so that scope 'd' .* DELETE /_mock/scopes/ID"
    ) as refused:
        all_of_them.of(lane("d"), 3600.0)
    assert (refused.value.status, refused.value.code) == (400, "too_many_scopes")
    all_of_them.of(lane("a"), 3600.0)
    assert all_of_them.release("b", 3600.0) == 1
    all_of_them.of(lane("d"), 3600.0)
    assert (len(all_of_them), dropped) == (3, [lane("b")])


def test_counters_that_nobody_used_for_an_hour_make_room(monkeypatch):
    monkeypatch.setattr(counters, "MOST", 2)
    dropped: list[Lane] = []
    all_of_them = Counters(dropped.append)
    all_of_them.of(lane("a"), 0.0)
    all_of_them.of(lane("b"), 10.0)
    all_of_them.of(lane("c"), 3601.0)
    assert (len(all_of_them), dropped) == (2, [lane("a")])


@pytest.mark.parametrize(("seconds", "anew"), [(3600.0, False), (3600.5, True)])
def test_a_counter_begins_anew_after_an_idle_hour(seconds, anew):
    dropped: list[Lane] = []
    all_of_them = Counters(dropped.append)
    all_of_them.of(lane("a"), 5.0).requests = 7
    assert all_of_them.of(lane("a"), 5.0 + seconds).requests == (0 if anew else 7)
    assert dropped == ([lane("a")] if anew else [])


def test_there_is_room_for_2048():
    all_of_them = Counters(lambda _lane: None)
    for number in range(2048):
        all_of_them.of(lane(f"s{number}"), 0.0)
    with pytest.raises(BadRequest, match="2,048 counters"):
        all_of_them.of(lane("one more"), 0.0)


def test_only_a_scopes_own_counters_are_released_and_idle_ones_do_not_count():
    all_of_them = Counters(lambda _lane: None)
    all_of_them.of(Lane("a", "chat", "old"), 0.0)
    for model in ("m", "n"):
        all_of_them.of(Lane("a", "chat", model), 4000.0)
    all_of_them.of(Lane("a", "embeddings", "m"), 4000.0)
    all_of_them.of(lane("ab"), 4000.0)
    assert all_of_them.release("a", 4000.0) == 3
    assert len(all_of_them) == 1


class Tries:
    """Tries of one request, as `number.nth.tries`."""

    def __init__(self):
        self.counter = Counters(lambda _lane: None).of(lane(""), 0.0)
        self.numbers = count(1)
        self.last = Call(0, 0, 0)

    def __call__(self, retries=0, digest="a"):
        self.last, new = self.counter.tried(digest, retries, lambda: next(self.numbers))
        return f"{self.last.number}.{self.last.nth}.{self.last.tries}{'' if new else ' again'}"


def test_a_retry_is_another_try_of_the_call_before():
    tries = Tries()
    assert [tries(), tries(1), tries(2)] == ["1.1.1", "1.1.2 again", "1.1.3 again"]


def test_an_equal_request_that_says_nothing_of_tries_is_the_next_call():
    tries = Tries()
    assert [tries(), tries(), tries(0, "b"), tries()] == ["1.1.1", "2.2.1", "3.1.1", "4.3.1"]


def test_a_retry_whose_first_try_never_came_is_a_call_of_its_own():
    tries = Tries()
    assert [tries(2), tries(3), tries(1)] == ["1.1.3", "1.1.4 again", "2.2.2"]


def test_a_retry_belongs_to_the_call_that_still_waits_for_an_answer():
    tries = Tries()
    tries()
    failed = tries.last
    tries()
    tries.last.state = ANSWERED
    assert tries(1) == "1.1.2 again"
    assert tries.last is failed


def test_of_several_that_wait_the_latest_is_tried_again_and_then_those_that_were_answered():
    tries = Tries()
    tries()
    tries.last.state = ANSWERED
    tries()
    tries()
    assert [tries(1), tries(1), tries(1), tries(1)] == ["3.3.2 again", "2.2.2 again", "1.1.2 again", "4.4.2"]


def test_a_retry_belongs_to_one_that_has_failed_rather_than_to_a_later_one_whose_client_still_waits():
    tries = Tries()
    tries()
    failed = tries.last
    failed.state = FAILED
    tries()
    assert tries(1) == "1.1.2 again"
    assert tries.last is failed
    assert tries(1) == "2.2.2 again"


def test_only_the_latest_equal_calls_are_told_apart_and_all_are_counted():
    tries = Tries()
    for _ in range(40):
        tries()
    assert tries() == "41.41.1"
    assert [tries(1) for _ in range(17)][-1] == "42.42.2"


def test_a_scope_that_has_begun_may_ask_another_model_although_there_are_very_many(monkeypatch):
    monkeypatch.setattr(counters, "MOST", 2)
    monkeypatch.setattr(counters, "MOST_AT_ALL", 3)
    all_of_them = Counters(lambda _lane: None)
    all_of_them.of(lane("a"), 0.0)
    all_of_them.of(lane("b"), 0.0)
    all_of_them.of(lane("a")._replace(model="another"), 0.0)
    with pytest.raises(BadRequest, match="2 counters"):
        all_of_them.of(lane("a")._replace(model="one too many"), 0.0)
