"""Inspect's logs: `.json`, and `.eval`, which is a zip."""

from __future__ import annotations

import json
import zipfile

import pytest

from squall.errors import UsageError
from squall.trace.formats import load

SAMPLE = {
    "id": 7,
    "epoch": 2,
    "target": "x",
    "attachments": {"h": "Refund order 7"},
    "messages": [
        {"role": "user", "content": "attachment://h"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}],
            "model": "m",
        },
        {
            "role": "tool",
            "content": "",
            "tool_call_id": "c1",
            "function": "bash",
            "error": {"type": "timeout", "message": "too slow"},
        },
    ],
}


@pytest.fixture(params=["json", "eval"])
def log(request, tmp_path, write):
    if request.param == "json":
        return write({"version": 2, "eval": {"task": "t"}, "samples": [SAMPLE]}, lines=False)
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/7_epoch_2.json", json.dumps(SAMPLE))
    return path


def test_each_sample_is_a_run(log, look):
    (trace,) = load(log)
    assert trace.entries()[0].envelope.run == "7#2"
    (asked,), (reply,) = look.asked(trace), look.replies(trace)
    assert asked.messages == [{"role": "user", "content": "Refund order 7"}]
    assert reply.calls == [{"id": "c1", "name": "bash", "arguments": '{"cmd":"ls"}'}]
    assert [(each.tool, told.error) for each, told in zip(look.used(trace), look.results(trace), strict=True)] == [
        ("bash", "too slow")
    ]


@pytest.mark.parametrize("content", [None, "not json"])
def test_a_zip_that_is_no_log_is_told(tmp_path, content):
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1.json" if content else "readme", content or "")
    with pytest.raises(UsageError, match=r"x\.eval: (this is a zip, but no log of Inspect|there is no run in it)"):
        load(path)


def test_the_samples(shared, look):
    (trace,) = load(shared / "formats" / "inspect_log_read_sample.eval")
    assert [each.text for each in look.replies(trace)] == ["Yes\n"]
    assert len(load(shared / "formats" / "inspect_tool_call_error.json")) == 1
