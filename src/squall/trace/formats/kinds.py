"""The formats that are known, in the order in which a file is held against them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from squall.trace.formats import chat
from squall.trace.formats.records import Record
from squall.trace.formats.steps import Imported


class Format(NamedTuple):
    """`looks` says whether a record is of this format, `key` to which run it belongs (None: it is one by itself).

    `read` makes runs of the records of one run, in the order of the file. `looks_for` is for people.
    """

    name: str
    looks_for: str
    looks: Callable[[Any], bool]
    key: Callable[[], Callable[[Record], str | None]]
    read: Callable[[list[Any]], list[Imported]]


KINDS = (
    Format(chat.NAME, chat.LOOKS_FOR, chat.looks, lambda: chat.key, chat.read),
)
