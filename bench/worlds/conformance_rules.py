"""The words that the official suite wants to hear from two of its tools."""

from __future__ import annotations

from typing import Any, NoReturn


def simple_text(world: Any, clock: Any) -> str:  # noqa: ARG001 - handlers are given world and clock
    """Say something."""
    return "This is a simple text response for testing."


def error(world: Any, clock: Any) -> NoReturn:  # noqa: ARG001 - as above
    """Refuse."""
    raise ValueError("This tool intentionally returns an error for testing")
