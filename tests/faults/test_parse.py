"""Plans out of files and Python data, `faults/parse.py`."""

from __future__ import annotations

import contextlib
import decimal
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.call import MODEL_TARGETS, Target
from squall.documents import parse
from squall.errors import UsageError
from squall.faults import CALM, KINDS, Inline, parse_plan
from squall.faults.registry import MODEL_KINDS

ALL = (
    "payments.issue_refund",
    "payments.list_refunds",
    "orders.get_order",
    "orders.list_orders",
    "orders.create_return",
)
TARGETS = (
    Target("payments.issue_refund", "issue_refund", access="write", fields=("order_id", "amount")),
    Target("orders.get_order", "get_order", fields=("order_id",), returns=("id", "status"), dated=True),
)
WORLD = "services: { orders: {} }\n"


def chances(plan, target):
    return {rule.kind: rule.probability for rule in plan.rules.faults if target in rule.targets}


# ------------------------------------------------------------------------------------------- where the rules stand


RULES = "orders.get_order: { errors: { timeout: 0.1 } }"


@pytest.mark.parametrize("text", [RULES, f"faults:\n  {RULES}", f"{WORLD}faults:\n  {RULES}"])
def test_a_plan_is_just_rules_or_a_plan_file_or_a_worlds_own_block(shop, text):
    assert shop.read(text).rules == shop.read(RULES).rules


@pytest.mark.parametrize(
    "data",
    [
        {"orders.get_order": {"errors": {"timeout": 0.1}}},
        {"faults": {"orders.get_order": {"errors": {"timeout": 0.1}}}},
        [{"target": "orders.get_order", "kind": "timeout", "probability": 0.1}],
        {"faults": [{"target": "orders.get_order", "kind": "timeout", "probability": 0.1}]},
    ],
)
def test_a_plan_can_be_python_data(shop, data):
    assert shop.inline(data).rules == shop.read(RULES).rules


@pytest.mark.parametrize("data", [{}, [], None, {"faults": {}}, {"faults": []}, {"faults": None}, {"default": {}}])
def test_a_plan_without_rules_is_calm(shop, data):
    assert shop.inline(data) is CALM


def test_a_world_without_a_block_has_no_plan(shop):
    assert shop.wrong_with(WORLD) == "plan.yaml:1:1: this world has no faults: block\n    Add one, or name a plan file."


def test_a_worlds_other_keys_are_its_own(shop):
    assert shop.read(f"{WORLD}seed: 5\nfaults: [{{ target: orders.get_order, kind: hang }}]").rules.faults


def test_a_plan_file_may_set_limits_and_the_cap_on_wall_time(shop):
    plan = shop.read("faults: {}\nlimits: { seconds: 10m, calls: 50 }\nwall_cap: 500ms")
    assert (plan.limits.seconds, plan.limits.calls, plan.wall_cap) == (600.0, 50, 0.5)
    assert plan.rules == CALM.rules


def test_limits_that_are_not_set_are_the_standard_ones(shop):
    plan = shop.read("faults: []\nlimits: { calls: 50 }")
    assert (plan.limits.seconds, plan.limits.calls, plan.wall_cap) == (3600.0, 50, 2.0)


def test_what_is_wrong_beside_the_rules_is_told_all_at_once(shop):
    text = (
        "faults: { orders.get_order: { latency_ms: -1 } }\nlimit: {}\nlimits: { call: 5, seconds: 0 }\nwall_cap: soon"
    )
    assert (
        shop.wrong_with(text)
        == """\
plan.yaml:1:43: -1 is no latency
    Write a number of milliseconds, or a range from low to high: [50, 200].
plan.yaml:2:1: unknown key 'limit'; did you mean 'limits'?
    Valid keys: faults, limits, wall_cap.
plan.yaml:3:11: unknown key 'call'; did you mean 'calls'?
    Valid keys here: seconds, calls.
plan.yaml:3:29: 'seconds' must be greater than 0, not 0
    Write more than 0.
plan.yaml:4:11: 'soon' is no length of time: write a length of time such as 500ms, 30s, 5m, 2h or 1d \
(a number alone is seconds)"""
    )


def test_a_plan_file_without_its_rules_says_so(shop):
    hint = "    A plan file has faults:, limits:, wall_cap:; the rules stand under faults:."
    assert shop.wrong_with("limits: { calls: 5 }") == f"plan.yaml:1:1: there is 'limits' here, but no 'faults'\n{hint}"
    assert shop.wrong_with("fault: []") == f"plan.yaml:1:1: unknown key 'fault'; did you mean 'faults'?\n{hint}"


@pytest.mark.parametrize(("text", "place"), [("5", "1:1"), ("faults: 5", "1:9"), ("faults: hang", "1:9")])
def test_what_is_no_plan_is_told(shop, text, place):
    wrong = shop.wrong_with(text)
    assert wrong.startswith(f"plan.yaml:{place}: faults must be a mapping from targets, or a list of rules, not ")
    assert wrong.endswith("\n    For example: payments.issue_refund: { errors: { timeout: 0.1 } }")


# --------------------------------------------------------------------------------------- default, services, operations


def test_default_is_merged_under_each_target(shop):
    plan = shop.read("default: { errors: { timeout: 0.1 } }\norders.get_order: { errors: { http_500: 0.2 } }")
    assert chances(plan, "orders.get_order") == {"timeout": 0.1, "http_500": 0.2}
    assert chances(plan, "payments.issue_refund") == {"timeout": 0.1}


@pytest.mark.parametrize("turned", [False, True])
def test_the_narrowest_target_holds_whatever_the_order(shop, turned):
    lines = [
        "default: { errors: { timeout: 0.1, hang: 0.1 } }",
        "orders.*: { errors: { timeout: 0.2 } }",
        "orders.get_order: { errors: { timeout: 0.3 } }",
    ]
    plan = shop.read("\n".join(reversed(lines) if turned else lines))
    assert chances(plan, "payments.issue_refund") == {"timeout": 0.1, "hang": 0.1}
    assert chances(plan, "orders.list_orders") == {"timeout": 0.2, "hang": 0.1}
    assert chances(plan, "orders.get_order") == {"timeout": 0.3, "hang": 0.1}


def test_an_operation_can_be_taken_out_of_the_default(shop):
    plan = shop.read("default: { errors: { timeout: 0.1 } }\norders.get_order: { errors: { timeout: 0 } }")
    assert chances(plan, "orders.get_order") == {"timeout": 0.0}


@pytest.mark.parametrize("turned", [False, True])
def test_latencies_and_limits_are_replaced_too_in_both_spellings(shop, turned):
    blocks = [
        "default: { latency_ms: 10, rate_limit: { calls: 1, per_seconds: 1 } }",
        "orders.*: [{ kind: latency_ms, ms: 20 }]",
        "orders.get_order: { latency_ms: [30, 40], rate_limit: { calls: 3, per_seconds: 1 } }",
    ]
    rules = shop.read("\n".join(reversed(blocks) if turned else blocks)).rules
    assert {name: (e.low, e.high) for e in rules.latencies for name in e.targets} == {
        "payments.issue_refund": (10, 10),
        "payments.list_refunds": (10, 10),
        "orders.get_order": (30, 40),
        "orders.list_orders": (20, 20),
        "orders.create_return": (20, 20),
    }
    assert sum(len(entry.targets) for entry in rules.latencies) == len(ALL)
    assert {name: limit.calls for limit in rules.limits for name in limit.targets}["orders.get_order"] == 3
    assert sum(len(limit.targets) for limit in rules.limits) == len(ALL)


def test_a_condition_on_age_does_not_replace_the_drawn_fault_of_the_same_kind(shop):
    plan = shop.read("orders.get_order: { errors: { not_found: 0.1, not_found_if_newer_than: 2h } }")
    assert [(rule.kind, rule.drawn) for rule in plan.rules.faults] == [("not_found", True), ("not_found", False)]


def test_rules_of_the_long_form_only_ever_add(shop):
    plan = shop.read(
        "default: { errors: { hang: 0.1 } }\norders.get_order: [{ kind: hang, nth: 1 }, { kind: hang, nth: 2 }]"
    )
    assert [rule.nth for rule in plan.rules.faults if "orders.get_order" in rule.targets] == [None, 1, 2]


def test_the_order_of_rules_is_the_order_written(shop):
    plan = shop.read(
        "orders.get_order: { errors: { hang: 0.2, timeout: 0.1 } }\ndefault: { errors: { http_500: 0.1 } }"
    )
    assert [rule.kind for rule in plan.rules.faults] == ["hang", "timeout", "http_500"]


def test_a_list_of_targets_names_each_once(shop):
    rule = shop.rule("- { target: [orders.get_order, orders.*, payments.issue_refund], kind: hang }")
    assert rule.targets == ("orders.get_order", "orders.list_orders", "orders.create_return", "payments.issue_refund")


# ----------------------------------------------------------------------------------------------------------- sums


def test_the_probabilities_of_a_target_may_add_up_to_one(shop):
    assert shop.read("orders.get_order: { errors: { hang: 0.1, timeout: 0.2, http_500: 0.7 } }").drawn


def test_and_not_to_more(shop):
    assert shop.wrong_with("orders.get_order: { errors: { hang: 0.6, timeout: 0.6 } }") == (
        "plan.yaml:1:42: the probabilities of orders.get_order add up to 1.2, which is more than 1\n"
        "    One number is drawn per call and shared out among its kinds; lower some."
    )


def test_what_default_says_counts_and_is_told_once(shop):
    wrong = shop.wrong_with("orders.*: { errors: { hang: 0.6 } }\ndefault: { errors: { timeout: 0.6 } }")
    assert wrong.startswith(
        "plan.yaml:2:22: the probabilities of orders.get_order (and of 2 more) add up to 1.2, which"
    )
    assert wrong.count("add up") == 1


def test_what_default_said_before_it_was_replaced_does_not_count(shop):
    plan = shop.read("default: { errors: { timeout: 0.6 } }\norders.get_order: { errors: { timeout: 0.1, hang: 0.9 } }")
    assert chances(plan, "orders.get_order") == {"timeout": 0.1, "hang": 0.9}


def test_long_rules_count_too(shop):
    wrong = shop.wrong_with("""
- { target: orders.get_order, kind: hang, probability: 0.6 }
- { target: orders.get_order, kind: hang, probability: 0.6, scope: pay }
""")
    assert wrong.startswith("plan.yaml:3:3: the probabilities of orders.get_order add up to 1.2")


# -------------------------------------------------------------------------------------------------------- targets


@pytest.mark.parametrize(
    ("target", "near"),
    [
        ("payments.isue_refund", "payments.issue_refund"),
        ("Payments.Issue_Refund", "payments.issue_refund"),
        ("issue_refund", "payments.issue_refund"),
        ("isue_refund", "payments.issue_refund"),
        ("billing.issue_refund", "payments.issue_refund"),
        ("order.*", "orders.*"),
        ("defaults", "default"),
        ("weather", None),
    ],
)
def test_an_unknown_target_is_told_with_the_nearest(shop, target, near):
    close = f"; did you mean {near!r}?" if near else ""
    hint = f"    Targets here: {', '.join(ALL)}; or service.*, or default. Events: orders.order_delivered."
    hint += " Models: model.*."
    assert shop.wrong_with(f"{target}: {{}}") == f"plan.yaml:1:1: unknown target {target!r}{close}\n{hint}"
    long = shop.wrong_with(f"- {{ kind: hang, target: [orders.*, {target}] }}")
    assert long == f"plan.yaml:1:36: unknown target {target!r}{close}\n{hint}"


def test_without_any_targets_theirs_are_taken_on_trust():
    plan = parse_plan(Inline({"a.b": {"errors": {"timeout": 0.1}}}), [])
    assert plan.rules == CALM.rules
    assert plan.on_trust == ("a.b",)
    with pytest.raises(UsageError, match="unknown kind of fault 'tiemout'; did you mean 'timeout'"):
        parse_plan(Inline({"a.b": {"errors": {"tiemout": 0.1}}}), [])


# ------------------------------------------------------------------------------------------------------- models


STREAMS = ("model.chat", "model.responses", "model.messages")
MODELS = (*STREAMS, "model.embeddings")


def test_default_means_no_model(shop):
    assert shop.rule("default: [{ kind: timeout, nth: 1 }]").targets == ALL


def test_all_models_are_one_pattern(shop):
    assert shop.rule("model.*: [{ kind: timeout, nth: 1 }]").targets == MODELS
    assert shop.rule("model.responses: [{ kind: timeout, nth: 1 }]").targets == ("model.responses",)


def test_what_is_near_to_no_target_is_a_models_name(shop):
    plan = shop.read(
        "gpt-5-mini: { errors: { timeout: 0.1 }, latency_ms: 5, rate_limit: { calls: 1, per_seconds: 60 } }"
    )
    for entry in (*plan.rules.faults, *plan.rules.latencies, *plan.rules.limits):
        assert (entry.models, entry.other_than, entry.targets) == (("gpt-5-mini",), (), MODELS)
    assert plan.described[0]["models"] == ["gpt-5-mini"]
    assert "other_than" not in plan.described[0]


def test_several_models_share_a_rule(shop):
    rule = shop.rule("- { target: [gpt-5-mini, claude-sonnet-4-5], kind: reset, when: { stream: true } }")
    assert (rule.models, rule.when.args) == (("gpt-5-mini", "claude-sonnet-4-5"), {"stream": (True,)})


@pytest.mark.parametrize(
    "plan",
    [
        "weather: { errors: { hang: 0.1 } }",  # none of models
        "weather: { errors: { tiemout: 0.1 } }",
        "weather: {}",
        "errors: { timeout: 0.1 }",
        "rules: [{ kind: timeout, nth: 1 }]",
        "gpt.*: { errors: { timeout: 0.1 } }",
        "model.chta: { errors: { timeout: 0.1 } }",
        "isue_refund: { errors: { timeout: 0.1 } }",
        "'*': { errors: { timeout: 0.1 } }",
        "- { target: [weather, orders.get_order], kind: timeout, nth: 1 }",
    ],
)
def test_what_can_hardly_be_a_model_is_unknown(shop, plan):
    assert "unknown target " in shop.wrong_with(plan)


def test_a_misspelt_target_of_models_is_told_with_the_nearest(shop):
    hint = f"    Targets here: {', '.join(ALL)}; or service.*, or default. Events: orders.order_delivered."
    hint += " Models: model.*."
    assert shop.wrong_with("model.chta: { errors: { timeout: 0.1 } }") == (
        f"plan.yaml:1:1: unknown target 'model.chta'; did you mean 'model.chat'?\n{hint}"
    )


def test_without_a_world_models_are_known_all_the_same():
    plan = parse_plan(Inline({"model.chat": {"errors": {"timeout": 0.1}}, "gpt-5-mini": {"latency_ms": 5}}), [])
    assert (len(plan.rules.faults), len(plan.rules.latencies), plan.on_trust) == (1, 1, ())
    with pytest.raises(UsageError) as caught:
        parse_plan(Inline({"modle.chat": {"errors": {"timeout": 0.1}}, "chat": {"errors": {"timeout": 0.1}}}), [])
    assert str(caught.value) == (
        "faults['chat']: unknown target 'chat'; did you mean 'model.chat'?\n"
        "    Without a world there are model.chat, model.responses, model.messages, model.embeddings, model.*, and "
        "models by their names."
    )


@pytest.mark.parametrize("name", ["default", "defaul", "all", "*"])
def test_where_there_are_models_alone_all_of_them_are_what_everything_means(name):
    with pytest.raises(UsageError, match=f"unknown target '{re.escape(name)}'; did you mean 'model.\\*'?"):
        parse_plan(Inline({name: [{"kind": "http_503", "first": 1}]}), tuple(MODEL_TARGETS.values()))


def test_what_a_world_may_have_is_taken_on_trust_beside_models():
    block = {"default": {"latency_ms": 5}, "a.*": {"errors": {"timeout": 0.1}}, "model.*": {"errors": {"reset": 0.1}}}
    plan = parse_plan(Inline(block), [])
    assert [rule.kind for rule in plan.rules.faults] == ["reset"]
    assert plan.on_trust == ("default", "a.*")


def test_an_operation_of_a_world_may_be_called_as_a_target_of_models_is():
    plan = parse_plan(Inline({"model.*": {"errors": {"hang": 0.1}}}), [Target("model.chat", "chat")])
    assert plan.rules.faults[0].targets == ("model.chat",)
    assert plan.bound[0].kind.wire == "tool"


@pytest.mark.parametrize("turned", [False, True])
def test_what_is_said_of_a_model_replaces_the_rest_for_it(shop, turned):
    lines = [
        "model.*: { errors: { timeout: 0.1, reset: 0.1 }, latency_ms: 5 }",
        "model.chat: { errors: { timeout: 0.2 } }",
        "gpt-5-mini: { errors: { timeout: 0.3 }, latency_ms: 50 }",
    ]
    plan = shop.read("\n".join(reversed(lines) if turned else lines))
    told = {(rule.kind, rule.probability): (rule.targets, rule.models, rule.other_than) for rule in plan.rules.faults}
    assert told == {
        ("timeout", 0.1): (MODELS[1:], (), ("gpt-5-mini",)),
        ("timeout", 0.2): (("model.chat",), (), ("gpt-5-mini",)),
        ("timeout", 0.3): (MODELS, ("gpt-5-mini",), ()),
        ("reset", 0.1): (MODELS, (), ()),
    }
    assert {(each.low, each.models, each.other_than) for each in plan.rules.latencies} == {
        (5, (), ("gpt-5-mini",)),
        (50, ("gpt-5-mini",), ()),
    }


def test_a_model_can_be_taken_out_of_the_rest(shop):
    plan = shop.read("model.*: { errors: { timeout: 0.1 } }\ngpt-5-mini: { errors: { timeout: 0 } }")
    assert [rule.probability for rule in plan.rules.faults] == [0.1, 0]
    assert plan.rules.faults[0].other_than == ("gpt-5-mini",)


def test_of_two_that_name_a_model_the_later_one_holds(shop):
    plan = shop.read(
        "- { target: [gpt-5-mini, o3], kind: latency_ms, ms: 5 }\n- { target: gpt-5-mini, kind: latency_ms, ms: 9 }"
    )
    assert [(each.low, each.models) for each in plan.rules.latencies] == [(5, ("o3",)), (9, ("gpt-5-mini",))]


def test_rules_of_the_long_form_add_to_each_other_for_a_model_too(shop):
    plan = shop.read("- { target: model.*, kind: reset, nth: 1 }\n- { target: gpt-5-mini, kind: timeout, nth: 2 }")
    assert [(rule.models, rule.other_than) for rule in plan.rules.faults] == [((), ()), (("gpt-5-mini",), ())]


# -------------------------------------------------------------------------------------------- all problems at once


SHARED = {
    "target": "unknown target 'issue_refund'; did you mean 'payments.issue_refund'?\n"
    f"    Targets here: {', '.join(ALL)}; or service.*, or default. Events: orders.order_delivered. Models: model.*.",
    "kind": "unknown kind of fault 'tiemout'; did you mean 'timeout'?\n    Kinds: ",
    "chance": "1.5 is no probability\n    Write a number from 0 to 1.",
    "count": "'nth' must be greater than or equal to 1, not 0\n    Write 1 or more.",
    "field": "missing_field could never fire: orders.get_order returns no field 'statu'; it returns id, ",
    "phase": "'phase' cannot be 'later'; did you mean 'late'?\n    Valid values: before, after, late.",
}

YAML = """\
faults:
  issue_refund:
    errors: { timeout: 0.1 }
  orders.get_order:
    errors:
      tiemout: 0.1
      http_500: 1.5
    rules:
      - { kind: hang, nth: 0 }
      - { kind: missing_field, nth: 1, field: statu }
      - { kind: hang, phase: later }
"""

TOML = """\
[faults.issue_refund.errors]
timeout = 0.1

[faults."orders.get_order".errors]
tiemout = 0.1
http_500 = 1.5

[[faults."orders.get_order".rules]]
kind = "hang"
nth = 0

[[faults."orders.get_order".rules]]
kind = "missing_field"
nth = 1
field = "statu"

[[faults."orders.get_order".rules]]
kind = "hang"
phase = "later"
"""

JSON = """\
{ "faults": {
    "issue_refund": { "errors": { "timeout": 0.1 } },
    "orders.get_order": {
      "errors": { "tiemout": 0.1,
                  "http_500": 1.5 },
      "rules": [
        { "kind": "hang", "nth": 0 },
        { "kind": "missing_field", "nth": 1, "field": "statu" },
        { "kind": "hang", "phase": "later" } ] } } }
"""


@pytest.mark.parametrize(
    ("format", "text", "places"),
    [
        ("yaml", YAML, "2:3 6:7 7:17 9:28 10:47 11:30"),
        ("toml", TOML, "1:9 5:1 6:12 10:7 15:9 19:9"),
        ("json", JSON, "2:5 4:19 5:31 7:34 8:55 9:36"),
    ],
)
def test_everything_wrong_is_told_at_once_in_the_order_of_the_file(shop, format, text, places):
    wrong = shop.wrong_with(text, format)
    expected = [f"plan.{format}:{place}: {words}" for place, words in zip(places.split(), SHARED.values(), strict=True)]
    found = [f"plan.{format}:{each}" for each in wrong.split(f"plan.{format}:")[1:]]
    assert len(found) == len(expected)
    assert [each[: len(words)] for each, words in zip(found, expected, strict=True)] == expected


def test_a_problem_that_many_rules_share_is_told_once(shop):
    assert shop.wrong_with("ordrs.*: { errors: { hang: 0.1, timeout: 0.1 } }").count("unknown target") == 1


def test_in_python_data_a_place_is_a_path(shop):
    wrong = shop.wrong_with([{"target": "orders.get_order", "kind": "hang", "nth": 0}, {"kind": "hang"}])
    assert wrong.splitlines() == [
        "faults[0]['nth']: 'nth' must be greater than or equal to 1, not 0",
        "    Write 1 or more.",
        "faults[1]: this rule has no target",
        "    Add target: service.operation, service.* or default.",
    ]


def test_problems_in_python_data_come_in_the_order_they_are_met(shop):
    names = [f"nothing{number}" for number in range(8)]
    wrong = shop.wrong_with({name: {} for name in names})
    assert [line.partition("'")[2].partition("'")[0] for line in wrong.splitlines() if line[0] != " "] == names
    assert wrong.count("Targets here: ") == 1  # what is valid is told once


# --------------------------------------------------------------------------------------------------- hostile data


LOOP: list[object] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"orders.get_order": {"errors": {"timeout": float("nan")}}}, "is nan, and JSON has no such number"),
        ([{"target": "orders.get_order", "kind": "wrong_value", "value": float("inf")}], "JSON has no such number"),
        ([{"target": "orders.get_order", "kind": "wrong_value", "value": {1, 2}}], "set"),
        ({5: {}}, "has the key 5, and a key must be a string"),
        ({"orders.get_order": {"rules": [{"kind": "hang", "scope": "\ud800"}]}}, "surrogate"),
        (LOOP, "holds itself, or is nested too deep"),
    ],
)
def test_data_that_a_trace_cannot_hold_is_refused(shop, data, why):
    wrong = shop.wrong_with(data)
    assert wrong.startswith("faults: this plan cannot be recorded: ")
    assert why in wrong
    assert "A plan holds what JSON can hold" in wrong


def test_a_decimal_in_python_data_is_recorded_as_text(shop):
    plan = shop.inline([{"target": "orders.get_order", "kind": "wrong_value", "value": decimal.Decimal("1.50")}])
    assert plan.rules.faults[0].params == {"value": "1.50"}


WORDS = st.sampled_from(
    [
        *KINDS,
        *MODEL_KINDS,
        "model.chat",
        "model.*",
        "gpt-5-mini",
        *ALL[:3],
        "default",
        "orders.*",
        "http_500",
        "timeout_if_newer_than",
        "errors",
        "latency_ms",
        "rate_limit",
        "rules",
        "kind",
        "target",
        "probability",
        "nth",
        "times",
        "first",
        "every",
        "when",
        "phase",
        "scope",
        "args",
        "newer_than",
        "calls",
        "per_seconds",
        "ms",
        "value",
        "field",
        "late_by",
        "faults",
        "limits",
        "wall_cap",
        "seconds",
        "services",
        "2h",
        "id",
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | WORDS | st.just(10**400)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)
ODD = st.one_of(LEAVES, ANYTHING)
RULE = st.fixed_dictionaries(
    {"kind": WORDS},
    optional=dict.fromkeys(("target", "nth", "first", "probability", "when", "phase", "scope", "ms", "calls"), ODD),
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "errors": st.dictionaries(WORDS, ODD | st.fixed_dictionaries({"probability": ODD, "when": ODD}), max_size=3),
        "latency_ms": ODD,
        "rate_limit": st.fixed_dictionaries({"calls": ODD, "per_seconds": ODD}),
        "rules": st.lists(RULE, max_size=2),
    },
)
NEARLY = st.dictionaries(WORDS, ENTRY | st.lists(RULE, max_size=2), max_size=3) | st.lists(RULE, max_size=3)


@settings(max_examples=100, deadline=None)
@given(ANYTHING | NEARLY | NEARLY.map(lambda block: {"faults": block}))
def test_whatever_is_given_is_a_plan_or_a_usage_error(data):
    with contextlib.suppress(UsageError):
        assert parse_plan(Inline(data), TARGETS).wall_cap >= 0


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="abc: {}[]-,\n'\"0.1#&*!|>%@", max_size=60))
def test_whatever_a_file_says_is_a_plan_or_a_usage_error(text):
    with contextlib.suppress(UsageError):
        assert parse_plan(parse(text, format="yaml", name="plan.yaml"), TARGETS).wall_cap >= 0


def test_a_number_of_any_length_is_recorded(shop):
    data = [{"target": "orders.get_order", "kind": "wrong_value", "value": 10**5000, "when": {"order_id": 10**5000}}]
    assert shop.inline(data).described[0]["when"] == {"args": {"order_id": [10**5000]}}
