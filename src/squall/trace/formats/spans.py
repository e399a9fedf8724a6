"""Spans of OpenTelemetry, in each form in which they are put into files, as one.

OTLP/JSON (fields in camel or snake case), `ReadableSpan.to_json()` of the Python SDK, rows of Logfire and of Phoenix.
Log records that belong to a span are its events. Knows no convention for what attributes mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from squall.trace.formats.values import listed, mapped, nanoseconds, parsed, text_or_none, unpacked

ERRORS = (2, "2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR")
COLUMNS = "attributes."
VALUES = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value", "bytesValue")
INTEGERS = ("intValue", "int_value")


class Happening(msgspec.Struct, frozen=True):
    """An event of a span, or a log record. `data` has its attributes, and the members of its body."""

    name: str
    data: dict[str, Any]
    at: int | None = None


class Span(msgspec.Struct, kw_only=True):
    """`failed`: its status says so. `parent` is empty for a root."""

    trace: str
    id: str
    parent: str
    name: str
    began: int | None
    ended: int | None
    attributes: dict[str, Any]
    events: list[Happening]
    failed: bool
    message: str | None

    @property
    def error(self) -> str | None:
        """Why it failed, in the words of the exception, the status or the type; None where it did not."""
        kind = text_or_none(self.attributes.get("error.type"))
        if not self.failed and kind is None:
            return None
        for event in reversed(self.events):
            if event.name == "exception":
                told = (event.data.get("exception.type"), event.data.get("exception.message"))
                words = [each for each in told if isinstance(each, str) and each]
                if words:
                    return ": ".join(words)
        return ": ".join(each for each in (kind, self.message) if each) or "error"


def field(raw: Mapping[str, Any], *names: str) -> Any:
    """The first of the names that is there."""
    return next((raw[name] for name in names if raw.get(name) is not None), None)


def trace_id(raw: Mapping[str, Any]) -> str | None:
    """The trace that a span, or a log record, belongs to."""
    found = field(raw, "traceId", "trace_id", "context.trace_id", "traceID")
    return text_or_none(found or mapped(raw.get("context")).get("trace_id"))


def span_id(raw: Mapping[str, Any]) -> str | None:
    """Its own id; of a log record that of its span."""
    found = field(raw, "spanId", "span_id", "context.span_id")
    return text_or_none(found or mapped(raw.get("context")).get("span_id"))


def parent_id(raw: Mapping[str, Any]) -> str:
    """The span around it; empty for a root."""
    found = field(raw, "parentSpanId", "parent_span_id", "parent_id")
    return found if isinstance(found, str) else ""


def is_log(raw: Mapping[str, Any]) -> bool:
    """Whether a record is a log record rather than a span."""
    return any(name in raw for name in ("body", "eventName", "event_name", "observedTimeUnixNano", "severityNumber"))


def attributes(given: Any) -> dict[str, Any]:
    """Attributes as a mapping, from a list of keys and values, JSON text, or a mapping."""
    given = unpacked(given)
    if isinstance(given, list):
        return {str(each["key"]): any_value(each.get("value")) for each in listed(given) if "key" in each}
    return dict(mapped(given))


def any_value(given: Any) -> Any:
    """What OTLP's AnyValue holds."""
    if not isinstance(given, dict):
        return given
    for name in VALUES:
        if name in given:
            return given[name]
    for name in INTEGERS:
        if name in given:
            value = given[name]
            return parsed(value, value) if isinstance(value, str) else value
    for name in ("arrayValue", "array_value"):
        if name in given:
            values = mapped(given[name]).get("values")
            return [any_value(each) for each in values] if isinstance(values, list) else []
    for name in ("kvlistValue", "kvlist_value"):
        if name in given:
            return attributes(mapped(given[name]).get("values") or [])
    return given or None


def span_of(raw: dict[str, Any]) -> Span:
    """A span, from any of the forms."""
    about = attributes(raw.get("attributes"))
    about.update({key[len(COLUMNS) :]: value for key, value in raw.items() if key.startswith(COLUMNS)})
    status = mapped(raw.get("status"))
    code = field(status, "code", "status_code") or field(raw, "status_code", "otel_status_code")
    events = field(raw, "events", "otel_events")
    return Span(
        trace=trace_id(raw) or "",
        id=span_id(raw) or "",
        parent=parent_id(raw),
        name=str(field(raw, "name", "span_name") or ""),
        began=nanoseconds(field(raw, "startTimeUnixNano", "start_time_unix_nano", "start_time", "start_timestamp")),
        ended=nanoseconds(field(raw, "endTimeUnixNano", "end_time_unix_nano", "end_time", "end_timestamp")),
        attributes=about,
        events=[_event(each) for each in listed(unpacked(events))],
        failed=code in ERRORS or raw.get("is_exception") is True,
        message=text_or_none(
            field(status, "message", "description") or field(raw, "status_message", "otel_status_message")
        ),
    )


def _event(raw: dict[str, Any]) -> Happening:
    name = field(raw, "name", "event_name") or ""
    at = nanoseconds(field(raw, "timeUnixNano", "time_unix_nano", "timestamp", "event_timestamp"))
    return Happening(str(name), attributes(field(raw, "attributes", "event_attributes")), at)


def log_of(raw: dict[str, Any]) -> Happening:
    """A log record as an event of its span."""
    data = attributes(raw.get("attributes"))
    body = raw.get("body")
    inner = unpacked(any_value(body))
    data.update(mapped(inner))
    name = field(raw, "eventName", "event_name") or data.get("event.name") or data.get("name") or ""
    return Happening(str(name), data, nanoseconds(field(raw, "timeUnixNano", "time_unix_nano", "timestamp")))
