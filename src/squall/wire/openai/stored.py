"""Chat completions that are kept (`"store": true`): found again, listed, given other metadata, deleted.

In memory, a bounded number of them: the oldest is dropped for a new one. Knows no connection; whoever routes requests
hands over ids, queries and bodies, and gets bodies, or `BadRequest` with status 404.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.call import ModelRequest
from squall.wire.openai import fields, pages, refusals
from squall.wire.shelf import MOST, Shelf, weight

EXAMPLE = "completion_id"
"""The word that stands for an id in the provider's reference, and so in tests that are generated from it, the official
SDK's own among them. It always names a completion, which is on no list and cannot go away."""


class Kept(msgspec.Struct, frozen=True):
    """A completion and the messages that it answered, as they came."""

    body: dict[str, Any]
    messages: list[dict[str, Any]]


def wanted(request: ModelRequest) -> bool:
    """Whether a request asks for its completion to be kept."""
    return request.body.get("store") is True


class Completions:
    """The completions kept by one provider."""

    def __init__(self, most: int = MOST) -> None:
        self._kept: Shelf[Kept] = Shelf(most)

    def keep(self, request: ModelRequest, body: dict[str, Any]) -> None:
        """Keeps the body of a completion, and what it answered."""
        metadata, messages = request.body.get("metadata") or {}, list(request.body["messages"])
        self._kept.put(body["id"], Kept({**body, "metadata": metadata}, messages), weight(body, metadata, messages))

    def retrieve(self, name: str) -> dict[str, Any]:
        """`GET /chat/completions/{name}`."""
        return self._found(name).body

    def listing(self, query: Mapping[str, str]) -> dict[str, Any]:
        """`GET /chat/completions`: by `model`, by `metadata[key]`; `after`, `limit`, `order`."""
        model = query.get("model")
        wanted = {key[9:-1]: value for key, value in query.items() if key.startswith("metadata[") and key.endswith("]")}
        found = [
            kept.body
            for kept in self._kept.values()
            if (not model or kept.body["model"] == model) and wanted.items() <= kept.body["metadata"].items()
        ]
        return pages.page(found, query)

    def update(self, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """`POST /chat/completions/{name}`: other metadata."""
        kept = self._found(name)
        for field in body:
            if field != "metadata":
                raise refusals.unknown(field)
        if "metadata" not in body:
            raise refusals.missing("metadata")
        metadata = body["metadata"]
        if metadata is not None:
            fields.metadata(metadata, "metadata")
        changed = Kept({**kept.body, "metadata": metadata or {}}, kept.messages)
        self._kept.change(name, changed)
        return changed.body

    def delete(self, name: str) -> dict[str, Any]:
        """`DELETE /chat/completions/{name}`."""
        self._found(name)
        self._kept.pop(name)
        return {"object": "chat.completion.deleted", "id": name, "deleted": True}

    def messages(self, name: str, query: Mapping[str, str]) -> dict[str, Any]:
        """`GET /chat/completions/{name}/messages`."""
        kept = self._found(name)
        shown = [_message(f"{name}-{place}", raw) for place, raw in enumerate(kept.messages)]
        return pages.page(shown, query)

    def _found(self, name: str) -> Kept:
        kept = self._kept.get(name)
        if kept is None:
            if name == EXAMPLE:
                return ITS_EXAMPLE
            raise refusals.not_found(f"There is no chat completion '{name}' here.", "completion_id")
        return kept


def _message(name: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    """A message as it is listed: a content in parts stands under `content_parts`.

    It keeps its role. The published schema knows only what assistants say, the provider's own example a user.
    """
    content = raw.get("content")
    in_parts = isinstance(content, list)
    return {
        "refusal": None,
        **raw,
        "id": name,
        "content": None if in_parts else content,
        "content_parts": content if in_parts else None,
    }


ITS_EXAMPLE = Kept(
    {
        "id": EXAMPLE,
        "object": "chat.completion",
        "created": 1741569952,
        "model": "gpt-4.1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Good morning.", "refusal": None, "annotations": []},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 8, "completion_tokens": 3, "total_tokens": 11},
        "service_tier": "default",
        "metadata": {},
    },
    [{"role": "assistant", "content": "Good morning."}],
)
