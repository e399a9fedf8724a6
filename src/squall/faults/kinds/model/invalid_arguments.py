"""`invalid_arguments`: a call's arguments are JSON, and not what the tool takes."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from squall.call import STREAMING, ModelRequest, Reply, Target, ToolUse
from squall.faults.at_model import Alter
from squall.faults.kind import Draw, Params, at_model
from squall.faults.misfits import misfits
from squall.faults.said import with_one_call


class InvalidArgumentsParams(Params):
    """Parameters of `invalid_arguments`."""

    how: Literal["wrong_type", "missing", "extra"] | None = None
    """What is wrong: a value is of another type, a required argument is missing, one is there that the tool forbids.
    Drawn among what is possible where it is not given."""


def _act(params: InvalidArgumentsParams, draw: Draw, _target: Target) -> Alter:
    def change(reply: Reply, request: ModelRequest) -> Reply | None:
        schemas = {offer.name: offer.schema for offer in request.tools}

        def spoil(call: ToolUse) -> ToolUse | None:
            found = [each for each in misfits(call.arguments, schemas.get(call.name)) if params.how in (None, each.how)]
            return replace(call, arguments=found[int(draw("misfit") * len(found))].arguments) if found else None

        return with_one_call(reply, draw, spoil)

    return Alter(change)


KIND = at_model(
    "invalid_arguments",
    "reply",
    _act,
    params=InvalidArgumentsParams,
    targets=STREAMING,
    summary="The arguments of a call are valid JSON, and do not keep to the schema of the tool that was offered.",
    sees="openai and anthropic: an ordinary call. Whether anybody checks it is up to the agent and its framework.",
    example="model.chat: { errors: { invalid_arguments: { probability: 0.1, how: missing } } }",
)
