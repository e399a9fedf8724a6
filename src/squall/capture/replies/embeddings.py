"""What comes of embeddings: how many there are. The vectors themselves are not kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from squall.capture.replies.events import EventText
from squall.capture.replies.said import Said, counted, listed, problem_in


class Embeddings:
    """Reads answers of embeddings."""

    def whole(self, body: Mapping[str, Any]) -> Said:
        """A body's numbers."""
        rest = {name: value for name, value in body.items() if name != "data"}
        return Said(
            usage=counted(body.get("usage"), input="prompt_tokens"),
            error=problem_in(body),
            response={**rest, "vectors": len(listed(body.get("data")))},
        )

    def streamed(self, events: Iterable[EventText]) -> Said:
        """Nothing: they are never streamed."""
        return Said(ended=False)
