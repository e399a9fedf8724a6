"""The shape of a scenarios file, as people write it (`squall schema scenarios`). Structure only: means nothing here.

    sentinels = ["4111 1111", "Jane Roe"]    # what mock-daily-empty-rag-chat refuses, in place of its own two

    [models.weak]                            # the model that is asked for as "weak"
    status = 503
    recover_after = 2                        # only the first two requests of each scope; not given: all of them
    say = "I am back."                       # not given: what models without a name of their own say

    [models.slow]
    delay_seconds = 1.5                      # before the first byte
    chunk_delay_seconds = 0.2                # before each chunk of a stream but the first
    stall_after_chunks = 3                   # or disconnect_after_chunks; the chunk with the role alone counts
    stall_seconds = 10

    [models.vectors]
    kind = "embedding"
    embedding_fault = "dimension"            # or "count"

    [models.odd]
    script = "odd.toml"                      # turns, rules or a handler, beside this file
    faults = [{ kind = "http_429", nth = 3, retry_after = "2s" }]    # rules of a plan, without a target

Delays are numbers of seconds, 0 to 60.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from squall.call import MODEL_TARGETS
from squall.documents import Invalid
from squall.errors import shown

LONGEST_DELAY = 60.0
OF_STREAMS = ("chunk_delay_seconds", "disconnect_after_chunks", "stall_after_chunks", "stall_seconds")
WEATHER = ("status", "delay_seconds", *OF_STREAMS[:3], "embedding_fault")
"""What goes wrong, and ends with `recover_after`."""
Text = Annotated[str, Field(min_length=1)]
Delay = Annotated[float, Field(ge=0, le=LONGEST_DELAY, strict=True)]
Chunks = Annotated[int, Field(ge=0, strict=True)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class ScenarioSpec(_Written):
    """How one model behaves."""

    kind: Literal["chat", "embedding"] = "chat"
    """Whether it chats, over any of the endpoints for that, or makes embeddings."""
    say: str | None = None
    """What it says; not given: what models without a name of their own say."""
    script: Text | None = None
    """A script file, as seen from this one, in place of `say`."""
    status: Annotated[int, Field(ge=400, le=599, strict=True)] | None = None
    """The error status that it answers with."""
    delay_seconds: Delay | None = None
    """Seconds before the first byte."""
    chunk_delay_seconds: Delay | None = None
    """Seconds before each chunk of a stream but the first."""
    disconnect_after_chunks: Chunks | None = None
    """After how many chunks a stream's connection is closed, within its body; the one with the role alone counts."""
    stall_after_chunks: Chunks | None = None
    """After how many chunks a stream falls silent, counted alike."""
    stall_seconds: Delay | None = None
    """For how many seconds it does; then the stream goes on."""
    embedding_fault: Literal["count", "dimension"] | None = None
    """`count`: the last input has no vector. `dimension`: vectors are one number shorter (of one number: longer)."""
    recover_after: Annotated[int, Field(ge=1, le=100, strict=True)] | None = None
    """After how many requests of a scope all this ends (faults in streams: how many streams); not given: never."""
    faults: list[dict[str, Any]] = []
    """Rules as in a fault plan, without a target."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) not in (None, [])]
        if self.kind == "embedding":
            _refuse(given, ("say", "script", *OF_STREAMS), 'is not for kind = "embedding"')
        else:
            _refuse(given, ("embedding_fault",), 'is for kind = "embedding" alone')
        if self.status is not None:
            _refuse(given, (*OF_STREAMS, "embedding_fault"), "never comes about beside a status")
        if self.disconnect_after_chunks is not None:
            _refuse(given, OF_STREAMS[2:], "cannot stand beside disconnect_after_chunks")
        if self.script is not None:
            _refuse(given, ("say",), "cannot stand beside script")
        for name, other in (OF_STREAMS[2:], OF_STREAMS[:1:-1]):
            if name in given and other not in given:
                raise Invalid(f"{name!r} stands here without {other!r}", loc=(name,), key=True, hint=f"Add {other}.")
        if self.recover_after is not None and not set(WEATHER) & set(given):
            message = "'recover_after' stands here, and nothing that it could end"
            hint = f"Add one of {', '.join(WEATHER)}; rules under faults say 'first' themselves."
            raise Invalid(message, loc=("recover_after",), key=True, hint=hint)
        return self


class ScenariosSpec(_Written):
    """A scenarios file."""

    models: dict[Text, ScenarioSpec] = {}
    """How single models behave, by name."""
    sentinels: list[Text] = []
    """Texts that `mock-daily-empty-rag-chat` refuses anywhere in the messages, in place of its own two."""

    @field_validator("models")
    @classmethod
    def _are_models(cls, models: dict[str, ScenarioSpec]) -> dict[str, ScenarioSpec]:
        targets = {target.name for target in MODEL_TARGETS.values()}
        for name in models:
            if name in targets or name == "default" or name.endswith(".*"):
                raise Invalid(f"{shown(name)} is a target of faults, and no model's name", loc=(name,), key=True)
        return models


def _refuse(given: list[str], names: tuple[str, ...], why: str) -> None:
    for name in names:
        if name in given:
            raise Invalid(f"{name!r} {why}", loc=(name,), key=True, hint="Take it out.")
