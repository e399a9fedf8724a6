"""`timeout` of a model: the request is taken, and not a byte comes back before the client's own deadline."""

from __future__ import annotations

from squall.call import Target
from squall.faults.at_model import Silence
from squall.faults.kind import Draw, Params, Seconds, at_model

LONGER_THAN_THE_SDKS = 900.0  # who read for 600 s unless told otherwise


class TimeoutParams(Params):
    """Parameters of `timeout` of a model."""

    seconds: Seconds = LONGER_THAN_THE_SDKS
    """When the connection is closed, without a byte."""
    forever: bool = False
    """Whether it never is: until the run's limit."""


def _act(params: TimeoutParams, _draw: Draw, _target: Target) -> Silence:
    return Silence(params.seconds, stated="seconds" in params.model_fields_set, forever=params.forever)


KIND = at_model(
    "timeout",
    "answer",
    _act,
    params=TimeoutParams,
    summary="The request is taken, and nothing comes back: no status, no byte.",
    sees="openai and anthropic: `APITimeoutError` at the client's own deadline (600 s without a byte, unless told "
    "otherwise), after it has tried twice more. A client without one (ChatOpenAI, ChatAnthropic, google-genai) waits "
    "on.",
    example="model.chat: { errors: { timeout: 0.1 } }",
)
