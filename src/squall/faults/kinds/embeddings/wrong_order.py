"""`wrong_order`: the vectors come in another order than the inputs."""

from __future__ import annotations

from squall.call import EMBEDDINGS, Target
from squall.faults.at_model import Vector, Vectors
from squall.faults.kind import Draw, Params, at_model


def _change(vectors: list[Vector]) -> list[Vector] | None:
    turned = vectors[::-1]
    return None if turned == vectors else turned


def _act(_params: Params, _draw: Draw, _target: Target) -> Vectors:
    return Vectors(_change, reordered=True)


KIND = at_model(
    "wrong_order",
    "reply",
    _act,
    targets=(EMBEDDINGS,),
    summary="The vectors come from the last to the first. It fires only where there are several that differ.",
    sees="openai: an ordinary reply, in which each vector has its right `index`. They are handed on in the order they "
    "come in, and `OpenAIEmbeddings` gives each text another's; who sorts by `index` is safe.",
    example="model.embeddings: [{ kind: wrong_order, nth: 1 }]",
)
