"""What a model said in a reply, as the readers of each provider give it. Where in a run that stands is not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from squall.checks.story.shapes import Schema, Use

Offers = Mapping[str, Schema | None]


class Said(NamedTuple):
    """A reply's body. `finish` is neutral, None where the body does not say; `id` is the response's own."""

    text: str = ""
    uses: tuple[Use, ...] = ()
    finish: str | None = None
    hosted: tuple[str, ...] = ()
    id: str | None = None


NOTHING = Said()


def forced(choice: Any) -> str:
    """A request's `tool_choice` in neutral words: `auto`, `none`, `required`, or a tool's name."""
    if isinstance(choice, str):
        return {"any": "required"}.get(choice, choice)
    if not isinstance(choice, dict):
        return "auto"
    kind = choice.get("type")
    inner = choice.get("function") or choice.get("custom")
    name = inner.get("name") if isinstance(inner, dict) else choice.get("name")
    if isinstance(name, str):
        return name
    return {"any": "required", "none": "none", "required": "required"}.get(str(kind), "auto")
