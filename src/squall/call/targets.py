"""What a request to a model addresses: one target for each of a provider's endpoints. The same in every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call.tool import Target

FIELDS: Mapping[str, Mapping[str, Any]] = {"model": {"type": "string"}, "stream": {"type": "boolean", "default": False}}


def _endpoint(name: str) -> Target:
    return Target(f"model.{name}", "", wire="model", fields=tuple(FIELDS), schemas=FIELDS, required=("model",))


MODEL_TARGETS: Mapping[str, Target] = {
    name: _endpoint(name) for name in ("chat", "responses", "messages", "embeddings")
}
"""By the name of the endpoint: OpenAI's chat completions, responses and embeddings, and Anthropic's messages."""

STREAMING = tuple(target.name for name, target in MODEL_TARGETS.items() if name != "embeddings")
"""The names of the targets whose replies can be streams."""

EMBEDDINGS = MODEL_TARGETS["embeddings"].name
