from __future__ import annotations

import pytest

from squall.clock.outside import Outside


def hears():
    return False


def test_nothing_is_pending_at_first():
    outside = Outside()
    assert not outside.pending()
    assert not outside.running()


def test_a_job_is_pending_until_it_has_ended_and_its_end_was_seen():
    outside = Outside()
    work = outside.begin(hears)
    job = work.wrap(lambda value, *, twice: value * 2 if twice else value)
    assert outside.pending()
    assert outside.running()
    assert job(3, twice=True) == 6
    assert outside.pending()
    assert not outside.running()
    work.collect()
    assert not outside.pending()


def test_a_job_that_nobody_waits_for_is_pending_until_it_ends():
    outside, seen = Outside(), []
    work = outside.begin(hears)

    def abandoned():
        work.collect()
        seen.append((outside.pending(), outside.running()))

    work.wrap(abandoned)()
    assert seen == [(True, True)]
    assert not outside.pending()


def test_a_job_that_fails_has_ended():
    outside = Outside()
    work = outside.begin(hears)
    with pytest.raises(ZeroDivisionError):
        work.wrap(lambda: 1 / 0)()
    assert not outside.running()


def test_a_job_that_never_began_is_over_when_nobody_waits_for_it():
    outside = Outside()
    outside.begin(hears).collect()
    assert not outside.pending()


def test_a_formality_is_pending_and_never_running():
    outside = Outside()
    work = outside.begin(hears, running=False)
    assert outside.pending()
    assert not outside.running()
    work.collect()
    assert not outside.pending()


def test_the_end_of_a_job_whose_loop_is_closed_need_not_be_seen():
    outside, closed = Outside(), [False]
    work = outside.begin(lambda: closed[0])
    closed[0] = True
    assert outside.pending()
    work.wrap(int)()
    assert not outside.pending()


def test_a_child_counts_while_it_lives():
    outside, alive = Outside(), [True]
    outside.watch(lambda: alive[0])
    assert outside.pending()
    assert outside.running()
    alive[0] = False
    assert not outside.pending()
    assert not outside.running()
