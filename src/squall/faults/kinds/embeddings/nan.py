"""`nan`: a vector holds something that is no number."""

from __future__ import annotations

import math

from squall.call import EMBEDDINGS, Target
from squall.faults.at_model import Vector, Vectors
from squall.faults.kind import Draw, Params, at_model


def _act(_params: Params, draw: Draw, _target: Target) -> Vectors:
    def change(vectors: list[Vector]) -> list[Vector] | None:
        if not any(vectors):
            return None
        place = int(draw("vector") * len(vectors))
        spoilt = vectors[place]
        number = int(draw("number") * len(spoilt))
        return [*vectors[:place], [*spoilt[:number], math.nan, *spoilt[number + 1 :]], *vectors[place + 1 :]]

    return Vectors(change)


KIND = at_model(
    "nan",
    "reply",
    _act,
    targets=(EMBEDDINGS,),
    summary="One number of one vector is NaN.",
    sees="openai: NaN in the vector, for the SDK asks for base64 unless told otherwise; as a list of numbers, None. "
    "Every similarity with it is NaN.",
    example="model.embeddings: [{ kind: nan, nth: 1 }]",
)
