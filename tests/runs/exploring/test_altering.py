"""End states that are altered before they are judged, `runs/exploring/altering.py`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from squall.clock import VirtualClock
from squall.explore import Observed
from squall.runs.exploring.altering import MOST, Alteration, Altering, Noticed, noticed, of_steps, of_world
from squall.runs.scenario.spec import StepSpec
from squall.runs.stepping import Steps
from squall.worlds import Effect, World

SHOP = """\
name: shop
services:
  shop:
    records:
      order: { id: int, status: "enum[placed, shipped]", at: datetime, total: decimal }
      note: { id: str, text: str }
    seed:
      order: [{ id: 7, status: placed, at: "2025-05-20T10:00:00Z", total: "4.50" }]
      note: [{ id: n, text: old }]
    operations:
      get_order: { kind: get, record: order }
"""


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(SHOP, encoding="utf-8")
    return World.load(path)


def ended(world) -> Any:
    """A run over a world that has ended."""
    return SimpleNamespace(world=world, has_world=True)


def what(alterations):
    return [each.what for each in alterations]


def do(alterations, what):
    next(each for each in alterations if each.what == what).do()


def test_an_untouched_world_has_nothing_to_alter(shop):
    assert what(of_world(shop)) == []


def test_the_last_new_row_of_each_table_may_be_there_twice(shop):
    shop.notes.insert(text="a")
    shop.notes.insert(text="b")
    shop.orders.insert(status="placed", at="2025-05-21T10:00:00Z", total="1.25")
    assert what(of_world(shop)) == [
        "note '2' is there twice",
        "the last insert of note, '2', never happened",
        "order '1' is there twice",
        "the last insert of order, '1', never happened",
    ]
    do(of_world(shop), "order '1' is there twice")
    first, second = shop.orders.where(total="1.25")
    assert (first["id"], second["id"]) == (1, 2)
    assert (second["at"], second["status"]) == (first["at"], first["status"])


def test_the_last_write_of_each_table_may_never_have_happened(shop):
    shop.orders.update(7, status="shipped", total="9.99")
    do(of_world(shop), "the last update of order, '7', never happened")
    assert (shop.orders[7]["status"], str(shop.orders[7]["total"])) == ("placed", "4.50")
    shop.notes.delete("n")
    do(of_world(shop), "the last delete of note, 'n', never happened")
    assert shop.notes["n"]["text"] == "old"
    shop.notes.insert(id="m", text="new")
    do(of_world(shop), "the last insert of note, 'm', never happened")
    assert "m" not in shop.notes


def test_a_new_row_that_is_gone_again_cannot_be_there_twice(shop):
    shop.notes.insert(id="m", text="new")
    shop.notes.delete("m")
    assert what(of_world(shop)) == ["the last delete of note, 'm', never happened"]


def test_steps_that_were_made_may_have_happened_once_more_or_never():
    specs = [StepSpec(tool="read", writes=False), StepSpec(tool="pay"), StepSpec(tool="tell")]
    steps = Steps(specs, VirtualClock())
    heard: list[Effect] = []
    steps.on_effect.append(heard.append)
    steps.call("step1", {})
    assert what(of_steps(steps)) == ["step 1, pay, happened once more", "step 1, pay, never happened"]
    do(of_steps(steps), "step 1, pay, happened once more")
    assert (steps.done, [effect.id for effect in heard]) == ([0, 2, 0], ["1.1", "1.2"])
    do(of_steps(steps), "step 1, pay, never happened")
    assert steps.done == [0, 0, 0]


def test_each_alteration_is_made_in_a_run_of_its_own_and_what_notices_it_is_told(shop):
    state = {"refunds": 1}

    def begin(altering):
        def run():
            state["refunds"] = 1
            shop.notes.insert(text="x")
            altering(ended(shop), None)
            twice = len(shop.notes.where(text="x")) > 1
            for note in shop.notes.where(text="x"):
                shop.notes.delete(note["id"])
            return Observed("failed", "twice") if twice else Observed("passed")

        return run

    found = noticed(begin)
    assert found is not None
    assert [each.by for each in found] == ["twice", ""]
    assert found[0].what.endswith("is there twice")


def test_where_the_run_fails_unaltered_nothing_can_be_shown():
    assert noticed(lambda _altering: lambda: Observed("crashed")) is None


def test_an_alteration_that_the_worlds_own_rules_forbid_is_left_out(monkeypatch, shop):
    def refuse():
        raise ValueError("no")

    monkeypatch.setattr(
        "squall.runs.exploring.altering.of_world", lambda _world: iter([Alteration("it", refuse)] * (MOST + 3))
    )
    plain = Altering()
    plain(ended(shop), None)
    assert plain.possible == ["it"] * MOST

    def begin(altering):
        def run():
            altering(ended(shop), None)
            return Observed("passed")

        return run

    assert noticed(begin) == []


def test_what_was_noticed_is_a_pair():
    assert tuple(Noticed("a", "b")) == ("a", "b")
