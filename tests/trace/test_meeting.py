from __future__ import annotations

from squall.trace.meeting import Meeting, Sent


def send(meeting, call, body, retries=0):
    sent = Sent(call, body, retries)
    meeting.send(sent)
    return sent


def test_who_answers_takes_the_number_of_who_asks():
    meeting = Meeting()
    sent = send(meeting, 7, b"{}")
    taken = meeting.take(b"{}")
    assert taken is not None
    assert taken.call == 7
    assert meeting.over(sent)


def test_a_request_that_nobody_takes_is_forgotten_when_its_sender_waits_no_more():
    meeting = Meeting()
    assert not meeting.over(send(meeting, 7, b"{}"))
    assert meeting.take(b"{}") is None


def test_other_bytes_and_other_tries_are_other_requests():
    meeting = Meeting()
    send(meeting, 7, b"{}", 1)
    assert meeting.take(b"{}") is None
    assert meeting.take(b"[]", 1) is None
    assert meeting.take(b"{}", 1) is not None


def test_of_equal_requests_that_nobody_takes_the_others_stay():
    meeting = Meeting()
    first, second = send(meeting, 7, b"{}"), send(meeting, 8, b"{}")
    assert not meeting.over(first)
    assert meeting.take(b"{}") is second


def test_equal_requests_are_taken_in_the_order_in_which_they_were_sent():
    meeting = Meeting()
    for call in (1, 2):
        send(meeting, call, b"{}")
    assert [meeting.take(b"{}").call for _ in range(2)] == [1, 2]  # type: ignore[union-attr]  # both were sent
    assert meeting.take(b"{}") is None
