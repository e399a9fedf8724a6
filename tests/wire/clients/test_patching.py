from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from squall.wire.clients.patching import Patches


class Owner:
    inherited: Any = "base"


class Heir(Owner):
    own: Any = "mine"


def test_attributes_are_replaced_and_put_back_as_they_were():
    patches = Patches()
    patches.replace(Heir, "own", 1)
    patches.replace(Heir, "own", 2)
    patches.replace(Heir, "inherited", 3)
    assert (Heir.own, Heir.inherited, Owner.inherited) == (2, 3, "base")
    patches.undo()
    assert (Heir.own, Heir.inherited) == ("mine", "base")
    assert "inherited" not in vars(Heir)


def test_one_that_cannot_be_put_back_does_not_keep_the_others():
    class Gone:
        pass

    patches = Patches()
    patches.replace(Heir, "own", 1)
    patches.replace(Gone, "new", 1)
    patches.replace(Heir, "inherited", 1)
    delattr(Gone, "new")
    with pytest.raises(AttributeError):
        patches.undo()
    assert (Heir.own, Heir.inherited) == ("mine", "base")


def test_a_module_is_patched_when_it_comes_unless_it_comes_too_late(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("patched_early", "patched_late"):
        (tmp_path / f"{name}.py").write_text("value = 'original'")
    patches = Patches()

    def patch(module: ModuleType) -> None:
        patches.replace(module, "value", "replaced")

    patches.with_module("patched_early", patch)
    patches.with_module("patched_late", patch)
    patched_early = import_module("patched_early")
    assert patched_early.value == "replaced"
    patches.undo()
    patched_late = import_module("patched_late")
    assert (patched_early.value, patched_late.value) == ("original", "original")
    for name in ("patched_early", "patched_late"):
        del sys.modules[name]
