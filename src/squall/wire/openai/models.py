"""Bodies of `/v1/models`: which models there are, one of them, and that a fine-tuned one is gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from squall.call import BadRequest
from squall.wire.openai import refusals

CREATED = 1715367049  # seconds since 1970: when a model appeared does not depend on the run
FINE_TUNED = "ft:"
OWNER = "system"


def one(name: str) -> dict[str, Any]:
    """A model."""
    return {"id": name, "object": "model", "created": CREATED, "owned_by": OWNER}


def listing(names: Iterable[str]) -> dict[str, Any]:
    """All models."""
    return {"object": "list", "data": [one(name) for name in names]}


def deleted(name: str) -> dict[str, Any]:
    """That a model is gone. Only fine-tuned ones can be, by whoever tuned them."""
    if not name.startswith(FINE_TUNED):
        raise BadRequest(
            f"The model '{name}' cannot be deleted: you are not its owner.", param="model", status=403, code=None
        )
    return {"id": name, "object": "model", "deleted": True}


def not_found(name: str) -> BadRequest:
    """The refusal of a model that is not there."""
    return refusals.not_found(
        f"There is no model '{name}' here, or you may not use it.", param="model", code="model_not_found"
    )
