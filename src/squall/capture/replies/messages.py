"""What an answer of Anthropic's messages says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from squall.capture.replies.events import EventText
from squall.capture.replies.said import Said, counted, listed, mapping, place_of, problem_in, text_of

FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
}
USAGE = {"input": "input_tokens", "output": "output_tokens"}
DELTAS = {"text_delta": "text", "input_json_delta": "partial_json"}


class Messages:
    """Reads answers of messages."""

    def whole(self, body: Mapping[str, Any]) -> Said:
        """What a body says. Tools that the provider runs itself are no calls."""
        blocks = listed(body.get("content"))
        return Said(
            text="".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text") or None,
            calls=[_call(block) for block in blocks if block.get("type") == "tool_use"],
            finish=finish_of(body.get("stop_reason")),
            usage=counted(body.get("usage"), **USAGE),
            error=problem_in(body),
            id=text_of(body.get("id")) or None,
            response=body,
        )

    def streamed(self, events: Iterable[EventText]) -> Said:
        """What the events say together."""
        said = Said(ended=False)
        blocks: dict[Any, dict[str, Any]] = {}
        for event in events:
            data = mapping(event.data)
            kind = text_of(data.get("type")) or event.name
            if kind == "message_start":
                message = mapping(data.get("message"))
                said.id = text_of(message.get("id")) or None
                said.usage = counted(message.get("usage"), **USAGE)
            elif kind == "content_block_start":
                block = mapping(data.get("content_block"))
                blocks[place_of(data.get("index"))] = {**block, "text": text_of(block.get("text")), "partial_json": ""}
            elif kind == "content_block_delta":
                delta = mapping(data.get("delta"))
                field = DELTAS.get(text_of(delta.get("type")))
                if field:
                    block = blocks.setdefault(
                        place_of(data.get("index")), {"type": "text", "text": "", "partial_json": ""}
                    )
                    block[field] += text_of(delta.get(field))
            elif kind == "message_delta":
                said.finish = finish_of(mapping(data.get("delta")).get("stop_reason")) or said.finish
                said.usage = said.usage | counted(data.get("usage"), **USAGE)
            elif kind == "message_stop":
                said.ended = True
            elif kind == "error":
                said.error = said.error or problem_in(data) or "error"
        said.text = "".join(block["text"] for block in blocks.values() if block.get("type") == "text") or None
        said.calls = [_call(block) for block in blocks.values() if block.get("type") == "tool_use"]
        content = [_block(block) for block in blocks.values()]
        said.response = {"id": said.id, "type": "message", "role": "assistant", "content": content}
        return said


def finish_of(reason: Any) -> str | None:
    """Why the model stopped, in the neutral word."""
    return FINISHES.get(reason, reason) if isinstance(reason, str) else None


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    arguments = block.get("partial_json") or msgspec.json.encode(block.get("input") or {}).decode()
    return {"name": text_of(block.get("name")), "arguments": arguments, "id": text_of(block.get("id")) or None}


def _block(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block of a stream as it stands in a body. Arguments that do not come whole are left out."""
    made = {name: value for name, value in block.items() if name not in ("partial_json", "text")}
    if block.get("type") == "text":
        made["text"] = block["text"]
    if block.get("partial_json"):
        try:
            made["input"] = msgspec.json.decode(block["partial_json"])
        except (msgspec.DecodeError, RecursionError):
            made.pop("input", None)
    return made
