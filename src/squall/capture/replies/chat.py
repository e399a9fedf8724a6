"""What a chat completion says. Where it has several choices, the first one speaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from squall.capture.replies.events import EventText
from squall.capture.replies.said import Said, counted, listed, mapping, place_of, problem_in, text_of

FINISHES = {"function_call": "tool_calls"}
USAGE = {"input": "prompt_tokens", "output": "completion_tokens"}


class Chat:
    """Reads answers of chat completions."""

    def whole(self, body: Mapping[str, Any]) -> Said:
        """What a body says."""
        choice = next(iter(listed(body.get("choices"))), {})
        message = mapping(choice.get("message"))
        calls = [_call(call) for call in listed(message.get("tool_calls"))]
        old = mapping(message.get("function_call"))
        if old and not calls:
            calls = [{"name": text_of(old.get("name")), "arguments": text_of(old.get("arguments"))}]
        refusal = text_of(message.get("refusal"))
        return Said(
            text=_content(message.get("content")) or refusal or None,
            calls=calls,
            finish="refusal" if refusal else finish_of(choice.get("finish_reason")),
            usage=counted(body.get("usage"), **USAGE),
            error=problem_in(body),
            id=text_of(body.get("id")) or None,
            response=body,
        )

    def streamed(self, events: Iterable[EventText]) -> Said:
        """What the chunks say together. A finish ends them; some providers send no mark after it."""
        said = Said(ended=False)
        texts, refusals = [], []
        calls: dict[Any, dict[str, Any]] = {}
        for event in events:
            chunk = mapping(event.data)
            said.error = said.error or problem_in(chunk)
            said.id = said.id or text_of(chunk.get("id")) or None
            said.usage = counted(chunk.get("usage"), **USAGE) or said.usage
            choice = next((each for each in listed(chunk.get("choices")) if not each.get("index")), {})
            delta = mapping(choice.get("delta"))
            texts.append(text_of(delta.get("content")))
            refusals.append(text_of(delta.get("refusal")))
            for piece in listed(delta.get("tool_calls")):
                _add(calls, place_of(piece.get("index", piece.get("id"))), piece)
            if mapping(delta.get("function_call")):
                _add(calls, None, {"function": delta["function_call"]})
            finish = finish_of(choice.get("finish_reason"))
            if finish:
                said.finish, said.ended = finish, True
        refusal = "".join(refusals)
        said.text = "".join(texts) or refusal or None
        said.calls = list(calls.values())
        said.response = _body(said, "".join(texts), refusal)
        if refusal and said.ended:
            said.finish = "refusal"
        return said


def finish_of(reason: Any) -> str | None:
    """Why the model stopped, in the neutral word."""
    return FINISHES.get(reason, reason) if isinstance(reason, str) and reason else None


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function, custom = mapping(call.get("function")), mapping(call.get("custom"))
    return {
        "name": text_of(function.get("name")) or text_of(custom.get("name")),
        "arguments": text_of(function.get("arguments")) if function else text_of(custom.get("input")),
        "id": text_of(call.get("id")) or None,
        **({"custom": True} if custom and not function else {}),
    }


def _add(calls: dict[Any, dict[str, Any]], place: Any, piece: Mapping[str, Any]) -> None:
    """A piece of a call, told by its place."""
    call = calls.setdefault(place, {"name": "", "arguments": "", "id": None})
    found = mapping(piece.get("function")) or mapping(piece.get("custom"))
    call["name"] += text_of(found.get("name"))
    call["arguments"] += text_of(found.get("arguments")) or text_of(found.get("input"))
    call["id"] = call["id"] or text_of(piece.get("id")) or None


def _body(said: Said, text: str, refusal: str) -> dict[str, Any]:
    """What the chunks say, as a body would."""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if refusal:
        message["refusal"] = refusal
    if said.calls:
        message["tool_calls"] = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in said.calls
        ]
    return {"id": said.id, "choices": [{"index": 0, "message": message, "finish_reason": said.finish}]}


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(text_of(part.get("text")) for part in listed(content))
