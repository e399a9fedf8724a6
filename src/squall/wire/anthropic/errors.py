"""What all of Anthropic's endpoints share: errors by status, signs of life in a stream, the headers of every answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from squall.call import BadRequest
from squall.canonical import instant
from squall.wire.anthropic.stream import PING, event

BAD_REQUEST, SERVERS = 400, 500
TYPES = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
WORDS = {
    400: "The request is not valid",
    401: "x-api-key: this key is not valid",
    402: "The account has no credit left; see its billing page",
    403: "This key may not use what was asked for",
    404: "Nothing is found here",
    405: "This method is not allowed here",
    408: "The request did not arrive in time",
    409: "The request conflicts with another one; it can be sent again",
    413: "The request is larger than what this endpoint takes",
    422: "The request cannot be processed as it is",
    429: "The rate limit of this organization is used up; it can be sent again later",
    500: "Something went wrong at our side",
    502: "The service behind this one has given no valid answer",
    503: "The service is not available at the moment",
    504: "The answer took too long; streaming helps with long ones",
    529: "The service is overloaded",
}
OF_THREADS = "thread_"  # what the codes begin with by which the SDK knows that it has to send all of a conversation
ORGANIZATION = "3f6c2a9e-58d1-4c07-9b1e-0d2f7a64c8b5"
LIMITS = {"requests": 4000, "tokens": 400_000, "input-tokens": 320_000, "output-tokens": 80_000}
MINUTE = timedelta(minutes=1)
LONGEST = 10**9  # seconds until a limit is full again, of a calendar that ends


class AnthropicShapes:
    """`now` tells when rate limits are full again: within the minute. Without it no time is told."""

    def __init__(self, now: Callable[[], datetime] | None = None) -> None:
        self._now = now
        self._limits = {
            f"anthropic-ratelimit-{what}-{part}": str(most if part == "limit" else most - 1)
            for what, most in LIMITS.items()
            for part in ("limit", "remaining")
        }

    def error(self, problem: BadRequest, request_id: str) -> dict[str, Any]:
        """The body of an error."""
        kind = problem.kind or type_of(problem.status)
        message = problem.message or self.in_words(problem.status)
        told: dict[str, Any] = {"type": kind, "message": message}
        if problem.code is not None and problem.code.startswith(OF_THREADS):
            told["details"] = {"error_code": problem.code}
        return {"type": "error", "error": told, "request_id": request_id}

    def in_words(self, status: int) -> str:
        """A text for a status."""
        return WORDS.get(status) or WORDS[SERVERS if status >= SERVERS else BAD_REQUEST]

    def error_event(self, problem: BadRequest, request_id: str, endpoint: str = "messages") -> bytes:
        """The event that ends a stream with an error."""
        body = self.error(problem, request_id)
        del body["type"]
        return event("error", **body)

    def ping(self, endpoint: str = "messages") -> bytes:
        """A sign of life in a stream."""
        return PING

    def headers(self, request_id: str, *, spent: float | None = None) -> dict[str, str]:
        """The request's id, whose it was, and what is left of rate limits."""
        told = {"request-id": request_id, "anthropic-organization-id": ORGANIZATION, **self._limits}
        if spent is not None:
            told["anthropic-ratelimit-requests-remaining"] = "0"
        if self._now is not None:
            full = _minute_after(self._now())
            told |= {f"anthropic-ratelimit-{what}-reset": full for what in LIMITS}
            if spent is not None:
                when = self._now() + timedelta(seconds=min(spent, LONGEST))
                told["anthropic-ratelimit-requests-reset"] = _minute_after(when)
        return told


def _minute_after(when: datetime) -> str:
    return instant((when + MINUTE).replace(second=0, microsecond=0))


def type_of(status: int) -> str:
    """The type of error that Anthropic gives a status."""
    return TYPES.get(status) or ("api_error" if status >= SERVERS else "invalid_request_error")
