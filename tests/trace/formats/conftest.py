"""Files as exporters write them, and what a test looks for in the traces that are read from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squall.trace.formats import load
from squall.trace.kinds import ModelCall, ModelReply, ToolCall, ToolResult

SECOND = 1_000_000_000
BEGAN = 1_750_000_000 * SECOND


@pytest.fixture
def write(tmp_path):
    """Writes a file: text as it is, a list of lines as JSON Lines, all else as JSON."""

    def make(content, name="runs.json", *, lines=False):
        path = tmp_path / name
        if lines:
            content = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in content)
        elif not isinstance(content, str):
            content = json.dumps(content, ensure_ascii=False)
        path.write_text(content, encoding="utf-8")
        return path

    return make


@pytest.fixture
def read(write):
    """The only run in a file."""

    def make(content, fmt="auto", *, lines=False):
        (trace,) = load(write(content, lines=lines), fmt)
        return trace

    return make


@pytest.fixture
def shared():
    """Samples and corpora for measuring, which are not part of the project."""
    folder = Path(__file__).parents[4] / "shared"
    if not (folder / "formats").is_dir():
        pytest.skip("the samples for measuring are not here")
    return folder


class Look:
    """What stands in a trace."""

    @staticmethod
    def events(trace):
        return [entry.event for entry in trace]

    def kinds(self, trace):
        """The kinds of its events between the marks of its beginning and its end."""
        return [type(event).__struct_config__.tag for event in self.events(trace)][2:-1]

    def of(self, trace, kind):
        return [event for event in self.events(trace) if isinstance(event, kind)]

    def asked(self, trace):
        return self.of(trace, ModelCall)

    def replies(self, trace):
        return self.of(trace, ModelReply)

    def used(self, trace):
        return self.of(trace, ToolCall)

    def results(self, trace):
        return self.of(trace, ToolResult)


@pytest.fixture
def look():
    return Look()


@pytest.fixture
def span():
    return make_span


@pytest.fixture
def otlp():
    return make_otlp


def value(given):
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(each) for each in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": attributes(given)}}
    return {"stringValue": given}


def attributes(given):
    return [{"key": key, "value": value(each)} for key, each in given.items()]


def make_span(number, about, *, parent=None, trace="a" * 32, at=None, name="span", events=(), error=None):
    """A span of OTLP/JSON that begins at second `at` (default: its number) and lasts half of one."""
    at = number if at is None else at
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        **({} if parent is None else {"parentSpanId": f"{parent:016x}"}),
        "name": name,
        "startTimeUnixNano": str(BEGAN + at * SECOND),
        "endTimeUnixNano": str(BEGAN + at * SECOND + SECOND // 2),
        "attributes": attributes(about),
        "events": [{"name": each, "attributes": attributes(data)} for each, data in events],
        "status": {"code": 2, "message": error} if error is not None else {"code": 1},
    }


def make_otlp(*spans):
    return {
        "resourceSpans": [
            {"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}
        ]
    }
