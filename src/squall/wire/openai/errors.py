"""What OpenAI's endpoints have in common: the shape of errors, signs of life, the headers of every answer.

Types and codes are those that clients branch on; the sentences are squall's own.
"""

from __future__ import annotations

import zlib
from typing import Any

import msgspec

from squall.call import BadRequest

WORDS = {
    400: "The request could not be read: check its body and its parameters.",
    401: "The API key in this request is not a valid one. Keys are listed in your account's settings.",
    403: "Your project has no access to what this request asks for.",
    404: "Nothing was found at this address, or under this name.",
    405: "This address does not take requests with this method.",
    408: "The request took too long to arrive, and was given up.",
    409: "The request collided with another one that changes the same thing. Try it again.",
    413: "The request is larger than what is accepted here. Send less at once.",
    415: "The body has to be JSON, with the matching Content-Type.",
    422: "The request was read, but cannot be carried out as it is.",
    429: "Your organization has reached its limit of requests per minute. Wait a moment, then try again.",
    500: "Something went wrong on the server while it worked on your request. You can try again; if it keeps"
    " happening, tell support the request id from the headers.",
    502: "The server got no usable answer from a service behind it. Try again shortly.",
    503: "The model is under heavy load, or not ready at the moment. Try again later.",
    504: "The server waited too long for the model to answer. Try again shortly.",
    520: "The server's answer was lost on the way. Try again shortly.",
    529: "The service is overloaded. Try again later.",
}
CLIENT, SERVER = 400, 500
QUOTA = "insufficient_quota"
KINDS = {403: "request_forbidden", 429: "requests"}
CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}

PING = b": keep-alive\n\n"
LIMITS = {
    "openai-version": "2020-10-01",
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-limit-tokens": "2000000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-remaining-tokens": "1999000",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-reset-tokens": "30ms",
}
FASTEST, SPREAD = 80, 400  # milliseconds of processing that a header tells of


class OpenAIShapes:
    """The shapes of errors and headers; has no state."""

    def error(self, problem: BadRequest, request_id: str) -> dict[str, Any]:
        """The body of an error."""
        return {"error": _told(problem)}

    def in_words(self, status: int) -> str:
        """A text such as the provider has for a status."""
        words = WORDS.get(status)
        if words is None:
            words = WORDS[SERVER if status >= SERVER else CLIENT]
        return words

    def error_event(self, problem: BadRequest, request_id: str, endpoint: str) -> bytes:
        """The event that ends a stream with an error. Of responses, `sequence_number` is 0: it may come anywhere."""
        told = _told(problem)
        if endpoint != "responses":
            return b"data: %b\n\n" % msgspec.json.encode({"error": told})
        event = {
            "type": "error",
            "code": told["code"] or told["type"],
            "message": told["message"],
            "param": told["param"],
            "sequence_number": 0,
        }
        return b"event: error\ndata: %b\n\n" % msgspec.json.encode(event)

    def ping(self, endpoint: str) -> bytes:
        """A comment, which clients skip."""
        return PING

    def headers(self, request_id: str, *, spent: float | None = None) -> dict[str, str]:
        """The request's id, how long it took (made up, the same in every run), and what is left of rate limits."""
        took = FASTEST + zlib.crc32(request_id.encode()) % SPREAD
        told = {"x-request-id": request_id, "openai-processing-ms": str(took), **LIMITS}
        if spent is not None:
            told |= {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": f"{spent:g}s"}
        return told


def _told(problem: BadRequest) -> dict[str, Any]:
    status = problem.status
    code = problem.code or CODES.get(status)
    kind = problem.kind
    if kind is None:
        if code == QUOTA:
            kind = QUOTA
        else:
            kind = KINDS.get(status) or ("server_error" if status >= SERVER else "invalid_request_error")
    return {"message": problem.message, "type": kind, "param": problem.param, "code": code}
