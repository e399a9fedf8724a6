"""`http_STATUS`: the service behind the tool answers with an HTTP error, `http_500` or `http_429` for example."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Family, Kind, Params, Seconds
from squall.faults.status import HEAD, RANGE, status_in, status_text

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
        name=f"{HEAD}{status}",
        phase="before",
        act=act,
        params=HttpParams,
        summary="The service answers with an HTTP error status (400 to 599), `http_500` or `http_429` for example.",
        sees="MCP: a result with `isError` and a text such as `503 Service Unavailable. Retry after 2 seconds.` "
        "Plain callables: `ToolError` with `status` and `retry_after`.",
        example="orders.get_order: { errors: { http_503: { probability: 0.05, retry_after: 2s } } }",
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
