"""Responses that are kept, which is so unless `store` is false: found again, continued, cancelled, deleted.

In memory, a bounded number of them: the oldest is dropped for a new one. Knows no connection; whoever routes requests
hands over ids and queries, and gets bodies, or `BadRequest`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.call import BadRequest, Message, ModelRequest
from squall.wire.dialect import Frames, Stamp
from squall.wire.openai import pages, refusals, responses_items, responses_reply, responses_request, responses_stream
from squall.wire.shelf import MOST, Shelf, weight

PREFIXES = {"message": "msg_", "function_call": "fc_", "function_call_output": "fco_", "reasoning": "rs_"}
OTHER = "item_"
FIRST_INPUT = 1000  # places of minted ids: those of the output come before
UNDER_WAY, CANCELLED = "in_progress", "cancelled"
NOT_BEGUN, MOST_DIGITS = "-1", 9  # of the number of an event
REFERENCE = "item_reference"


class Kept(msgspec.Struct):
    """A response, its input as items, and the conversation up to it and with it. `status` None: it is ready."""

    body: dict[str, Any]
    items: list[dict[str, Any]]
    messages: tuple[Message, ...]
    status: str | None = None

    def shown(self) -> dict[str, Any]:
        """The body as it is now."""
        if self.status is None:
            return self.body
        return responses_reply.unready(self.body, self.status)


class Responses:
    """The responses kept by one provider."""

    def __init__(self, most: int = MOST) -> None:
        self._kept: Shelf[Kept] = Shelf(most)
        self._items: dict[str, tuple[str, dict[str, Any]]] = {}  # each with the id of the response that it is of

    def keep(self, request: ModelRequest, body: dict[str, Any], stamp: Stamp, *, status: str | None = None) -> None:
        """Keeps a body that is ready, unless its request says otherwise; with a status, it still looks unready."""
        if request.body.get("store") is False:
            return
        name = body["id"]
        self._drop(name)
        before = [message for message in request.messages if message.place != responses_request.ABOVE]
        said = responses_items.of_output(body["output"], "")
        conversation = tuple(
            msgspec.structs.replace(message, place=f"previous.{place}")
            for place, message in enumerate([*before, said] if said is not None else before)
        )
        kept = Kept(body, self._listed(request.body.get("input"), stamp), conversation, status)
        for gone in self._kept.put(name, kept, weight(body, kept.items)):
            self._forget(gone)
        for item in (*kept.items, *body["output"]):
            self._items.setdefault(item["id"], (name, item))  # an item that is sent again is still the first response's

    def retrieve(self, name: str) -> dict[str, Any]:
        """`GET /responses/{name}`. One that runs in the background is ready when it is asked for a second time."""
        kept = self._found(name)
        if kept.status == "queued":
            kept.status = UNDER_WAY
        elif kept.status == UNDER_WAY:
            kept.status = None
        return kept.shown()

    def stream(self, name: str, query: Mapping[str, str]) -> Frames:
        """`GET /responses/{name}?stream=true`: its events, also those that have been streamed before.

        One that runs in the background gets ready meanwhile.
        """
        kept = self._found(name)
        if kept.status == CANCELLED:
            raise BadRequest("A response that was cancelled has no more events.", param="stream")
        after = query.get("starting_after", NOT_BEGUN)
        if not after.removeprefix("-").isdecimal() or len(after) > MOST_DIGITS:
            raise refusals.wrong_type("starting_after", "an integer", after)
        kept.status = None
        found = responses_stream.frames(kept.body)
        return Frames(found.events[max(0, int(after) + 1) :], found.terminal)

    def cancel(self, name: str) -> dict[str, Any]:
        """`POST /responses/{name}/cancel`: of one in the background, as often as wanted."""
        kept = self._found(name)
        if not kept.body["background"]:
            raise BadRequest("Only a response that runs in the background can be cancelled.", param="response_id")
        if kept.status is not None:
            kept.status = CANCELLED
        return kept.shown()

    def delete(self, name: str) -> dict[str, Any]:
        """`DELETE /responses/{name}`."""
        self._found(name)
        self._drop(name)
        return {"id": name, "object": "response", "deleted": True}

    def input_items(self, name: str, query: Mapping[str, str]) -> dict[str, Any]:
        """`GET /responses/{name}/input_items`, the newest first unless asked otherwise."""
        return pages.page(self._found(name).items, query, order="desc")

    def messages(self, name: str) -> tuple[Message, ...]:
        """The conversation that a request goes on with."""
        kept = self._kept.get(name)
        if kept is None:
            raise BadRequest(
                f"There is no response '{name}' to go on from.",
                param="previous_response_id",
                code="previous_response_not_found",
            )
        return kept.messages

    def item(self, name: str) -> Mapping[str, Any]:
        """An item that a request refers to."""
        found = self._items.get(name)
        if found is None:
            raise refusals.not_found(
                f"There is no item '{name}' here. Items of responses with 'store' false are not kept.", "input"
            )
        return found[1]

    def _found(self, name: str) -> Kept:
        kept = self._kept.get(name)
        if kept is None:
            raise refusals.not_found(f"There is no response '{name}' here.", "response_id")
        return kept

    def _drop(self, name: str) -> None:
        kept = self._kept.pop(name)
        if kept is not None:
            self._forget(kept)

    def _forget(self, kept: Kept) -> None:
        for item in (*kept.items, *kept.body["output"]):
            if self._items.get(item["id"], ("", item))[0] == kept.body["id"]:
                del self._items[item["id"]]

    def _listed(self, given: Any, stamp: Stamp) -> list[dict[str, Any]]:
        """The items of an input as they are listed: each with an id, contents in parts, references followed."""
        if given is None:
            return []
        raws = [{"role": "user", "content": given}] if isinstance(given, str) else given
        items = [_item(raw, stamp, FIRST_INPUT + place) for place, raw in enumerate(raws)]
        return [self._items.get(item["id"], ("", item))[1] if item["type"] == REFERENCE else item for item in items]


def _item(raw: Mapping[str, Any], stamp: Stamp, place: int) -> dict[str, Any]:
    kind = raw.get("type") or ("message" if "role" in raw else REFERENCE)
    name = raw.get("id") or stamp.id(PREFIXES.get(kind, OTHER), place)
    item = {**raw, "id": name, "type": kind}
    if kind == "message":
        item["status"] = raw.get("status") or "completed"
        if isinstance(raw["content"], str):
            item["content"] = [_text(raw["content"], raw["role"])]
    elif kind in responses_items.CALLS or kind in responses_items.RESULTS:
        item["status"] = raw.get("status") or "completed"
    return item


def _text(text: str, role: str) -> dict[str, Any]:
    if role == "assistant":
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "input_text", "text": text}
