"""`interleaved_deltas`: the pieces of parallel calls come by turns."""

from __future__ import annotations

from squall.call import STREAMING, Target
from squall.faults.at_model import Interleave
from squall.faults.kind import Draw, Params, at_model


def _act(_params: Params, _draw: Draw, _target: Target) -> Interleave:
    return Interleave()


KIND = at_model(
    "interleaved_deltas",
    "pace",
    _act,
    targets=STREAMING,
    summary="Where a reply holds several calls, the deltas of their arguments come by turns. It fires only there.",
    sees="openai and anthropic: the same calls, if deltas are put together by their `index`; who adds each to the "
    "latest call gets broken arguments.",
    example="model.chat: [{ kind: interleaved_deltas, nth: 1 }]",
)
