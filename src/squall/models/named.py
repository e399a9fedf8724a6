"""Models that are known by their names: what one says, what it may be asked, and what goes wrong with it.

What goes wrong is plain data, as it stands in a fault plan under the model's name. Knows no kind of fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.call import BadRequest, ModelRequest
from squall.models.brain import Brain

FaultRule = Mapping[str, Any]
"""A rule of a fault plan, without its target."""


class NamedModel(msgspec.Struct, frozen=True):
    """One of them. Without a `brain` it says what models without a name of their own say.

    `embeds`: it makes embeddings and nothing else, as all others make none. `streams_only`: it is asked for streams.
    """

    brain: Brain | None = None
    embeds: bool = False
    streams_only: bool = False
    faults: tuple[FaultRule, ...] = ()

    def admit(self, request: ModelRequest) -> None:
        """Raise `BadRequest` for a request that this model cannot answer."""
        name = request.model
        if self.embeds != (request.endpoint == "embeddings"):
            what = "makes embeddings, and nothing else" if self.embeds else "makes no embeddings"
            raise BadRequest(f"the model {name!r} {what}", param="model")
        if self.streams_only and not request.stream:
            raise BadRequest(f"the model {name!r} only streams: ask for it with 'stream': true", param="stream")
