"""The text of an HTTP-like status, as a service words it. Knows no kind of fault."""

from __future__ import annotations

from http import HTTPStatus


def status_text(status: int, message: str | None = None, retry_after: float | None = None) -> str:
    """The text of an error: `429 Too Many Requests. Retry after 30 seconds.`, say."""
    if message is None:
        try:
            message = HTTPStatus(status).phrase
        except ValueError:
            message = "Error"
    wait = "" if retry_after is None else f". Retry after {retry_after:g} seconds."
    return f"{status} {message}{wait}"
