"""`http_STATUS`: the service behind the tool answers with an HTTP error, `http_500` or `http_429` for example."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Family, Kind, Params, Seconds
from squall.faults.status import status_text

LOWEST, HIGHEST = 400, 599
SHOWN = 503
COMMON = (400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504)


class HttpParams(Params):
    """Parameters of `http_STATUS`."""

    retry_after: Seconds | None = None
    """Seconds after which the service asks to be tried again."""
    message: str | None = None
    """The text of the error; the status' own phrase unless given."""


def kind_for(status: int) -> Kind:
    """The kind named `http_<status>`; `status` is from 400 to 599."""

    def act(params: HttpParams, _draw: Draw, _target: Target) -> Action:
        text = status_text(status, params.message, params.retry_after)
        return Action(reply=Outcome("refused", error=text, status=status, retry_after=params.retry_after))

    return Kind(
        name=f"http_{status}",
        phase="before",
        act=act,
        params=HttpParams,
        summary="The service answers with an HTTP error status (400 to 599), `http_500` or `http_429` for example.",
        sees="MCP: a result with `isError` and a text such as `503 Service Unavailable. Retry after 2 seconds.` "
        "Plain callables: `ToolError` with `status` and `retry_after`.",
        example="orders.get_order: { errors: { http_503: { probability: 0.05, retry_after: 2s } } }",
    )


def parse(name: str) -> int | None:
    """The status in `http_503`, or None where `name` is not of that form or out of range."""
    head, _, digits = name.partition("_")
    if head != "http" or not (digits.isascii() and digits.isdigit()):
        return None
    return int(digits) if len(digits) == len(str(HIGHEST)) and LOWEST <= int(digits) <= HIGHEST else None


def member(name: str) -> Kind | None:
    """The kind called `name`, or None."""
    status = parse(name)
    return None if status is None else kind_for(status)


FAMILY = Family(
    name="http_STATUS",
    member=member,
    shown=kind_for(SHOWN),
    common=tuple(f"http_{status}" for status in COMMON),
    head="http_",
    range=f"The statuses are those of errors, {LOWEST} to {HIGHEST}: http_{SHOWN}, for example.",
)
