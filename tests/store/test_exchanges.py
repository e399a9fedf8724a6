"""The record of a provider: one JSON line for each finished request."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass, field
from typing import Any

import pytest

from squall.call import ModelRequest
from squall.errors import UsageError
from squall.store import ExchangeRecord

ASKED = ModelRequest("chat", "m", headers={"user-agent": "x"}, body={"model": "m", "é": "🐈"}, scope="run17")


@dataclass
class Fault:
    name: str

    def told(self) -> dict[str, Any]:
        return {"fault": self.name, "rule": 0, "seconds": 1.5}


@dataclass
class Exchange:
    request: ModelRequest = ASKED
    happened: list[Fault] = field(default_factory=list)
    number: int = 4
    call: int = 2
    attempt: int = 3
    status: int | None = 200
    response: Any = None
    complete: bool = True
    injected: bool = False
    disconnected: bool = False
    began: float = 1.0000001
    ended: float = 1.25


@pytest.fixture
def path(tmp_path):
    return tmp_path / "record.jsonl"


@pytest.fixture
def record(path):
    record = ExchangeRecord(path)
    yield record
    record.close()


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_finished_request_is_a_line_at_once(record, path):
    record.finished(Exchange(happened=[Fault("latency")], response={"id": "x"}))
    assert lines(path) == [
        {
            "t": 1.0,
            "endpoint": "chat",
            "model": "m",
            "request": {"model": "m", "é": "🐈"},
            "headers": {"user-agent": "x"},
            "scope": "run17",
            "attempt": 4,
            "call": 2,
            "try": 3,
            "status": 200,
            "faults": [{"fault": "latency", "rule": 0, "seconds": 1.5}],
            "response": {"id": "x"},
            "response_complete": True,
            "injected_disconnect": False,
            "disconnected": False,
            "latency_ms": 250.0,
        }
    ]


def test_who_broke_off_is_told_apart(record, path):
    record.finished(Exchange(status=None, complete=False, injected=True))
    record.finished(Exchange(status=200, complete=False, disconnected=True))
    told = [
        (each["status"], each["response_complete"], each["injected_disconnect"], each["disconnected"])
        for each in lines(path)
    ]
    assert told == [(None, False, True, False), (200, False, False, True)]


def test_a_refused_request_is_a_line_without_an_attempt(record, path):
    asked = {"model": "m", "max_tokens": -1}
    record.refused(2.5, "/v1/messages", asked, {"user-agent": "x"}, 400, {"type": "error"})
    (line,) = lines(path)
    assert list(line) == list(json.loads(_finished(path)))
    assert [line[name] for name in ("t", "endpoint", "status", "response")] == [
        2.5,
        "/v1/messages",
        400,
        {"type": "error"},
    ]
    assert (line["model"], line["request"], line["headers"]) == ("m", asked, {"user-agent": "x"})
    assert [line[name] for name in ("scope", "attempt", "call", "try")] == [None] * 4
    assert line["faults"] == []


@dataclass
class Aside:
    path: str = "/v1/models"
    asked: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    scope: str | None = None
    status: int = 200
    response: Any = None
    complete: bool = True
    disconnected: bool = False
    began: float = 2.0
    ended: float = 2.5


def test_a_request_that_asks_no_model_anything_is_a_line_without_an_attempt(record, path):
    record.unasked(Aside(response={"data": []}))
    record.unasked(
        Aside("/v1/messages/count_tokens", {"model": "m"}, {"a": "b"}, "s", complete=False, disconnected=True)
    )
    first, second = lines(path)
    assert list(first) == list(json.loads(_finished(path)))
    assert [
        first[name] for name in ("t", "endpoint", "model", "request", "scope", "status", "response", "latency_ms")
    ] == [
        2.0,
        "/v1/models",
        None,
        None,
        None,
        200,
        {"data": []},
        500.0,
    ]
    for line in (first, second):
        assert [line[name] for name in ("attempt", "call", "try", "faults", "injected_disconnect")] == [None] * 3 + [
            [],
            False,
        ]
    assert (second["model"], second["request"], second["headers"], second["scope"]) == (
        "m",
        {"model": "m"},
        {"a": "b"},
        "s",
    )
    assert (first["response_complete"], first["disconnected"]) == (True, False)
    assert (second["response_complete"], second["disconnected"]) == (False, True)


@pytest.mark.parametrize("asked", [None, {}, {"model": 5}, {"model": None}])
def test_one_that_named_no_model_is_of_none(record, path, asked):
    record.refused(0.0, "/v1/responses", asked, {}, 400, {})
    (line,) = lines(path)
    assert (line["model"], line["request"]) == (None, asked)


def _finished(path):
    other = ExchangeRecord(path.with_name("other.jsonl"))
    other.finished(Exchange())
    other.close()
    return path.with_name("other.jsonl").read_text()


def test_the_file_is_its_owners_alone_even_if_it_was_there_already(path):
    path.write_text('{"earlier":1}\n', encoding="utf-8")
    path.chmod(0o644)
    record = ExchangeRecord(path)
    record.finished(Exchange())
    record.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [next(iter(line)) for line in lines(path)] == ["earlier", "t"]


def test_a_new_file_is_its_owners_alone(record, path):
    record.finished(Exchange())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_comes_after_the_end_is_not_written(record, path):
    record.close()
    record.finished(Exchange())
    record.refused(0.0, "/", None, {}, 404, {})
    assert lines(path) == []


@pytest.mark.parametrize("name", ["nowhere/record.jsonl", "."])
def test_a_file_that_cannot_be_written_is_told(tmp_path, name):
    with pytest.raises(UsageError, match=r"cannot write the record to .*\n.*Name a file in a folder that is there"):
        ExchangeRecord(tmp_path / name)
