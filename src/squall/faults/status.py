"""HTTP-like statuses: how a kind's name holds one, and how a service words it. Knows no kind of fault."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from pydantic import Field

LOWEST, HIGHEST = 400, 599
HEAD = "http_"
RANGE = f"The statuses are those of errors, {LOWEST} to {HIGHEST}: {HEAD}503, for example."
ErrorStatus = Annotated[int, Field(ge=LOWEST, le=HIGHEST, strict=True)]


PHRASES = {413: "Content Too Large", 414: "URI Too Long", 416: "Range Not Satisfiable", 422: "Unprocessable Content"}
"""Those that RFC 9110 renamed, and Python with it in 3.13: a run says the same under each Python."""


def phrase_of(status: int) -> str | None:
    """The phrase that goes with a status; None where there is none."""
    if status in PHRASES:
        return PHRASES[status]
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return None


def status_text(status: int, message: str | None = None, retry_after: float | None = None) -> str:
    """The text of an error: `429 Too Many Requests. Retry after 30 seconds.`, say."""
    if message is None:
        message = phrase_of(status) or "Error"
    wait = "" if retry_after is None else f". Retry after {retry_after:g} seconds."
    return f"{status} {message}{wait}"


def status_in(name: str) -> int | None:
    """The status in `http_503`, or None where `name` is not of that form or out of range."""
    digits = name.removeprefix(HEAD)
    if digits == name or not (digits.isascii() and digits.isdigit()):
        return None
    return int(digits) if len(digits) == len(str(HIGHEST)) and LOWEST <= int(digits) <= HIGHEST else None
