"""One message of a request, read: its blocks become messages of the neutral kind.

A tool's result is a message by itself; what stands before and after it stays before and after. Raises `BadRequest` for
a form that Anthropic refuses; whether the conversation holds together is not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from squall.call import Message, ToolUse
from squall.wire.anthropic import checks
from squall.wire.anthropic.fields import BLOCKS, IN_RESULTS, MESSAGE, NOT_OF

SOURCES = checks.typed("base64", "url", "file", "text", "content")
MEDIA = checks.one_of("image/jpeg", "image/png", "image/gif", "image/webp")
Block = Mapping[str, Any]


def read_system(value: Any) -> Message | None:
    """The system prompt at the top of a request."""
    if type(value) is str:
        return Message("system", value, place="system") if value else None
    checks.array(value, "system")
    for number, block in enumerate(value):
        place = f"system.{number}"
        kind = _kind_of(block, place)
        if kind != "text":
            checks.refuse(f"{place}.type", "a system prompt consists of text alone")
        _check(block, kind, place)
    return _said("system", value, "system") if value else None


def read_message(value: Any, place: str) -> Sequence[Message]:
    """What one entry of `messages` says."""
    if type(value) is not dict:
        checks.expected("an object", value, place)
    role, content = value.get("role"), value.get("content")
    if role not in NOT_OF:
        if "role" not in value:
            checks.missing(f"{place}.role")
        checks.refuse(f"{place}.role", "expected 'user' or 'assistant'")
    if not value.keys() <= MESSAGE:
        checks.only(MESSAGE, value, place)
    if type(content) is str:
        blank = content != "" and _blank((content,))
        return (Message(role, content, parts=1 if content else 0, place=place, blank=blank),)
    if "content" not in value:
        checks.missing(f"{place}.content")
    if type(content) is not list:
        checks.expected("a string or an array", content, f"{place}.content")
    return list(_blocks(role, content, place))


def _blocks(role: str, content: list[Any], place: str) -> Iterator[Message]:
    run: list[Block] = []
    for number, block in enumerate(content):
        where = f"{place}.content.{number}"
        kind = _kind_of(block, where)
        if kind in NOT_OF[role]:
            checks.refuse(f"{where}.type", f"a {kind} block cannot be in a message of the role {role}")
        _check(block, kind, where)
        if kind != "tool_result":
            run.append(block)
            continue
        if run:
            yield _said(role, run, place)
            run = []
        yield _result(block, place, where)
    if run or not content:
        yield _said(role, run, place)


def _kind_of(block: Any, place: str) -> str:
    if type(block) is not dict:
        checks.expected("an object", block, place)
    kind = block.get("type")
    if type(kind) is not str or kind not in BLOCKS:
        if "type" not in block:
            checks.missing(f"{place}.type")
        checks.refuse(f"{place}.type", f"expected one of {', '.join(map(repr, BLOCKS))}")
    return kind


def _check(block: Block, kind: str, place: str) -> None:
    if not block.keys() <= BLOCKS[kind]:
        checks.only(BLOCKS[kind], block, f"{place}.{kind}")
    for field, check in CHECKS.get(kind, {}).items():
        if field not in block:
            checks.missing(f"{place}.{kind}.{field}")
        check(block[field], f"{place}.{kind}.{field}")


def _said(role: Any, blocks: Sequence[Block], place: str) -> Message:
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    calls = tuple(
        ToolUse(block["name"], msgspec.json.encode(block["input"]).decode(), block["id"])
        for block in blocks
        if block["type"] == "tool_use"
    )
    return Message(role, _text(blocks), calls, parts=len(blocks), place=place, blank=_blank(texts))


def _result(block: Block, place: str, where: str) -> Message:
    content = block.get("content")
    failed = block.get("is_error") or False
    if failed is not True and failed is not False:
        checks.expected("a boolean", failed, f"{where}.tool_result.is_error")
    text, parts, blank = "", 0, False
    if type(content) is str:
        text, parts = content, 1 if content else 0
    elif content is not None:
        text, parts, blank = _inside(content, f"{where}.tool_result.content")
    return Message("tool", text, (), block["tool_use_id"], failed=failed, parts=parts, place=place, blank=blank)


def _inside(content: Any, place: str) -> tuple[str, int, bool]:
    if type(content) is not list:
        checks.expected("a string or an array", content, place)
    texts = []
    for number, block in enumerate(content):
        where = f"{place}.{number}"
        if type(block) is not dict:
            checks.expected("an object", block, where)
        kind = block.get("type")
        if kind not in IN_RESULTS:
            checks.refuse(f"{where}.type", f"expected one of {', '.join(map(repr, sorted(IN_RESULTS)))}")
        if kind in BLOCKS:
            _check(block, kind, where)
        if kind == "text":
            texts.append(block["text"])
    return _text(content), len(content), _blank(texts)


def _text(blocks: Sequence[Block]) -> str:
    """What can be read in blocks: their text, and that of documents and of results of searches."""
    return "\n".join(text for block in blocks for text in _texts(block))


def _texts(block: Any) -> list[str]:
    kind = block.get("type") if type(block) is dict else None
    if kind == "text":
        found: Any = block.get("text")
    elif kind == "search_result":
        found = block.get("content")
    elif kind == "document" and type(source := block.get("source")) is dict:
        found = source.get({"text": "data", "content": "content"}.get(str(source.get("type")), ""))
    else:
        return []
    if type(found) is list:
        return [text for each in found if type(each) is dict and each.get("type") == "text" for text in _texts(each)]
    return [found] if type(found) is str else []


def _blank(texts: Sequence[str]) -> bool:
    return not all(map(str.strip, texts))


def _picture(value: Any, place: str) -> None:
    SOURCES(value, place)
    if value["type"] == "base64":
        MEDIA(value.get("media_type"), f"{place}.media_type")
        checks.full_text(value.get("data"), f"{place}.data")
    elif value["type"] == "url":
        checks.full_text(value.get("url"), f"{place}.url")


CHECKS: Mapping[str, Mapping[str, checks.Check]] = {
    "text": {"text": checks.text},
    "image": {"source": _picture},
    "document": {"source": SOURCES},
    "thinking": {"thinking": checks.text, "signature": checks.text},
    "redacted_thinking": {"data": checks.text},
    "tool_use": {"id": checks.full_text, "name": checks.full_text, "input": checks.mapping},
    "tool_result": {"tool_use_id": checks.full_text},
    "server_tool_use": {"id": checks.full_text, "name": checks.full_text, "input": checks.mapping},
}
"""The fields that a kind of block must have, where they are looked into."""
