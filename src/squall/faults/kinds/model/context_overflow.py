"""`context_overflow`: the conversation is longer than the model's window."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Target
from squall.faults.at_model import Refuse
from squall.faults.kind import Draw, Params, at_model

WINDOWS = {"model.messages": 200_000, "model.embeddings": 8_192}
WINDOW = 128_000
CODE = "context_length_exceeded"


class ContextOverflowParams(Params):
    """Parameters of `context_overflow`."""

    window: Annotated[int, Field(ge=1, strict=True)] | None = None
    """How many tokens the model is said to take: 128,000 unless given, of messages 200,000, of embeddings 8,192."""


def _act(params: ContextOverflowParams, _draw: Draw, target: Target) -> Refuse:
    window = params.window or WINDOWS.get(target.name, WINDOW)
    if target.name == "model.messages":
        return Refuse(400, message=f"prompt is too long: {window + window // 20} tokens > {window} maximum")
    message = (
        f"This model's maximum context length is {window} tokens. However, you requested {window + window // 20} "
        "tokens. Please reduce the length of the input."
    )
    return Refuse(400, message=message, code=CODE)


KIND = at_model(
    "context_overflow",
    "answer",
    _act,
    params=ContextOverflowParams,
    summary="The provider refuses the request as too long, whatever its length.",
    sees="openai: `BadRequestError` whose `code` is `context_length_exceeded`. anthropic: `BadRequestError` with "
    "`prompt is too long: …`. Neither is tried again.",
    example="model.chat: [{ kind: context_overflow, nth: 3 }]",
)
