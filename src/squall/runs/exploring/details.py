"""What is kept of a run that failed under exploration: its events, its line, and digests of what took part."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from squall.canonical import digest, plain
from squall.decide import Point
from squall.trace import Trace
from squall.trace.line import decode

if TYPE_CHECKING:
    from squall.runs.environment import Environment
    from squall.runs.exploring.weather import Weather

FROM = b'"t":'
EVENT = 8  # hexadecimal digits
TEXT = 80  # characters of an event in words
TELLING = ("target", "tool", "fault", "table", "status", "form")  # fields that say what an event is about


class Details(NamedTuple):
    """Of one run. `arrivals` say as which call of its target each fault struck, and `met` at which point.

    `leniently` are the faults that struck at another point than their own.
    """

    lines: tuple[bytes, ...] = ()
    line: str = ""
    head: str = ""
    seed: int = 0
    run_index: int = 0
    digests: Mapping[str, str] = {}
    arrivals: Mapping[Point, int] = {}
    met: Mapping[Point, Point] = {}
    leniently: tuple[Point, ...] = ()

    @property
    def events(self) -> tuple[str, ...]:
        """Each event in a few words, with a digest of its bytes from the time on."""
        return tuple(map(event_in_words, self.lines))


def details_of(run: Environment, weather: Weather) -> Details:
    """What is kept of a finished run."""
    matches = [match for decider in weather.deciders for match in decider.matched.values()]
    return Details(
        lines=tuple(run.trace.lines),
        line=run.trace.line(),
        head="" if run.recorder is None else run.recorder.head,
        seed=run.seed,
        run_index=run.run_index,
        digests=_digests(run),
        arrivals={match.planned: match.arrival for match in matches},
        met={match.planned: match.met for match in matches},
        leniently=tuple(match.planned for match in matches if match.by != "point"),
    )


def event_in_words(line: bytes) -> str:
    """`tool_call payments.issue_refund 1f0c9a2b`."""
    _, event = decode(line)
    fields = event.__struct_fields__
    named = [
        str(getattr(event, name)) for name in ("target", "tool", "fault", "table", "status", "form") if name in fields
    ]
    what = " ".join(dict.fromkeys((event.__struct_config__.tag or "", *named)))  # type: ignore[arg-type]  # a text here
    return f"{what[:TEXT]} {hashlib.sha256(line[line.index(FROM) :]).hexdigest()[:EVENT]}"


def trace_of(details: Details) -> Trace:
    """The trace of the run."""
    return Trace(details.lines)


def source_digest(name: str, function: Callable[..., Any]) -> dict[str, str]:
    """A digest of a function's own source, by `name`, so that a replay can say that it has changed; nothing without."""
    try:
        source = inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError):
        return {}
    return {name: hashlib.sha256(source.encode()).hexdigest()}


def _digests(run: Environment) -> dict[str, str]:
    found: dict[str, str] = {}
    world = run.world if run.has_world else None
    if world is not None:
        found["world"] = world.digest
        schemas = {name: [plain(op.input_schema), op.description] for name, op in world.operations.items()}
        found["tools"] = digest(schemas)
    if (script := run.script_digest) is not None:
        found["script"] = script
    return found
