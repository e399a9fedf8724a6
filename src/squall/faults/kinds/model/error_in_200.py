"""`error_in_200` of a model: a 200 whose body is an error's."""

from __future__ import annotations

from squall.call import Target
from squall.faults.at_model import Garble
from squall.faults.kind import Draw, Params, at_model
from squall.faults.status import ErrorStatus


class ErrorIn200Params(Params):
    """Parameters of `error_in_200` of a model."""

    status: ErrorStatus = 503
    """Of which status the error is that the body tells."""


def _act(params: ErrorIn200Params, _draw: Draw, _target: Target) -> Garble:
    return Garble("error", params.status)


KIND = at_model(
    "error_in_200",
    "answer",
    _act,
    params=ErrorIn200Params,
    summary="The status is 200, and the body that of an error, as a gateway passes one on.",
    sees="openai: an object whose `choices` is None. anthropic: a `Message` whose `content` is None. Neither raises.",
    example="model.chat: { errors: { error_in_200: 0.02 } }",
)
