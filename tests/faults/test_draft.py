"""Rules as they are written, in both spellings, `faults/draft.py`."""

from __future__ import annotations

import pytest

from squall.decide import When

WHOLE = "\n    Write a whole number, 3 for example."
MAPPING = "\n    Write a mapping, { key: value } for example."
A_RULE = "\n    For example: [{ kind: timeout, nth: 1 }]"
A_LENGTH = "write a length of time such as 500ms, 30s, 5m, 2h or 1d (a number alone is seconds)"
SAME = {"target": "payments.issue_refund", "kind": "http_503", "probability": 0.1, "retry_after": "2s"}


def rules(plan):
    return [(rule.kind, rule.targets) for rule in plan.rules.faults]


@pytest.mark.parametrize(
    "data",
    [
        {"payments.issue_refund": {"errors": {"http_503": {"probability": 0.1, "retry_after": "2s"}}}},
        {"payments.issue_refund": [{"kind": "http_503", "probability": 0.1, "retry_after": 2}]},
        {"payments.issue_refund": {"rules": [{"kind": "http_503", "probability": 0.1, "retry_after": "2000ms"}]}},
        [{"target": ["payments.issue_refund"], "kind": "http_503", "probability": 0.1, "retry_after": 2.0}],
        {"faults": [SAME]},
    ],
)
def test_all_spellings_of_a_rule_mean_the_same(shop, data):
    assert shop.inline(data).rules == shop.inline([SAME]).rules


def test_short_and_long_rules_of_a_target_keep_the_order_written(shop):
    plan = shop.read("""
payments.issue_refund:
  rules: [{ kind: hang, nth: 1 }, { kind: latency, first: 2 }]
  errors: { timeout: 0.1, http_500: 0.2 }
orders.get_order: [{ kind: is_error, every: 3 }]
""")
    assert [rule.kind for rule in plan.rules.faults] == ["hang", "latency", "timeout", "http_500", "is_error"]
    assert [rule.id for rule in plan.rules.faults] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("way", ["probability: 0.5", "nth: 2", "times: 3", "first: 4", "every: 5"])
def test_a_rule_chooses_in_one_way(shop, way):
    name, _, value = way.partition(": ")
    rule = shop.rule(f"orders.get_order: [{{ kind: hang, {way} }}]")
    assert {each: getattr(rule, each) for each in ("probability", "nth", "times", "first", "every")} == {
        "probability": None,
        "nth": None,
        "times": None,
        "first": None,
        "every": None,
        name: float(value),
    }


def test_nth_and_times_go_together(shop):
    rule = shop.rule("orders.get_order: [{ kind: hang, nth: 2, times: 3 }]")
    assert (rule.nth, rule.times) == (2, 3)


@pytest.mark.parametrize(
    ("ways", "named"),
    [
        ("nth: 1, probability: 0.5", "probability, nth"),
        ("times: 2, every: 3", "times, every"),
        ("nth: 1, times: 2, first: 3", "nth, times, first"),
    ],
)
def test_two_ways_of_choosing_are_one_too_many(shop, ways, named):
    assert shop.wrong_with(f"- {{ target: orders.get_order, kind: hang, {ways} }}") == (
        f"plan.yaml:1:3: this rule chooses in more than one way: {named}\n"
        "    Keep one of probability, nth (with times), first, every."
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("nth: 0", "1:39: 'nth' must be greater than or equal to 1, not 0\n    Write 1 or more."),
        ("first: -1", "1:41: 'first' must be greater than or equal to 1, not -1\n    Write 1 or more."),
        ("every: 1.5", "1:41: 'every' must be a whole number, not 1.5" + WHOLE),
        ("times: true", "1:41: 'times' must be a whole number, not True" + WHOLE),
        ("nth: first", "1:39: 'nth' must be a whole number, not 'first'" + WHOLE),
        ("probability: 1.5", "1:47: 'probability' must be less than or equal to 1, not 1.5\n    Write 1 or less."),
        ("probability: 50%", "1:47: '50%' is no probability\n    Write 0.5."),
        ("probability: '0.5'", "1:47: 'probability' must be a number, not '0.5'\n    Write 0.5, without quotes."),
        (
            "phase: befor",
            ("1:41: 'phase' cannot be 'befor'; did you mean 'before'?\n    Valid values: before, after, late."),
        ),
        ("scope: 5", "1:41: 'scope' must be text, not 5\n    Put it in quotes."),
        ("when: [order_id]", "1:40: 'when' must be a mapping, not ['order_id']" + MAPPING),
        ("when: { newer_than: 2x }", f"1:54: '2x' is no length of time: {A_LENGTH}"),
    ],
)
def test_a_value_out_of_its_range_is_told_with_its_place(shop, wrong, said):
    assert shop.wrong_with(f"orders.get_order: [{{ kind: hang, {wrong} }}]") == f"plan.yaml:{said}"


@pytest.mark.parametrize("phase", ["before", "after", "late"])
def test_the_phase_is_the_rules_where_it_names_one(shop, phase):
    assert shop.rule(f"- {{ target: orders.get_order, kind: hang, phase: {phase} }}").phase == phase
    assert shop.rule(f"orders.get_order: {{ errors: {{ hang: {{ probability: 1, phase: {phase} }} }} }}").phase == phase


@pytest.mark.parametrize(
    "plan",
    [
        "orders.*: [{ kind: hang, probability: 1, scope: pay, when: { order_id: [a, b], older_than: 1d } }]",
        "orders.*: { errors: { hang: { probability: 1, scope: pay, when: { order_id: [a, b], older_than: 1d } } } }",
    ],
)
def test_conditions_and_scope_stand_in_both_spellings(shop, plan):
    rule = shop.rule(plan)
    assert rule.scope == "pay"
    assert rule.when == When(args={"order_id": ("a", "b")}, older_than=86400.0)


@pytest.mark.parametrize(("length", "seconds"), [("30s", 30), ("2h", 7200), ("1d", 86400), ("500ms", 0.5), ("90", 90)])
def test_a_fault_for_young_records_is_short_for_a_condition(shop, length, seconds):
    short = shop.rule(f"orders.get_order: {{ errors: {{ http_404_if_newer_than: {length} }} }}")
    long = shop.rule(f"orders.get_order: [{{ kind: http_404, when: {{ newer_than: {length} }} }}]")
    assert short == long
    assert short.when.newer_than == seconds
    assert (short.drawn, short.counted) == (False, False)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("2x", f"'2x' is no length of time: {A_LENGTH}"),
        ("-5", "a length of time cannot be below zero, and -5 is"),
        (
            "{ probability: 1 }",
            (
                f"{{'probability': 1}} is no length of time: {A_LENGTH}\n"
                "    With more to say than an age write not_found: { probability: …, when: { newer_than: 2h } }."
            ),
        ),
    ],
)
def test_a_condition_on_age_wants_a_length_of_time(shop, value, said):
    wrong = shop.wrong_with(f"orders.get_order: {{ errors: {{ not_found_if_newer_than: {value} }} }}")
    assert wrong == f"plan.yaml:1:56: {said}"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("1.5", "1.5 is no probability\n    Write a number from 0 to 1."),
        ("-0.1", "-0.1 is no probability\n    Write a number from 0 to 1."),
        ("true", "True is no probability\n    Write a number from 0 to 1."),
        ("", "None is no probability\n    Write a number from 0 to 1."),
        ("[0.5]", "[0.5] is no probability\n    Write a number from 0 to 1."),
        ("10%", "'10%' is no probability\n    Write 0.1."),
        ("'0.25'", "'0.25' is no probability\n    Write 0.25, without quotes."),
        (
            "110%",
            (
                "'110%' is no probability\n    Write a number from 0 to 1; for a condition on a record's age, "
                "timeout_if_newer_than: 2h."
            ),
        ),
    ],
)
def test_a_bad_probability_is_told_with_its_place(shop, value, said):
    wrong = shop.wrong_with(f"orders.get_order:\n  errors: {{ timeout: {value} }}")
    place, _, text = wrong.partition(": ")
    assert text == said
    assert place == ("plan.yaml:2:21" if value == "" else "plan.yaml:2:22")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("timeout: 0.2", "Put it under errors: { timeout: 0.2 }."),
        ("http_503: { probability: 0.2 }", "Put it under errors: { http_503: … }."),
        ("not_found_if_newer_than: 2h", "Put it under errors: { not_found_if_newer_than: 2h }."),
        ("timeout: { nth: 1 }", "Put it under rules: [{ kind: timeout, … }], for it counts."),
    ],
)
def test_a_kind_straight_under_a_target_is_told_where_it_goes(shop, entry, said):
    key = entry.partition(":")[0]
    assert shop.wrong_with(f"orders.get_order: {{ {entry} }}") == f"plan.yaml:1:21: unknown key {key!r}\n    {said}"


def test_a_latency_of_a_target_is_no_kind_under_it(shop):
    assert "unknown key 'latency'; did you mean 'latency_ms'?" in shop.wrong_with("orders.*: { latency: [20, 50] }")


def test_a_fault_with_parameters_needs_its_probability(shop):
    wrong = shop.wrong_with("orders.get_order: { errors: { timeout: { probabilty: 0.1 } } }")
    assert wrong.splitlines() == [
        "plan.yaml:1:31: missing key 'probability'",
        "    Add it.",
        "plan.yaml:1:42: unknown parameter 'probabilty' of timeout; did you mean 'probability'?",
        "    timeout takes answer_after, late_by; every rule probability, phase, scope, when.",
    ]


@pytest.mark.parametrize("given", [120, 120.0, [120, 120]])
def test_latency_is_a_number_of_milliseconds_or_a_range_in_both_spellings(shop, given):
    short = shop.inline({"orders.get_order": {"latency_ms": given}})
    long = shop.inline([{"target": "orders.get_order", "kind": "latency_ms", "ms": given}])
    assert short.rules == long.rules
    (latency,) = short.rules.latencies
    assert (latency.targets, latency.low, latency.high) == (("orders.get_order",), 120.0, 120.0)


@pytest.mark.parametrize("given", [-1, [200, 50], [1], [1, 2, 3], "100", "100ms", True, None, [1, "2"], 1e13, 10**400])
def test_what_is_no_latency_is_refused_in_both_spellings(shop, given):
    hint = "    Write a number of milliseconds, or a range from low to high: [50, 200]."
    short = shop.wrong_with({"orders.get_order": {"latency_ms": given}})
    assert short.startswith("faults['orders.get_order']['latency_ms']: ")
    assert short.endswith(f" is no latency\n{hint}")
    assert shop.wrong_with([{"target": "orders.get_order", "kind": "latency_ms", "ms": given}]).endswith(hint)


def test_a_latency_as_a_rule_needs_its_milliseconds(shop):
    assert shop.wrong_with("- { target: orders.get_order, kind: latency_ms, mss: 5 }").splitlines() == [
        "plan.yaml:1:3: None is no latency",
        "    Write a number of milliseconds, or a range from low to high: [50, 200].",
        "plan.yaml:1:49: unknown parameter 'mss' of latency_ms; did you mean 'ms'?",
        "    It takes ms, a number of milliseconds or a range.",
    ]


def test_a_rate_limit_stands_in_both_spellings(shop):
    short = shop.read("orders.*: { rate_limit: { calls: 5, per_seconds: 1m } }")
    long = shop.read("- { target: orders.*, kind: rate_limit, calls: 5, per_seconds: 60 }")
    assert short.rules == long.rules
    (limit,) = short.rules.limits
    assert (limit.targets, limit.calls, limit.per_seconds) == (
        ("orders.get_order", "orders.list_orders", "orders.create_return"),
        5,
        60.0,
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("calls: 0, per_seconds: 60", "'calls' must be greater than or equal to 1, not 0\n    Write 1 or more."),
        ("calls: true, per_seconds: 60", "'calls' must be a whole number, not True" + WHOLE),
        ("calls: 5, per_seconds: 0", "'per_seconds' must be greater than 0, not 0"),
        ("calls: 5, per_second: 60", "unknown key 'per_second'; did you mean 'per_seconds'?"),
        ("calls: 5", "missing key 'per_seconds'"),
    ],
)
def test_what_is_no_rate_limit_is_refused_in_both_spellings(shop, given, said):
    assert f": {said}" in shop.wrong_with(f"orders.get_order: {{ rate_limit: {{ {given} }} }}")
    assert f": {said}" in shop.wrong_with(f"- {{ target: orders.get_order, kind: rate_limit, {given} }}")


@pytest.mark.parametrize("name", ["latency_ms", "rate_limit"])
def test_latencies_and_limits_are_no_faults_to_be_drawn(shop, name):
    assert shop.wrong_with(f"orders.get_order: {{ errors: {{ {name}: 0.5 }} }}") == (
        f"plan.yaml:1:31: {name} is no kind of fault\n    Write {name}: beside errors:, not within it."
    )


def test_latencies_and_limits_hold_at_every_call(shop):
    wrong = shop.wrong_with("- { target: orders.get_order, kind: latency_ms, ms: 5, nth: 1, phase: late }")
    assert wrong.splitlines() == [
        "plan.yaml:1:56: latency_ms holds at every call, and takes no nth",
        "    Take it out.",
        "plan.yaml:1:64: latency_ms holds at every call, and takes no phase",
        "    Take it out.",
    ]


def test_a_rule_needs_a_target(shop):
    hint = "\n    Add target: service.operation, service.* or default."
    assert shop.wrong_with("- { kind: hang }") == f"plan.yaml:1:3: this rule has no target{hint}"
    assert shop.wrong_with("- { kind: hang, target: [] }") == f"plan.yaml:1:3: this rule has no target{hint}"


def test_a_rule_under_a_target_has_it_already(shop):
    said = "this rule stands under a target already\n    Take it out."
    assert shop.wrong_with("orders.*: [{ kind: hang, target: default }]") == f"plan.yaml:1:26: {said}"
    assert shop.wrong_with("orders.*: { rules: [{ kind: hang, target: x }] }") == f"plan.yaml:1:35: {said}"


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (
            "orders.get_order: { error: { hang: 1 } }",
            (
                "1:21: unknown key 'error'; did you mean 'errors'?\n"
                "    Valid keys here: errors, latency_ms, rate_limit, rules."
            ),
        ),
        (
            "orders.get_order: { errors: [hang] }",
            (
                "1:29: 'errors' must be a mapping from kinds to probabilities, not ['hang']\n"
                "    For example: { timeout: 0.1, http_500: 0.02 }"
            ),
        ),
        (
            "orders.get_order: { rules: { kind: hang } }",
            "1:28: 'rules' must be a list of rules, not {'kind': 'hang'}" + A_RULE,
        ),
        ("orders.get_order: { rules: [hang] }", "1:29: item 1 of 'rules' must be a mapping, not 'hang'" + MAPPING),
        (
            "orders.get_order: 0.5",
            (
                "1:19: 'orders.get_order' must be a mapping or a list of rules, not 0.5\n"
                "    For example: { errors: { timeout: 0.1 } } or [{ kind: timeout, nth: 1 }]"
            ),
        ),
        ("- hang", "1:3: item 1 of the document must be a mapping, not 'hang'" + MAPPING),
        ("- { target: orders.get_order }", "1:3: missing key 'kind'\n    Add it."),
        (
            "- { target: { a: 1 }, kind: hang }",
            "1:13: 'target' must be text or a list, not {'a': 1}\n    Write text (\"text\") or a list ([a, b]).",
        ),
    ],
)
def test_a_wrong_shape_is_told_with_its_place(shop, plan, said):
    assert shop.wrong_with(plan) == f"plan.yaml:{said}"


def test_what_else_is_wrong_with_a_rule_is_told_besides(shop):
    assert shop.wrong_with("- { target: orders.get_ordr, kind: hnag, nth: 0, nht: 1 }").splitlines()[::2] == [
        "plan.yaml:1:13: unknown target 'orders.get_ordr'; did you mean 'orders.get_order'?",
        "plan.yaml:1:36: unknown kind of fault 'hnag'; did you mean 'hang'?",
        "plan.yaml:1:47: 'nth' must be greater than or equal to 1, not 0",
    ]
