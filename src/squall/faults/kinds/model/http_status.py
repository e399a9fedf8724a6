"""`http_STATUS` of a model: its provider answers with an error status, `http_429` or `http_529` for example."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Target
from squall.faults.at_model import Refuse
from squall.faults.kind import Draw, Family, Kind, Params, Seconds, at_model
from squall.faults.status import HEAD, RANGE, status_in

SHOWN = 503
COMMON = (400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529)


class HttpParams(Params):
    """Parameters of `http_STATUS` of a model."""

    retry_after: Seconds | None = None
    """The header `retry-after`, in seconds."""
    retry_after_ms: Annotated[float, Field(ge=0)] | None = None
    """The header `retry-after-ms`, in milliseconds; the SDKs look at it first."""
    x_should_retry: Annotated[bool, Field(strict=True)] | None = None
    """The header `x-should-retry`, which the SDKs obey whatever the status."""
    message: str | None = None
    """The text of the error; the provider's own for the status unless given."""
    code: str | None = None
    """The error's `code` (OpenAI); the provider's own for the status unless given."""


def kind_for(status: int) -> Kind:
    """The kind named `http_<status>`; `status` is from 400 to 599."""

    def act(params: HttpParams, _draw: Draw, _target: Target) -> Refuse:
        return Refuse(
            status,
            message=params.message,
            code=params.code,
            retry_after=params.retry_after,
            retry_after_ms=params.retry_after_ms,
            should_retry=params.x_should_retry,
        )

    return at_model(
        f"{HEAD}{status}",
        "answer",
        act,
        params=HttpParams,
        summary="The provider refuses with an error status (400 to 599) and an error in its own shape: `http_429`, "
        "`http_500`, or Anthropic's `http_529`, for example.",
        sees="openai and anthropic: `RateLimitError`, `InternalServerError` and so on, by status. 408, 409, 429 and "
        "those from 500 are tried again before (twice, unless told otherwise), after what `retry-after-ms` or "
        "`retry-after` asks for (openai gives up where that is over 120 s, anthropic waits); `x-should-retry` "
        "overrules the status.",
        example="model.chat: [{ kind: http_503, first: 2, retry_after: 2s }]",
    )


def member(name: str) -> Kind | None:
    """The kind called `name`, or None."""
    status = status_in(name)
    return None if status is None else kind_for(status)


FAMILY = Family(
    name="http_STATUS",
    member=member,
    shown=kind_for(SHOWN),
    common=tuple(f"{HEAD}{status}" for status in COMMON),
    head=HEAD,
    range=RANGE,
)
