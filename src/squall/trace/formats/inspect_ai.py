"""Inspect's logs: the samples of a `.json` log, or those in a `.eval` file, which is a zip. Each sample is a run.

https://inspect.aisi.org.uk/eval-logs.html
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from squall.errors import Position, Problem, UsageError
from squall.trace.formats.records import Record
from squall.trace.formats.shapes import made, turns, wired
from squall.trace.formats.steps import Imported
from squall.trace.formats.values import listed, mapped, text_or_none

NAME = "inspect"
LOOKS_FOR = "samples of Inspect (`epoch`, `messages`; also a .eval file)"
SAMPLES = "samples/"
ATTACHED = "attachment://"
LARGEST = 1 << 30


def looks(value: Any) -> bool:
    """Whether a record is a sample."""
    raw = mapped(value)
    return isinstance(raw.get("messages"), list) and "epoch" in raw and "target" in raw


def key(_record: Record) -> str | None:
    """A sample is a run by itself."""
    return None


def read(values: list[Any]) -> list[Imported]:
    """The runs of samples."""
    return [_sample(mapped(value)) for value in values]


def is_zip(path: Path) -> bool:
    """Whether a file is a zip."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def zipped(path: Path) -> Iterator[Any]:
    """The samples in a `.eval` file, one in memory at a time."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [each for each in archive.infolist() if each.filename.startswith(SAMPLES)]
            for each in names:
                if each.file_size > LARGEST:
                    raise UsageError(Problem(f"{each.filename} is longer than {LARGEST} bytes", Position(str(path))))
                yield json.loads(archive.read(each))
    except (zipfile.BadZipFile, ValueError, RecursionError, NotImplementedError, RuntimeError, EOFError) as error:
        raise UsageError(Problem(f"this is a zip, but no log of Inspect: {error}", Position(str(path)))) from None


def _sample(raw: dict[str, Any]) -> Imported:
    attached = mapped(raw.get("attachments"))
    messages = [_message(each, attached) for each in listed(raw.get("messages"))]
    error = raw.get("error")
    return Imported(
        format=NAME,
        id=f"{raw.get('id')}#{raw.get('epoch')}",
        steps=turns(messages),
        error=text_or_none(error) or text_or_none(mapped(error).get("message")),
    )


def _message(raw: dict[str, Any], attached: dict[str, Any]) -> dict[str, Any]:
    role = raw.get("role")
    message: dict[str, Any] = {
        "role": role if isinstance(role, str) else "user",
        "content": _whole(raw.get("content"), attached),
    }
    calls = [
        made(each.get("function"), each.get("arguments"), each.get("id")) for each in listed(raw.get("tool_calls"))
    ]
    if calls:
        message["tool_calls"] = [wired(call) for call in calls]
    if role == "tool":
        message["tool_call_id"] = raw.get("tool_call_id")
        if isinstance(raw.get("function"), str):
            message["name"] = raw["function"]
        if raw.get("error"):
            message["is_error"] = True
            message["content"] = message["content"] or mapped(raw["error"]).get("message")
    if isinstance(raw.get("model"), str):
        message["model"] = raw["model"]
    return message


def _whole(content: Any, attached: dict[str, Any]) -> Any:
    """A content with what is attached to the sample put into its place."""
    if isinstance(content, str) and content.startswith(ATTACHED):
        return attached.get(content.removeprefix(ATTACHED), content)
    if isinstance(content, list):
        return [
            {**part, "text": _whole(part.get("text"), attached)} if isinstance(part, dict) and "text" in part else part
            for part in content
        ]
    return content
