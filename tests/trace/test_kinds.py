from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from squall.trace import kinds
from squall.trace.line import decode, rest, seal, tail

KINDS = get_args(kinds.AnyEvent)
FILES = {path.stem for path in Path(kinds.__file__).parent.glob("*.py")} - {"__init__", "base"}
LEAST: dict[str, dict[str, Any]] = {
    "run_start": {"squall": "0.1.0", "seed": 0, "run_index": 0, "clock": "virtual", "start": "2025-06-01T00:00:00Z"},
    "model_call": {"call": 1, "target": "model.chat", "model": "m", "messages": []},
    "attempt": {"call": 1, "attempt": 1, "number": 1, "target": "model.chat", "digest": "0", "nth": 1},
    "attempt_end": {"call": 1, "attempt": 1},
    "model_reply": {"call": 1, "attempt": 1, "ok": True},
    "tool_call": {"call": 1, "tool": "t", "target": "s.t", "access": "read", "args": {}, "digest": "0", "nth": 1},
    "tool_result": {"call": 1, "ok": True, "form": "value"},
    "fault": {"call": 1, "rule": 0, "fault": "hang", "target": "s.t", "phase": "after", "fired": True},
    "effect": {"rev": 1, "table": "s.r", "op": "insert", "id": "1"},
    "delivery": {"event": "e", "id": "evt_1", "target": "s.e", "emitted": 0.0},
    "abandoned": {"call": 1, "told": True, "operation": "done"},
    "landed": {"call": 1, "form": "value"},
    "capture_incomplete": {"why": "w"},
    "mark": {"name": "m"},
    "agent_final": {},
    "run_end": {"status": "passed", "count": 1},
}


def tag(kind):
    return kind.__struct_config__.tag


@pytest.mark.parametrize("kind", KINDS, ids=tag)
def test_each_kind_has_a_file_of_its_own_named_like_it(kind):
    assert kind.__module__ == f"squall.trace.kinds.{tag(kind)}"
    assert tag(kind) in (import_module(kind.__module__).__doc__ or "")


def test_each_file_holds_a_kind_that_a_trace_can_hold():
    assert {tag(kind) for kind in KINDS} == FILES == set(LEAST)
    assert set(kinds.__all__) == {kind.__name__ for kind in KINDS} | {"AnyEvent", "Event"}


@pytest.mark.parametrize("kind", KINDS, ids=tag)
def test_each_kind_comes_back_from_its_line(kind):
    event = kind(**LEAST[tag(kind)])
    line, _ = seal(rest(b"0" * 64, b'"r#0"', 1, tail(0.0, event)))
    assert b'"kind":"%b"' % tag(kind).encode() in line
    assert decode(line)[1] == event
    assert type(decode(line)[1]) is kind


@pytest.mark.parametrize("kind", KINDS, ids=tag)
def test_an_event_is_frozen_and_named_field_by_field(kind):
    event = kind(**LEAST[tag(kind)])
    with pytest.raises(AttributeError, match="immutable"):
        setattr(event, event.__struct_fields__[0], None)
    with pytest.raises(TypeError, match="positional"):
        kind("anything")


@pytest.mark.parametrize(("name", "field"), [(name, field) for name, fields in LEAST.items() for field in fields])
def test_what_a_kind_cannot_do_without_is_asked_for(name, field):
    (kind,) = (kind for kind in KINDS if tag(kind) == name)
    left = {key: value for key, value in LEAST[name].items() if key != field}
    with pytest.raises(TypeError, match=f"'{field}'"):
        kind(**left)


def test_an_event_of_a_wrong_shape_does_not_decode():
    with pytest.raises(msgspec.ValidationError, match=r"Expected `int`, got `str` - at `\$\.call`"):
        msgspec.json.decode(b'{"kind":"tool_result","call":"1","ok":true,"form":"value"}', type=kinds.AnyEvent)
