"""Prints `faults.md`, the reference of faults: `faults.in.md`, with what the kinds say of themselves in its place.

`make docs` writes the page, and a test holds it to what this prints. Knows how a page is written, and no concrete kind.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from squall.call import EMBEDDINGS, LISTING, STREAMING
from squall.faults.kind import AT_EVERY_MODEL, Kind, Params
from squall.faults.kinds import step
from squall.faults.registry import shown

TEMPLATE = Path(__file__).with_name("faults.in.md")
HEAD = "<!-- Made by `make docs` from docs/faults.in.md and src/squall/faults/kinds/. Edit there. -->"
PLACE = "<!-- the kinds -->\n"
MODELS = "<!-- the kinds of models -->\n"
STEPS = "<!-- the kinds of steps -->\n"
PLACES = {"session": f"the target `{LISTING.name}` alone", "event": "events, each named as `service.event`"}
AT_STEPS = {
    "stream_disconnect": "the call of a step",
    "stale_memory": "what is remembered of a step",
    "repeated_call": "what asks for a step",
    "duplicate_task": "the whole task",
}
AT_MODELS = {AT_EVERY_MODEL: "all", STREAMING: "all but embeddings", (EMBEDDINGS,): "embeddings"}


def reference() -> str:
    """All of `faults.md`."""
    kinds, of_models = shown(), shown("model")
    common = Params.model_json_schema()["properties"]
    parts = [
        *_overview(kinds),
        "\nEvery kind that happens to calls takes these parameters besides its own:\n",
        *_parameters(common),
        *(line for name, kind in kinds.items() for line in _section(name, kind)),
    ]
    models = [
        *_overview_of_models(of_models),
        *(line for name, kind in of_models.items() for line in _section(name, kind)),
    ]
    steps = [*_overview_of_steps(), *(line for kind in step.TABLE for line in _section_of_step(kind))]
    _, _, text = TEMPLATE.read_text(encoding="utf-8").partition("\n")
    text = text.replace(PLACE, "\n".join(parts) + "\n").replace(MODELS, "\n".join(models) + "\n")
    text = text.replace(STEPS, "\n".join(steps) + "\n")
    return f"{HEAD}\n{text}"


def _overview(kinds: Mapping[str, Kind]) -> Iterator[str]:
    yield "| kind | default phase | reads | writes | what happens |"
    yield "|---|---|---|---|---|"
    for name, kind in kinds.items():
        if kind.wire in PLACES:
            yield f"| [`{name}`](#{name.lower()}) | – | – | – | {_first_sentence(kind.summary)} |"
            continue
        reads, writes = ("yes" if access in kind.access else "–" for access in ("read", "write"))
        yield f"| [`{name}`](#{name.lower()}) | {kind.phase} | {reads} | {writes} | {_first_sentence(kind.summary)} |"


def _overview_of_models(kinds: Mapping[str, Kind]) -> Iterator[str]:
    yield "| kind | slot | for | what happens |"
    yield "|---|---|---|---|"
    for name, kind in kinds.items():
        what = _first_sentence(kind.summary)
        yield f"| [`{name}`](#model-{name.lower()}) | {kind.slot} | {AT_MODELS[kind.targets]} | {what} |"


def _overview_of_steps() -> Iterator[str]:
    yield "| kind | at | what happens |"
    yield "|---|---|---|"
    for kind in step.TABLE:
        name = kind.name
        yield f"| [`{name}`](#step-{name}) | {AT_STEPS[name]} | {_first_sentence(kind.summary)} |"


def _section_of_step(kind: Kind) -> Iterator[str]:
    yield f"\n### step: {kind.name}\n"
    yield f"{kind.summary}\n"
    yield f"**At**: {AT_STEPS[kind.name]}.\n"
    yield f"**What the agent sees.** {kind.sees}\n"
    yield from _own_parameters(kind)
    yield f"```toml\n{kind.example}\n```"


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".") + "."


def _section(name: str, kind: Kind) -> Iterator[str]:
    yield f"\n### model: {name}\n" if kind.wire == "model" else f"\n### {name}\n"
    yield f"{kind.summary}\n"
    if kind.wire == "model":
        yield f"**Slot**: `{kind.slot}`. **For**: {', '.join(f'`{target}`' for target in kind.targets)}.\n"
    elif kind.wire in PLACES:
        yield f"**For**: {PLACES[kind.wire]}.\n"
    else:
        yield f"**Default phase**: `{kind.phase}`. **For**: {' and '.join(f'{access}s' for access in kind.access)}.\n"
    yield f"**What the agent sees.** {kind.sees}\n"
    yield from _own_parameters(kind)
    yield f"```yaml\n{kind.example}\n```"


def _own_parameters(kind: Kind) -> Iterator[str]:
    properties = kind.params.model_json_schema()["properties"]
    own = {field: properties[field] for field in kind.parameters if field not in Params.model_fields}
    if own:
        yield from _parameters(own)
        yield ""


def _parameters(properties: Mapping[str, Any]) -> Iterator[str]:
    yield "| parameter | type | default | meaning |"
    yield "|---|---|---|---|"
    for name, schema in properties.items():
        meaning = " ".join(schema["description"].split())
        yield f"| `{name}` | {_type(schema)} | {_default(schema)} | {meaning} |"


def _type(schema: Mapping[str, Any]) -> str:
    """A JSON Schema in words."""
    options = schema.get("anyOf", ())
    if any("pattern" in option for option in options):
        return "length of time"
    if options:
        return " or ".join(_type(option) for option in options if option.get("type") != "null")
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    kinds = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    words = kinds.get(schema.get("type", ""), "any value")
    low, high, below = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMaximum")
    words += f" from {low:g}" if low is not None else ""
    words += f" to {high:g}" if high is not None else ""
    return words + (f", below {below:g}" if below is not None else "")


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    if default is None:
        return "–"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default:g}s`" if _type(schema) == "length of time" else f"`{default}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
