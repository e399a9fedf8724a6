"""The values that all rooms speak of: calls of tools (`tool`), requests to models (`model`). Frozen; mint nothing."""

from squall.call.headers import holds_secret
from squall.call.model import BadRequest, Message, ModelRequest, Reply, ToolOffer, ToolUse, Usage
from squall.call.targets import EMBEDDINGS, MODEL_TARGETS, STREAMING
from squall.call.tool import LISTING, Access, CallRef, Form, Outcome, Refused, Target, Wire

Refused.__module__ = __name__  # where people import it from, and what they read in tracebacks

__all__ = [
    "EMBEDDINGS",
    "LISTING",
    "MODEL_TARGETS",
    "STREAMING",
    "Access",
    "BadRequest",
    "CallRef",
    "Form",
    "Message",
    "ModelRequest",
    "Outcome",
    "Refused",
    "Reply",
    "Target",
    "ToolOffer",
    "ToolUse",
    "Usage",
    "Wire",
    "holds_secret",
]
