"""The formats that are known, in the order in which a file is held against them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from squall.trace.formats import (
    braintrust,
    chat,
    claude_code,
    inspect_ai,
    langfuse,
    langsmith,
    openai_agents,
    otlp,
)
from squall.trace.formats.records import Record
from squall.trace.formats.steps import Imported
from squall.trace.reader import Trace

Key = Callable[[Record], str | None]


class Format(NamedTuple):
    """`looks` says whether a record is of this format, `key` makes what says to which run it belongs.

    A key of None: the record is a run by itself. `read` makes runs of the records of one run, in the order of the file.
    `looks_for` is for people.
    """

    name: str
    looks_for: str
    looks: Callable[[Any], bool]
    key: Callable[[], Key]
    read: Callable[[list[Any]], list[Imported] | list[Trace]]


KINDS = (
    Format(langfuse.NAME, langfuse.LOOKS_FOR, langfuse.looks, lambda: langfuse.key, langfuse.read),
    Format(langsmith.NAME, langsmith.LOOKS_FOR, langsmith.looks, lambda: langsmith.key, langsmith.read),
    Format(braintrust.NAME, braintrust.LOOKS_FOR, braintrust.looks, lambda: braintrust.key, braintrust.read),
    Format(
        openai_agents.NAME, openai_agents.LOOKS_FOR, openai_agents.looks, lambda: openai_agents.key, openai_agents.read
    ),
    Format(claude_code.NAME, claude_code.LOOKS_FOR, claude_code.looks, lambda: claude_code.key, claude_code.read),
    Format(inspect_ai.NAME, inspect_ai.LOOKS_FOR, inspect_ai.looks, lambda: inspect_ai.key, inspect_ai.read),
    Format(otlp.NAME, otlp.LOOKS_FOR, otlp.looks, otlp.joining, otlp.read),
    Format(chat.NAME, chat.LOOKS_FOR, chat.looks, lambda: chat.key, chat.read),
)
ALIASES = {"openinference": otlp.NAME, "pydantic-ai": otlp.NAME, "logfire": otlp.NAME, "genai": otlp.NAME}
"""Conventions that spans follow; a file may mix them."""
