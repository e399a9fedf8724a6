"""Whether a word where a target should stand is a model's name, or a target of the model wire gone wrong.

Nobody lists the names of models, so all that is not near to something else may be one. Knows no kind and no rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from squall.errors import nearest
from squall.faults.file import RuleSpec, TargetSpec

MODEL, ALL_MODELS = "model", "model.*"
KEYS = {*TargetSpec.model_fields, *RuleSpec.model_fields}
OPERATION = re.compile(r"[^\W\d]\w*\.([^\W\d]\w*|\*)")
WORD = re.compile(r"[^\W_]+")


def near_model_target(text: str, names: Collection[str]) -> str | None:
    """Which of the model wire's targets `text` was probably meant to be: it ends like one, or begins like all."""
    last = text.rpartition(".")[2].removesuffix("s")
    for name in names:
        if last == name.rpartition(".")[2].removesuffix("s"):
            return name
    word = WORD.match(text)
    near = nearest(text, [*names, ALL_MODELS]) if word and nearest(word[0], [MODEL]) else None
    return near or (ALL_MODELS if text.startswith(f"{MODEL}.") else None)


def may_be_model(text: str) -> bool:
    """Whether a word that is near to no target may be a model's name: all but patterns, and keys that went astray."""
    return bool(text) and not text.endswith(".*") and text not in KEYS


def may_be_operation(text: str) -> bool:
    """Whether a word is written as an operation of a world is, or all those of a service."""
    return OPERATION.fullmatch(text) is not None
