"""The numbers of a run's calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from squall.interpose.numbers import Numbers


def test_numbers_go_up_from_one():
    numbers = Numbers()
    assert numbers.last == 0
    assert [numbers(), numbers(), numbers()] == [1, 2, 3]
    assert numbers.last == 3


def test_no_two_threads_get_the_same_number():
    numbers = Numbers()
    with ThreadPoolExecutor(4) as pool:
        given = list(pool.map(lambda _: numbers(), range(400)))
    assert sorted(given) == list(range(1, 401))
