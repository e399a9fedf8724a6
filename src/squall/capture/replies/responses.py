"""What a response of OpenAI's Responses says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from squall.capture.replies.events import EventText
from squall.capture.replies.said import Said, counted, listed, mapping, place_of, problem_in, text_of

USAGE = {"input": "input_tokens", "output": "output_tokens"}
CUT_SHORT = {"max_output_tokens": "length"}
LAST = ("response.completed", "response.incomplete", "response.failed")
CALLS = ("function_call", "custom_tool_call")
GROWING = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
}


class Responses:
    """Reads answers of responses."""

    def whole(self, body: Mapping[str, Any]) -> Said:
        """What a body says."""
        items = listed(body.get("output"))
        parts = [part for item in items if item.get("type") == "message" for part in listed(item.get("content"))]
        refusal = "".join(text_of(part.get("refusal")) for part in parts)
        calls = [_call(item) for item in items if item.get("type") in CALLS]
        finish = CUT_SHORT.get(why := _why(body), why) if body.get("status") == "incomplete" else None
        finish = finish or ("refusal" if refusal else "tool_calls" if calls else "stop")
        return Said(
            text="".join(text_of(part.get("text")) for part in parts) or refusal or None,
            calls=calls,
            finish=finish if body.get("status") in (None, "completed", "incomplete") else None,
            usage=counted(body.get("usage"), **USAGE),
            error=problem_in(body),
            id=text_of(body.get("id")) or None,
            response=body,
        )

    def streamed(self, events: Iterable[EventText]) -> Said:
        """The last event holds it all; without it, what has grown so far."""
        items: dict[Any, dict[str, Any]] = {}
        found = Said(ended=False)
        for event in events:
            data = mapping(event.data)
            kind = text_of(data.get("type")) or event.name
            place = place_of(data.get("output_index"))
            if kind in LAST:
                return self.whole(mapping(data.get("response")))
            if kind == "response.created":
                found.id = text_of(mapping(data.get("response")).get("id")) or None
            elif kind == "response.output_item.added":
                items[place] = dict(mapping(data.get("item")))
            elif kind in GROWING:
                item, field = items.setdefault(place, {}), GROWING[kind]
                item[field] = text_of(item.get(field)) + text_of(data.get("delta"))
            elif kind == "error":
                found.error = text_of(data.get("message")) or problem_in(data) or "error"
        texts = [text_of(item.get("text")) or text_of(item.get("refusal")) for item in items.values()]
        found.text = "".join(texts) or None
        found.calls = [_call(item) for item in items.values() if item.get("type") in CALLS]
        return found


def _why(body: Mapping[str, Any]) -> str:
    return text_of(mapping(body.get("incomplete_details")).get("reason"))


def _call(item: Mapping[str, Any]) -> dict[str, Any]:
    custom = item.get("type") == "custom_tool_call"
    return {
        "name": text_of(item.get("name")),
        "arguments": text_of(item.get("input" if custom else "arguments")),
        "id": text_of(item.get("call_id")) or text_of(item.get("id")) or None,
        **({"custom": True} if custom else {}),
    }
