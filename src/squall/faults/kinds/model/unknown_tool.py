"""`unknown_tool`: the model calls a tool that nobody offered."""

from __future__ import annotations

from msgspec.structs import replace

from squall.call import STREAMING, ModelRequest, Reply, Target, ToolUse
from squall.faults.at_model import Alter
from squall.faults.kind import Draw, Params, at_model
from squall.faults.said import with_one_call


class UnknownToolParams(Params):
    """Parameters of `unknown_tool`."""

    name: str | None = None
    """The name that it calls; one that is near to the right one where it is not given."""


def _near(name: str) -> tuple[str, ...]:
    """Names that a model might take `name` for."""
    first, *rest = name.split("_")
    camel = first + "".join(map(str.capitalize, rest))
    turned = "_".join((*rest, first))
    plural = name.removesuffix("s") if name.endswith("s") else f"{name}s"
    return tuple(dict.fromkeys(each for each in (plural, camel, turned, f"functions.{name}") if each != name))


def _act(params: UnknownToolParams, draw: Draw, _target: Target) -> Alter:
    def change(reply: Reply, request: ModelRequest) -> Reply | None:
        offered = {offer.name for offer in request.tools}

        def rename(call: ToolUse) -> ToolUse | None:
            names = _near(call.name) if params.name is None else (params.name,)
            names = tuple(name for name in names if name not in offered and name != call.name)
            return replace(call, name=names[int(draw("name") * len(names))]) if names else None

        return with_one_call(reply, draw, rename)

    return Alter(change)


KIND = at_model(
    "unknown_tool",
    "reply",
    _act,
    params=UnknownToolParams,
    targets=STREAMING,
    summary="A call names a tool that was not offered, with a name that is nearly right.",
    sees="openai and anthropic: an ordinary call. openai-agents raises `ModelBehaviorError`; pydantic-ai asks the "
    "model again.",
    example="model.*: [{ kind: unknown_tool, nth: 1, name: refund_order }]",
)
