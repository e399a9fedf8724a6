"""The hooks as a whole: what they cost who needs none, and that they leave nothing behind."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import httpx2
import pytest

import squall
from squall.capture import current, hooks
from squall.capture.current import capturing
from squall.capture.patching import Patches
from squall.trace import Recorder

pytestmark = pytest.mark.usefixtures("alone")

SOURCE = Path(squall.__file__).parents[1]
HEAVY = {"msgspec", "pydantic", "openai", "anthropic", "litellm", "mcp", "httpx", "httpx2", "asyncio", "squall.trace"}

QUIET = """
import sys
from squall.capture import hooks
from squall.capture.current import capturing
hooks.install()
with capturing(lambda: None):
    pass
print(*sys.modules)
"""

LATER = """
from squall.capture import hooks
hooks.install()
import openai, httpx2
from squall.capture.current import capturing
from squall.trace import Recorder, Trace
answer = {"choices": [{"message": {"content": "Paid."}, "finish_reason": "stop"}]}
transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=answer))
client = openai.OpenAI(api_key="k", http_client=httpx2.Client(transport=transport))
recorder = Recorder("r#0", lambda: 0.0)
with capturing(recorder):
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Pay."}])
print(*(entry.event.__struct_config__.tag for entry in Trace(recorder.lines)))
"""


def told_by(script):
    """What a fresh interpreter prints."""
    ran = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


def test_who_imports_no_sdk_loads_nothing_for_it():
    assert not HEAVY & set(told_by(QUIET))


def test_an_sdk_that_is_imported_later_is_hooked_then():
    assert told_by(LATER) == ["model_call", "attempt", "attempt_end", "model_reply"]


def test_everything_is_put_back():
    places = [
        (threading.Thread, "start"),
        (ThreadPoolExecutor, "submit"),
        (httpx2.Client, "send"),
        (httpx2.AsyncClient, "send"),
    ]
    hooked = [getattr(owner, name) for owner, name in places]
    hooks.uninstall()
    bare = [getattr(owner, name) for owner, name in places]
    assert all(one is not other for one, other in zip(hooked, bare, strict=True))
    hooks.install()
    hooks.install()
    hooks.uninstall()
    assert [getattr(owner, name) for owner, name in places] == bare


def test_what_somebody_else_has_put_over_it_stays():
    class Owner:
        value = 1

    patches = Patches()
    patches.replace(Owner, "value", 2)
    Owner.value = 3
    patches.undo()
    assert Owner.value == 3


def test_an_sdk_that_has_changed_too_much_is_left_alone_and_told_of(monkeypatch):
    monkeypatch.setitem(sys.modules, "strange_sdk", ModuleType("strange_sdk"))
    patches = Patches()
    patches.with_module("strange_sdk", lambda _, module: module.SyncAPIClient)
    assert patches.failures == [
        "the hook on strange_sdk: AttributeError: module 'strange_sdk' has no attribute 'SyncAPIClient'"
    ]


def test_runs_are_incomplete_where_an_sdk_cannot_be_seen(monkeypatch):
    monkeypatch.setattr(current, "UNSEEN", ["the hook on strange_sdk: AttributeError"])
    recorder = Recorder("r#0", lambda: 0.0)
    with capturing(recorder) as capture:
        assert not capture.complete
    assert b'"kind":"capture_incomplete","why":"the hook on strange_sdk: AttributeError"' in recorder.lines[0]


def test_a_recorder_is_made_when_there_is_something_to_record():
    made = []

    def make():
        made.append(Recorder("r#0", lambda: 0.0))
        return made[0]

    with capturing(make) as capture:
        assert (made, capture.began) == ([], False)
        squall.record_model_call(messages=[], response="Paid.")
        assert capture.began
    assert len(made[0].lines) == 2


@pytest.mark.parametrize("name", ["Client", "AsyncClient"])
def test_a_hooked_method_keeps_its_name_and_words(name):
    assert getattr(httpx2, name).send.__name__ == "send"
    assert getattr(httpx2, name).send.__doc__
