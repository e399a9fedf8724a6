from __future__ import annotations

from typing import Any

import pytest

from squall.checks.check import Check, Noop
from squall.checks.registry import gathered, named, names
from squall.errors import UsageError


class Point:
    group = "squall.checks"

    def __init__(self, name, made, value="pack:THING"):
        self.name, self.value, self._made = name, value, made

    def load(self):
        if isinstance(self._made, Exception):
            raise self._made
        return self._made


class Mine(Noop):
    name = "mine"


def test_plug_ins_come_after_our_own(run):
    points: list[Any] = [Point("b", Mine()), Point("c", type("Other", (Noop,), {"name": "other"}))]
    found = gathered([Noop()], points)
    assert names(found) == ["noop", "mine", "other"]
    assert all(isinstance(check, Check) for check in found)


def test_everything_that_is_wrong_with_plug_ins_is_told_at_once():
    points: list[Any] = [
        Point("a", Mine()),
        Point("b", Mine(), "other:THING"),
        Point("c", object()),
        Point("d", ImportError("no module 'x'")),
        Point("e", type("Noop2", (Noop,), {"default": "loud", "name": "Big Name"})()),
        Point("f", type("Alias", (Noop,), {"name": "repeated_call"})()),
    ]
    with pytest.raises(UsageError) as caught:
        gathered([Noop()], points)
    texts = [str(problem) for problem in caught.value.problems]
    assert len(texts) == 5
    taken = (
        "'b' = 'other:THING' of squall.checks is a check named 'mine', a name that the entry point 'a' = 'pack:THING'"
    )
    assert taken in texts[0]
    assert "its name is None" in texts[1]
    assert "it has no method run" in texts[1]
    assert "cannot be loaded: ImportError: no module 'x'" in texts[2]
    assert "its name is 'Big Name'" in texts[3]
    assert "its default is 'loud'" in texts[3]
    assert "'repeated_call', a name that squall itself has taken" in texts[4]


def test_checks_go_by_their_names_and_aliases():
    assert named(["repeated_call", "no_answer"]) == ("repeated_tool_call", "no_answer")
    with pytest.raises(UsageError) as caught:
        named(["no_anser", "wat"], "--squall-checks")
    assert "--squall-checks: there is no check 'no_anser'; did you mean 'no_answer'?" in str(caught.value)
    assert len(caught.value.problems) == 2
