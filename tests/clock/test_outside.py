from __future__ import annotations

from concurrent.futures import Future

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


def test_a_future_is_pending_until_it_has_a_result():
    outside, future = Outside(), Future[int]()
    outside.expect(future)
    assert outside.pending()
    assert outside.running()
    future.set_result(1)
    assert not outside.pending()


def test_a_future_that_somebody_waits_for_is_pending_until_he_has_been_told():
    outside, future = Outside(), Future[int]()
    seen: list[object] = []
    future.add_done_callback(outside.told(future, lambda done: seen.extend((done, outside.pending()))))
    assert outside.running()
    future.set_result(1)
    assert seen == [future, True]
    assert not outside.pending()


def test_a_future_whose_listener_fails_is_over_all_the_same():
    outside, future = Outside(), Future[int]()
    tell = outside.told(future, lambda done: 1 / 0)
    future.cancel()
    with pytest.raises(ZeroDivisionError):
        tell(future)
    assert not outside.pending()


def test_whoever_is_at_work_is_told_in_words(monkeypatch):
    outside = Outside()
    assert outside.at_work() is None
    monkeypatch.setattr(outside.threads, "at_work", lambda: "a thread")
    assert outside.at_work() == "a thread"
    monkeypatch.setattr(outside.children, "live", lambda: True)
    assert outside.at_work() == "a child process"
