"""The kind `tool_removed`."""

from __future__ import annotations

from squall.faults.kinds.tool_removed import KIND


def test_the_tool_is_unknown_from_this_call_on(trial):
    action = trial.act(KIND, target="orders.create_return")
    assert action.remove
    assert (action.reply.form, action.reply.error) == ("unknown_tool", "Unknown tool: create_return")


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "before"
    assert trial.example(KIND).phase == "before"


def test_it_can_be_any_tool(shop):
    assert shop.rule("default: [{ kind: tool_removed, nth: 5 }]").targets == tuple(t.name for t in shop.targets)


def test_its_example_parses(trial):
    assert trial.example(KIND).nth == 2
