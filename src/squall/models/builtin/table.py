"""The built-in models: each a name, a brain, and the rules of its weather, which are those of any fault plan.

What they do happens again in each scope: `mock-recover-503` refuses the first request of every scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from squall.models.builtin.guarded import Guarded
from squall.models.builtin.spoken import Says
from squall.models.builtin.tools import CallsATool, RecoversATool
from squall.models.named import NamedModel

CHAT = Says("Hello! How can I help you today?")
"""What models say of which nothing else is known."""
SENTINELS = ("SQUALL_SENTINEL_1", "SQUALL_SENTINEL_2")
"""What `mock-daily-empty-rag-chat` refuses unless told otherwise."""
EMPTY_RAG = "mock-daily-empty-rag-chat"
STREAM = {"stream": True}


def _embedding(*faults: Mapping[str, Any]) -> NamedModel:
    return NamedModel(embeds=True, faults=faults)


def _guarded(sentinels: Iterable[str]) -> NamedModel:
    return NamedModel(Guarded("SQUALL_EMPTY_RAG_OK", sentinels))


MODELS: Mapping[str, NamedModel] = {
    "mock-chat": NamedModel(CHAT),
    "mock-smoke": NamedModel(Says("SQUALL_SMOKE_OK")),
    "mock-tool": NamedModel(CallsATool()),
    "mock-stream-disconnect": NamedModel(
        CHAT, streams_only=True, faults=({"kind": "stream_disconnect", "after": 2, "when": STREAM},)
    ),
    "mock-stream-stall": NamedModel(
        CHAT, streams_only=True, faults=({"kind": "stream_stall", "after": 2, "seconds": 2, "when": STREAM},)
    ),
    "mock-recover-503": NamedModel(Says("SQUALL_RECOVERY_OK"), faults=({"kind": "http_503", "first": 1},)),
    "mock-recover-stream-disconnect": NamedModel(
        Says("SQUALL_STREAM_RECOVERY_OK"),
        faults=({"kind": "stream_disconnect", "after": 2, "first": 1, "when": STREAM},),
    ),
    "mock-daily-tool-recovery": NamedModel(RecoversATool("SQUALL_TOOL_RECOVERY_OK")),
    EMPTY_RAG: _guarded(SENTINELS),
    "mock-embedding": _embedding(),
    "mock-embedding-429": _embedding({"kind": "http_429"}),
    "mock-embedding-503": _embedding({"kind": "http_503"}),
    "mock-embedding-timeout": _embedding({"kind": "latency", "seconds": 2}),
    "mock-embedding-wrong-count": _embedding({"kind": "wrong_count"}),
    "mock-embedding-wrong-dimension": _embedding({"kind": "wrong_dimension"}),
    "mock-embedding-recover-503": _embedding({"kind": "http_503", "first": 1}),
}
NAMES = tuple(MODELS)
FAULTS: Mapping[str, Any] = {name: [*model.faults] for name, model in MODELS.items() if model.faults}
"""Their weather as a fault plan."""


def models(sentinels: Iterable[str] = ()) -> dict[str, NamedModel]:
    """All of them by name. `sentinels` are the texts that `mock-daily-empty-rag-chat` refuses."""
    given = tuple(sentinels)
    return {**MODELS, EMPTY_RAG: _guarded(given)} if given else dict(MODELS)
