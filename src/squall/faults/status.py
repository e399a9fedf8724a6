"""HTTP-like statuses: how a kind's name holds one, and how a service words it. Knows no kind of fault."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from pydantic import Field

LOWEST, HIGHEST = 400, 599
HEAD = "http_"
RANGE = f"The statuses are those of errors, {LOWEST} to {HIGHEST}: {HEAD}503, for example."
ErrorStatus = Annotated[int, Field(ge=LOWEST, le=HIGHEST, strict=True)]


def status_text(status: int, message: str | None = None, retry_after: float | None = None) -> str:
    """The text of an error: `429 Too Many Requests. Retry after 30 seconds.`, say."""
    if message is None:
        try:
            message = HTTPStatus(status).phrase
        except ValueError:
            message = "Error"
    wait = "" if retry_after is None else f". Retry after {retry_after:g} seconds."
    return f"{status} {message}{wait}"


def status_in(name: str) -> int | None:
    """The status in `http_503`, or None where `name` is not of that form or out of range."""
    digits = name.removeprefix(HEAD)
    if digits == name or not (digits.isascii() and digits.isdigit()):
        return None
    return int(digits) if len(digits) == len(str(HIGHEST)) and LOWEST <= int(digits) <= HIGHEST else None
