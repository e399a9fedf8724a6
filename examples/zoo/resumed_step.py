"""A room is reserved once somebody approves. One agent begins a phase anew when it is resumed, its twin goes on in it.

The bug: what was done is noted at the end of a phase. A process that ends within one does its steps again.
"""

from __future__ import annotations

from typing import Any

from failures import FAILED

import squall

LIVES = 3  # times that the process is started


class Ended(Exception):
    """The process ends here, and another one resumes with what was noted."""


def buggy(tools: Any) -> str:
    def phase(notes: set[str]) -> None:
        if "booked" not in notes:
            reserve(tools)
            check(tools)
            notes.add("booked")

    return resumed(phase)


def repaired(tools: Any) -> str:
    def phase(notes: set[str]) -> None:
        if "reserved" not in notes:
            if "reserving" in notes and not is_reserved(tools):  # it may be on its way
                raise LookupError("unclear: a person has to look")
            if "reserving" not in notes:
                notes.add("reserving")
                reserve(tools)
            notes.add("reserved")
        check(tools)

    return resumed(phase)


def resumed(phase: Any) -> str:
    """Starts the process as often as it takes, with the notes of the one before."""
    notes: set[str] = set()
    for _ in range(LIVES):
        try:
            phase(notes)
        except Ended:
            continue
        except LookupError as error:
            return str(error)
        return "booked"
    return "given up"


def reserve(tools: Any) -> None:
    try:
        tools.reserve_room(guest="Ada", room="7")
    except FAILED as error:
        raise Ended from error


def check(tools: Any) -> None:
    try:
        approved = tools.list_approvals(guest="Ada")
    except FAILED as error:
        raise Ended from error
    if not approved:
        raise LookupError("nobody has approved it")


def is_reserved(tools: Any) -> bool:
    try:
        return bool(tools.list_bookings(guest="Ada"))
    except FAILED as error:
        raise Ended from error


def holds(run: Any) -> None:
    squall.at_most_once(run.world.bookings, by="guest")
