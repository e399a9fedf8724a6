"""Embeddings made of hashed tokens: equal texts have equal vectors, and texts are as alike as their words are the same.

They exercise plumbing: they say nothing of meaning, and a synonym is as far away as any other word. Each word adds to a
few of the dimensions, chosen by a digest of it, so a vector is the same in every process and on every day.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache

from squall.call import ModelRequest
from squall.canonical import integer

DIMENSION = 1536
WORDS = re.compile(r"\w+|[^\w\s]")
PLACES, BITS = 4, 16  # dimensions that a word adds to; each takes 15 bits of a digest, and one for the sign
REMEMBERED, LONGEST = 4096, 128  # words, and characters of one
Vector = list[float]


def vectors(request: ModelRequest) -> list[Vector]:
    """One vector for each input, of the dimension that the request asks for."""
    dimension = request.dimensions or DIMENSION
    return [vector(one, dimension) for one in request.inputs]


def vector(one: str | tuple[int, ...], dimension: int = DIMENSION) -> Vector:
    """The vector of a text, or of a list of tokens: of length 1."""
    found = [0.0] * dimension
    for word in _words(one):
        long = isinstance(word, str) and len(word) > LONGEST
        for place, sign in _places.__wrapped__(word) if long else _places(word):
            found[place % dimension] += sign
    length = math.sqrt(sum(value * value for value in found if value))
    if not length:  # no words, or their signs cancel out
        found[integer("alone", repr(one)) % dimension] = length = 1.0
    return [value / length if value else 0.0 for value in found]


def _words(one: str | tuple[int, ...]) -> Iterable[str | int]:
    return WORDS.findall(one.lower()) if isinstance(one, str) else one


@lru_cache(maxsize=REMEMBERED)
def _places(word: str | int) -> tuple[tuple[int, float], ...]:
    bits = integer("embedding", word)
    parts = ((bits >> (BITS * number)) & ((1 << BITS) - 1) for number in range(PLACES))
    return tuple((part >> 1, 1.0 if part & 1 else -1.0) for part in parts)
