"""Whether a rule holds and could ever fire, `faults/fit.py`."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from squall.call import Target
from squall.decide import Keyed, Point, Situation, When
from squall.documents import parse
from squall.errors import UsageError
from squall.faults import Inline, parse_plan
from squall.worlds import World

ALL_KINDS = (
    "timeout, connection_lost, hang, http_STATUS, not_found, permission_denied, is_error, error_in_200, "
    "empty_result, malformed_json, truncated_result, wrong_value, missing_field, stale_read, duplicate_delivery, "
    "latency, tool_removed, session_lost, server_exit, late_reply, progress_only, paged_tools, duplicate, delay, lost"
)


def test_an_unknown_kind_is_told_with_the_nearest_and_all(shop):
    assert shop.wrong_with("orders.get_order: { errors: { tiemout: 0.1 } }") == (
        f"plan.yaml:1:31: unknown kind of fault 'tiemout'; did you mean 'timeout'?\n    Kinds: {ALL_KINDS}."
    )


def test_in_a_long_rule_a_limit_can_be_meant(shop):
    assert shop.wrong_with("- { target: orders.get_order, kind: latncy_ms, ms: 5 }") == (
        "plan.yaml:1:37: unknown kind of fault 'latncy_ms'; did you mean 'latency_ms'?\n"
        f"    Kinds: {ALL_KINDS}, latency_ms, rate_limit."
    )


def test_an_unknown_parameter_is_told_with_the_nearest_and_all(shop):
    plan = "orders.get_order: { errors: { timeout: { probability: 0.1, answer_afte: 5s } } }"
    assert shop.wrong_with(plan) == (
        "plan.yaml:1:60: unknown parameter 'answer_afte' of timeout; did you mean 'answer_after'?\n"
        "    timeout takes answer_after, late_by; every rule probability, phase, scope, when."
    )


def test_a_misspelt_key_of_the_rule_itself_is_known_too(shop):
    assert shop.wrong_with("orders.get_order: [{ kind: hang, nht: 1 }]") == (
        "plan.yaml:1:34: unknown parameter 'nht' of hang; did you mean 'nth'?\n"
        "    hang takes late_by; every rule kind, target, probability, nth, times, first, every, when, phase, scope."
    )


def test_a_parameter_of_the_wrong_kind_is_told_with_its_value(shop):
    assert shop.wrong_with("orders.get_order: [{ kind: timeout, answer_after: soon }]") == (
        "plan.yaml:1:51: 'soon' is no length of time: write a length of time such as 500ms, 30s, 5m, 2h or 1d "
        "(a number alone is seconds)"
    )


def test_a_parameter_that_is_cut_short_is_known_where_it_can_be_one_thing_alone(shop):
    wrong = shop.wrong_with("orders.get_order: { errors: { timeout: { prob: 0.1 } } }")
    assert "unknown parameter 'prob' of timeout; did you mean 'probability'?" in wrong
    assert "'a' of timeout\n" in shop.wrong_with("orders.get_order: [{ kind: timeout, nth: 1, a: 5 }]")


def test_a_status_that_is_no_error_is_told_with_the_range(shop):
    assert shop.wrong_with("orders.get_order: { errors: { http_700: 0.1 } }") == (
        "plan.yaml:1:31: unknown kind of fault 'http_700'\n"
        "    The statuses are those of errors, 400 to 599: http_503, for example."
    )


@pytest.mark.parametrize("phase", ["", "phase: before, ", "phase: after, "])
def test_an_effect_that_does_not_land_late_has_no_time_to_land(shop, phase):
    wrong = shop.wrong_with(f"orders.get_order: [{{ kind: timeout, nth: 1, {phase}late_by: 2m }}]")
    assert wrong.endswith(": late_by says nothing without phase: late\n    Add phase: late, or take it out.")
    wrong = shop.wrong_with("orders.get_order: { errors: { timeout: { probability: 0.1, late_by: 2m } } }")
    assert wrong.startswith("plan.yaml:1:60: late_by says nothing")


def test_an_effect_that_lands_late_may_say_when(shop):
    assert shop.rule("orders.get_order: [{ kind: hang, nth: 1, phase: late, late_by: 2m }]").params["late_by"] == 120


@pytest.mark.parametrize("pattern", ["orders.*", "default"])
def test_a_field_that_no_operation_is_known_to_return_is_not_left_to_those_that_do_not_say(shop, pattern):
    wrong = shop.wrong_with(f"{pattern}: [{{ kind: missing_field, nth: 1, field: statsu }}]")
    assert "missing_field could never fire: " in wrong
    assert wrong.endswith("; did you mean 'status'?\n    If orders.create_return returns it, name that as the target.")
    assert shop.rule("orders.create_return: [{ kind: missing_field, nth: 1, field: statsu }]").targets


def test_a_field_that_one_operation_returns_may_be_one_of_those_that_do_not_say(shop):
    rule = shop.rule("default: [{ kind: missing_field, nth: 1, field: status }]")
    assert rule.targets == ("orders.get_order", "orders.list_orders", "orders.create_return")


def test_a_condition_on_an_argument_that_there_is_not_could_never_hold(shop):
    assert shop.wrong_with("orders.get_order: [{ kind: hang, nth: 1, when: { oder_id: ord_1 } }]") == (
        "plan.yaml:1:50: hang could never fire: orders.get_order takes no argument 'oder_id'; it takes order_id; "
        "did you mean 'order_id'?"
    )


def test_a_misspelt_condition_is_not_taken_for_an_argument(shop):
    plan = "orders.get_order: { errors: { hang: { probability: 1, when: { newer_then: 2h } } } }"
    assert shop.wrong_with(plan) == (
        "plan.yaml:1:63: hang could never fire: orders.get_order takes no argument 'newer_then'; "
        "it takes order_id; did you mean 'newer_than'?"
    )


def test_a_condition_on_an_age_needs_a_record(shop):
    assert shop.wrong_with("orders.list_orders: [{ kind: hang, nth: 1, when: { older_than: 2h } }]") == (
        "plan.yaml:1:50: hang could never fire: orders.list_orders addresses no single record with a datetime field, "
        "so there is no age to compare"
    )


def test_of_targets_named_one_by_one_each_must_fit(shop):
    wrong = shop.wrong_with("- { target: [orders.get_order, payments.issue_refund], kind: stale_read }")
    assert "stale_read could never fire: payments.issue_refund is a write" in wrong


@pytest.mark.parametrize("pattern", ["default", "orders.*"])
def test_of_many_targets_those_are_taken_that_fit(shop, pattern):
    rule = shop.rule(f"{pattern}: [{{ kind: hang, nth: 1, when: {{ order_id: ord_1, newer_than: 1d }} }}]")
    assert rule.targets == ("orders.get_order", "orders.create_return")


def test_where_none_of_many_fits_it_is_an_error(shop):
    wrong = shop.wrong_with("payments.*: [{ kind: hang, nth: 1, when: { newer_than: 1d } }]")
    assert "hang could never fire: payments.issue_refund addresses no single record" in wrong


def test_an_argument_may_have_the_name_of_a_condition():
    target = Target("a.b", "b", fields=("newer_than", "args"), dated=True)
    plan = parse_plan(
        Inline([{"target": "a.b", "kind": "hang", "when": {"args": {"newer_than": 5, "args": [1, 2]}}}]), [target]
    )
    assert plan.rules.faults[0].when == When(args={"newer_than": (5,), "args": (1, 2)})


def test_a_fault_of_the_tool_wire_does_not_fit_a_model():
    with pytest.raises(UsageError, match=r"hang could never fire: it is a fault of the tool wire, and model\.chat is"):
        parse_plan(Inline([{"target": "model.chat", "kind": "hang"}]), [])


def test_an_operation_without_arguments_says_so():
    with pytest.raises(UsageError, match="takes no argument 'x'; it takes none"):
        parse_plan(Inline([{"target": "a.b", "kind": "hang", "when": {"x": 1}}]), [Target("a.b", "b")])


# -------------------------------------------------------------------------------------------------- models

OF_MODELS = (
    "http_STATUS, timeout, connection_error, reset, short_body, slow_body, malformed_json, error_in_200, "
    "empty_choices, empty_content, refusal, content_filter, length_cut, truncated_arguments, invalid_arguments, "
    "unknown_tool, reused_call_id, context_overflow, latency, stream_disconnect, stream_stall, slow_chunks, clean_eof, "
    "ping_only, error_event, malformed_event, interleaved_deltas"
)
OF_EMBEDDINGS = (
    "http_STATUS, timeout, connection_error, reset, short_body, slow_body, malformed_json, error_in_200, "
    "context_overflow, latency, wrong_count, wrong_dimension, wrong_order, nan"
)


@pytest.mark.parametrize(
    ("plan", "wrong"),
    [
        (
            "model.chat: { errors: { clean_eoff: 0.1 } }",
            (
                "plan.yaml:1:25: unknown kind of fault 'clean_eoff'; did you mean 'clean_eof'?\n"
                f"    Kinds for model.chat: {OF_MODELS}."
            ),
        ),
        (
            "- { target: model.embeddings, kind: wrong_cuont }",
            (
                "plan.yaml:1:37: unknown kind of fault 'wrong_cuont'; did you mean 'wrong_count'?\n"
                f"    Kinds for model.embeddings: {OF_EMBEDDINGS}, latency_ms, rate_limit."
            ),
        ),
        (
            "model.chat: { errors: { stall: 0.1 } }",
            (
                "plan.yaml:1:25: unknown kind of fault 'stall'; did you mean 'stream_stall'?\n"
                f"    Kinds for model.chat: {OF_MODELS}."
            ),
        ),
        (
            "model.*: { errors: { http_700: 0.1 } }",
            (
                "plan.yaml:1:22: unknown kind of fault 'http_700'\n"
                "    The statuses are those of errors, 400 to 599: http_503, for example."
            ),
        ),
        (
            "model.embeddings: [{ kind: stream_stall, nth: 1 }]",
            (
                "plan.yaml:1:28: stream_stall could never fire: it happens at model.chat, model.responses, "
                f"model.messages, and not at model.embeddings\n    Kinds for model.embeddings: {OF_EMBEDDINGS}."
            ),
        ),
        (
            "model.chat: [{ kind: hang, nth: 1 }]",
            (
                "plan.yaml:1:22: hang could never fire: it is a fault of the tool wire, and model.chat is not on it\n"
                f"    Kinds for model.chat: {OF_MODELS}."
            ),
        ),
        (
            "orders.get_order: { errors: { clean_eof: 0.1 } }",
            (
                "plan.yaml:1:31: clean_eof could never fire: it is a fault of the model wire, and orders.get_order is "
                "not on it"
            ),
        ),
        (
            "model.chat: [{ kind: timeout, nth: 1, phase: after }]",
            "plan.yaml:1:39: timeout takes no phase where a model is asked\n    Take it out.",
        ),
        (
            "model.chat: [{ kind: latency, nth: 1, late_by: 5 }]",
            (
                "plan.yaml:1:39: unknown parameter 'late_by' of latency\n"
                "    latency takes seconds; every rule kind, target, probability, nth, times, first, every, when, "
                "phase, scope."
            ),
        ),
        (
            "model.chat: [{ kind: http_503, nth: 1, retry_afer: 5 }]",
            (
                "plan.yaml:1:40: unknown parameter 'retry_afer' of http_503; did you mean 'retry_after'?\n"
                "    http_503 takes retry_after, retry_after_ms, x_should_retry, message, code; every rule kind, "
                "target, probability, nth, times, first, every, when, phase, scope."
            ),
        ),
        (
            "model.chat: [{ kind: hang, nth: 1, when: { order_id: 1 } }]",
            (
                "plan.yaml:1:22: hang could never fire: it is a fault of the tool wire, and model.chat is not on it\n"
                f"    Kinds for model.chat: {OF_MODELS}."
            ),
        ),
        (
            "model.chat: [{ kind: reset, when: { modle: gpt-5-mini } }]",
            (
                "plan.yaml:1:37: reset could never fire: model.chat takes no argument 'modle'; it takes model, stream; "
                "did you mean 'model'?"
            ),
        ),
        (
            "gpt-5-mini: [{ kind: reset, when: { model: gpt-5 } }]",
            (
                "plan.yaml:1:44: this rule is for the model 'gpt-5-mini' already\n"
                "    Take the condition out, or name model.* as the target."
            ),
        ),
        (
            "- { target: [model.chat, gpt-5-mini], kind: reset }",
            (
                "plan.yaml:1:26: 'gpt-5-mini' is taken for a model's name, and model.chat is none\n"
                "    Write a rule for each."
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_rule_for_models_is_told_with_what_there_is_for_them(shop, plan, wrong):
    assert shop.wrong_with(plan) == wrong


def test_a_kind_that_both_sides_have_is_bound_on_each_with_its_own_parameters(shop):
    plan = shop.read("- { target: [orders.get_order, model.chat], kind: timeout, nth: 1 }")
    tool, model = plan.rules.faults
    assert (tool.targets, model.targets) == (("orders.get_order",), ("model.chat",))
    assert [plan.bound[rule.id].kind.wire for rule in (tool, model)] == ["tool", "model"]
    assert (tool.phase, model.phase) == ("after", "before")


def test_of_two_sides_each_must_have_the_kind_where_targets_are_named_one_by_one(shop):
    wrong = shop.wrong_with("- { target: [orders.get_order, model.chat], kind: hang, nth: 1 }")
    assert "hang could never fire: it is a fault of the tool wire, and model.chat is not on it" in wrong
    wrong = shop.wrong_with("- { target: [orders.get_order, model.chat], kind: timeout, answer_after: 5 }")
    assert wrong.startswith("plan.yaml:1:60: unknown parameter 'answer_after' of timeout")


def test_of_two_sides_that_are_meant_as_a_whole_the_one_is_taken_that_has_the_kind(shop):
    rule = shop.rule("- { target: [default, model.*], kind: clean_eof, nth: 1 }")
    assert rule.targets == ("model.chat", "model.responses", "model.messages")


def test_a_kind_for_streams_passes_over_embeddings(shop):
    assert shop.rule("gpt-5-mini: [{ kind: clean_eof, nth: 1 }]").targets == (
        "model.chat", "model.responses", "model.messages"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("alias", "kind", "params"),
    [
        ("provider_error", "http_503", {}),
        ("malformed_output", "malformed_json", {}),
        ("partial_stream", "stream_disconnect", {"after": 1}),
    ],
)
def test_a_name_for_a_whole_class_is_a_kind(shop, alias, kind, params):
    rule = shop.rule(f"model.chat: {{ errors: {{ {alias}: 0.1 }} }}")
    assert (rule.kind, rule.params, rule.probability) == (kind, params, 0.1)


def test_what_such_a_name_sets_can_be_set_otherwise(shop):
    assert shop.rule("model.chat: [{ kind: partial_stream, nth: 1, after: 4 }]").params == {"after": 4}
    assert "put it under errors" in shop.wrong_with("model.chat: { partial_stream: 0.1 }").lower()


# ------------------------------------------------------------------------------------- values that arguments can have


@pytest.fixture
def find():
    """`find(when)`: the rule of a plan for one operation, `orders.find`, that has these conditions."""
    schemas: dict[str, dict[str, Any]] = {
        "id": {"type": "string"},
        "status": {"type": "string", "enum": ["placed", "shipped"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
        "tags": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "string"},
    }
    target = Target("orders.find", "find", fields=(*schemas, "more"), schemas=schemas, required=("id",), dated=True)
    search = Target("orders.search", "search", fields=("id",), schemas={"id": {"type": "integer"}})

    def found(when, where="orders.find"):
        return parse_plan(Inline([{"target": where, "kind": "hang", "when": when}]), [target, search]).rules.faults[0]

    return found


@pytest.mark.parametrize(
    "when",
    [
        {"id": "7"},
        {"id": ["7", "8"], "status": "placed"},
        {"limit": 100.0},
        {"tags": [["a", "b"], []]},
        {"more": 7},
        {"more": None},
        {"status": None},
        {"args": {"args": "x"}},
    ],
)
def test_a_value_that_an_argument_can_have_may_be_named(find, when):
    assert find(when).when.args


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (
            {"id": 7},
            (
                "['id']: hang could never fire: id of orders.find is text, and 7 is a number; did you mean '7'?\n"
                "    Put it in quotes."
            ),
        ),
        (
            {"id": ["7", 8]},
            (
                "['id'][1]: hang could never fire: id of orders.find is text, and 8 is a number; did you mean '8'?\n"
                "    Put it in quotes."
            ),
        ),
        (
            {"status": "plced"},
            (
                "['status']: hang could never fire: status of orders.find is one of placed, shipped, and "
                "'plced' is not; did you mean 'placed'?"
            ),
        ),
        (
            {"limit": 500},
            "['limit']: hang could never fire: limit of orders.find is a whole number from 1 to 100, and 500 is not",
        ),
        (
            {"tags": [["a", 5]]},
            (
                "['tags'][0][1]: hang could never fire: tags[1] of orders.find is text, and 5 is a number; "
                "did you mean '5'?\n    Put it in quotes."
            ),
        ),
        ({"id": None}, "['id']: hang could never fire: id of orders.find is text, and null is not"),
        (
            {"limit": None},
            "['limit']: hang could never fire: limit of orders.find is a whole number from 1 to 100, and null is not",
        ),
        (
            {"args": {"args": 5}},
            (
                "['args']['args']: hang could never fire: args of orders.find is text, and 5 is a number; "
                "did you mean '5'?\n    Put it in quotes."
            ),
        ),
        (
            {"args": {"idd": 5}},
            (
                "['args']['idd']: hang could never fire: orders.find takes no argument 'idd'; it takes id, status, "
                "limit, tags, args, more; did you mean 'id'?"
            ),
        ),
        (
            {"id": []},
            (
                "['id']: hang could never fire: no value of id is named here\n"
                "    Write a value, or a list of values of which one must match."
            ),
        ),
    ],
)
def test_one_that_it_cannot_have_is_told_with_its_place(find, when, said):
    with pytest.raises(UsageError) as caught:
        find(when)
    assert str(caught.value) == f"faults[0]['when']{said}"


def test_of_many_operations_those_are_taken_whose_argument_can_have_the_value(find):
    assert find({"id": 7}, "orders.*").targets == ("orders.search",)
    assert find({"id": "7"}, "orders.*").targets == ("orders.find",)


def test_where_none_can_the_one_is_told_that_was_probably_meant(find):
    with pytest.raises(UsageError, match=r"orders\.find takes no argument 'sttus'.*did you mean 'status'"):
        find({"sttus": "placed"}, "orders.*")
    with pytest.raises(UsageError, match=r"status of orders\.find is one of.*did you mean 'placed'"):
        find({"status": "plced"}, "orders.*")


@pytest.mark.parametrize(("newer", "older"), [("1h", "2h"), ("60m", "1h"), (0, 0)])
def test_ages_that_no_record_has_are_an_error(shop, newer, older):
    rule = {"kind": "hang", "when": {"newer_than": newer, "older_than": older}}
    assert shop.wrong_with({"orders.get_order": [rule]}) == (
        "faults['orders.get_order'][0]['when']['older_than']: "
        f"hang could never fire: no record is newer than {newer!r} and older than {older!r}\n"
        "    Let newer_than be the longer of the two, or write two rules."
    )


def test_ages_between_two_are_none(shop):
    rule = shop.rule("orders.get_order: [{ kind: hang, when: { newer_than: 2h, older_than: 1h } }]")
    assert (rule.when.newer_than, rule.when.older_than) == (7200.0, 3600.0)


WORLD = """
services:
  shop:
    records:
      order: { id: str, total: decimal, at: datetime, status: "enum[placed, shipped]", count: "int[1..5]" }
    operations:
      get: { kind: get, record: order }
      list: { kind: list, record: order, filter: [total, at, status, count.in] }
"""


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ({"status": "placed"}, {"status": "placed"}),
        ({"total": "12.50"}, {"total": "12.5"}),
        ({"total": 12.5}, {"total": Decimal("12.50")}),
        ({"at": "2025-06-01T12:00:00Z"}, {"at": datetime(2025, 6, 1, 12, tzinfo=UTC)}),
        ({"at": "2025-06-01T12:00:00Z"}, {"at": "2025-06-01T14:00:00+02:00"}),
        ({"count_in": [[1, 2]]}, {"count_in": [1, 2]}),
    ],
)
def test_a_worlds_arguments_mean_what_their_types_say(wanted, given):
    world = World.parse(parse(WORLD, format="yaml", name="w.yaml"))
    target = world.operations["list"].target
    plan = parse_plan(Inline([{"target": "shop.list", "kind": "hang", "when": wanted}]), [target])
    situation = Situation(target, Point("tool", "", "shop.list", "", 1), given, 0.0, lambda _: None)
    assert Keyed(plan.rules).decide(situation).rule is not None
    other = Situation(target, situation.point, {}, 0.0, lambda _: None)
    assert Keyed(plan.rules).decide(other).rule is None


@pytest.mark.parametrize(
    ("where", "wanted", "said"),
    [
        ("list", {"status": "plced"}, "status of shop.list is one of placed, shipped, "),
        ("list", {"total": "much"}, "total of shop.list is a decimal number"),
        ("list", {"at": "soon"}, "at of shop.list is a date and time such as 2025-06-01T12:00:00Z, and 'soon' is not"),
        ("list", {"count_in": [[1, 9]]}, "count_in[1] of shop.list is a whole number from 1 to 5, and 9 is not"),
        ("list", {"count_in": 1}, "count_in of shop.list is a list, and 1 is a number"),
        ("get", {"id": 7}, "id of shop.get is text, and 7 is a number; did you mean '7'?"),
    ],
)
def test_and_refuse_what_none_of_them_can_be(where, wanted, said):
    world = World.parse(parse(WORLD, format="yaml", name="w.yaml"))
    targets = [operation.target for operation in world.operations.values()]
    with pytest.raises(UsageError) as caught:
        parse_plan(Inline([{"target": f"shop.{where}", "kind": "hang", "when": wanted}]), targets)
    assert said in str(caught.value)
