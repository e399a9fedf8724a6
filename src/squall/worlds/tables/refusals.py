"""The two ways in which a table says no.

Both have a `brief` form, which is fit for an agent's eyes, beside the full text, which helps the person who tests.
Knows no table and no file.
"""

from __future__ import annotations

from typing import Literal

from squall.errors import PUBLIC, SquallError

Reason = Literal["not_found", "forbidden", "invalid", "arguments", "conflict", "unauthorized"]


class InvalidRow(SquallError, ValueError):
    """A write that does not fit: a wrong type, an unknown field, a reference to nothing, an id that is taken."""

    __module__ = PUBLIC

    def __init__(self, message: str, *, reason: Reason = "invalid") -> None:
        super().__init__(message)
        self.brief = message
        self.reason: Reason = reason


class NoSuchRow(SquallError, LookupError):
    """A row that is not there. `brief` leaves the rows out that come near."""

    __module__ = PUBLIC
    reason: Reason = "not_found"

    def __init__(self, brief: str, details: str = "") -> None:
        super().__init__(brief + details)
        self.brief = brief
