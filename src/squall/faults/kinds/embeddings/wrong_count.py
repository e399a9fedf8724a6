"""`wrong_count`: there are fewer vectors than inputs."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import EMBEDDINGS, Target
from squall.faults.at_model import Vector, Vectors
from squall.faults.kind import Draw, Params, at_model


class WrongCountParams(Params):
    """Parameters of `wrong_count`."""

    missing: Annotated[int, Field(ge=1, strict=True)] = 1
    """For how many of the last inputs there is no vector."""


def _act(params: WrongCountParams, _draw: Draw, _target: Target) -> Vectors:
    def change(vectors: list[Vector]) -> list[Vector] | None:
        return vectors[: -params.missing] if vectors else None

    return Vectors(change)


KIND = at_model(
    "wrong_count",
    "reply",
    _act,
    params=WrongCountParams,
    targets=(EMBEDDINGS,),
    summary="The vectors of the last inputs are missing; of one input, there is none.",
    sees="openai: an ordinary reply with a shorter `data`, and so `OpenAIEmbeddings` hands it on.",
    example="model.embeddings: [{ kind: wrong_count, nth: 1 }]",
)
