"""`wrong_dimension`: the vectors have another length than they should."""

from __future__ import annotations

from squall.call import EMBEDDINGS, Target
from squall.faults.at_model import Vector, Vectors
from squall.faults.kind import Draw, Params, at_model


def _change(vectors: list[Vector]) -> list[Vector] | None:
    return [vector[:-1] if len(vector) > 1 else [*vector, 0.0] for vector in vectors] or None


def _act(_params: Params, _draw: Draw, _target: Target) -> Vectors:
    return Vectors(_change)


KIND = at_model(
    "wrong_dimension",
    "reply",
    _act,
    targets=(EMBEDDINGS,),
    summary="The vectors are one number shorter than they should be; of one number, they have two.",
    sees="openai: an ordinary reply. A vector store that does not look takes it, or fails at the next search.",
    example="model.embeddings: [{ kind: wrong_dimension, nth: 1 }]",
)
