"""What a policy does not allow, and what looks like it and is allowed."""

from __future__ import annotations

import pytest

from squall.checks.policy import breaches, policy_of
from squall.checks.story import story_of


@pytest.fixture
def judged(run):
    def judge(policy, user_id=None):
        return breaches(story_of(run.trace), policy_of(policy), user_id)

    return judge


@pytest.fixture
def told(judged):
    """The words of each breach."""
    return lambda policy, user_id=None: [breach.what for breach in judged(policy, user_id).breaches]


def refund(**limits):
    return {"tools": {"refund": limits}}


def test_a_tool_that_is_not_allowed_is_told_with_the_nearest(run, judged):
    run.talk().uses("get_order", {"id": "1"}).uses("get_orders", {"id": "1"}).says("done")
    [breach] = judged({"allow": ["get_order", "refund"]}).breaches
    assert breach == (4, "step 4: get_orders is not among the tools that are allowed, did it mean 'get_order'?")


def test_with_an_empty_list_no_tool_is_allowed(run, told):
    run.talk().uses("get_order").says("done")
    assert told({"allow": []}) == ["step 2: get_order is not among the tools that are allowed"]


def test_the_call_that_is_one_too_many_is_told_once(run, judged):
    talk = run.talk()
    for _ in range(4):
        talk.uses("get_order", {"id": "1"})
    talk.says("done")
    assert judged({"max_calls": 2}).breaches == ((6, "step 6: get_order is one call more than max_calls (2)"),)
    assert judged({"max_calls": 4}).breaches == ()
    assert [b.what for b in judged({"tools": {"get_order": {"max_calls": 3}}}).breaches] == [
        "step 8: get_order is called once more than max_calls (3)"
    ]


def test_zero_calls_means_none(run, told):
    run.talk().uses("refund").says("done")
    assert told({"max_calls": 0}) == ["step 2: refund is one call more than max_calls (0)"]


def test_conversations_that_share_nothing_are_counted_apart(run, told):
    for number in range(3):
        run.talk(f"refund order {number}").uses("refund", {"order": number}).says("done")
    assert told({"max_calls": 1} | refund(max_calls=1)) == []


def test_long_arguments_are_counted_as_the_model_wrote_them(run, told):
    run.talk().uses("note", '{"text":   "abcdefgh"}').says("done")
    assert told({"max_arg_chars": 22}) == []
    assert told({"max_arg_chars": 21}) == ["step 2: the arguments of note have 22 characters, max_arg_chars is 21"]


def test_arguments_that_only_a_hook_saw_are_counted_as_json(run, told):
    run.hook("note", {"text": "ü"})
    assert told({"max_arg_chars": 13}) == []
    assert told({"max_arg_chars": 12}) == ["step 1: the arguments of note have 13 characters, max_arg_chars is 12"]


@pytest.mark.parametrize("value", [501, 500.01, "$900.00", "900", "USD 1,200", "1.200,50 €", [1, 501], 10**400])
def test_an_argument_above_its_limit_is_a_breach(run, told, value):
    run.talk().uses("refund", {"amount": value}).says("done")
    [what] = told(refund(limits={"amount": 500}))
    assert what.startswith("step 2: refund: amount")
    assert what.endswith("more than its limit of 500")


@pytest.mark.parametrize("value", [500, 500.0, "$500.00", -900, None, True, "all of it", "A900", "2025.06.01", [], {}])
def test_an_argument_within_its_limit_or_without_a_number_is_none(run, told, value):
    run.talk().uses("refund", {"amount": value}).says("done")
    assert told(refund(limits={"amount": 500})) == []


def test_dotted_paths_reach_what_is_nested(run, told):
    run.talk().uses("refund", {"refund": {"amount": 900}, "items": [{"price": 1}, {"price": 900}]}).says("done")
    assert told(refund(limits={"refund.amount": 500, "items.price": 500, "items.0.price": 500, "no.such": 1})) == [
        "step 2: refund: refund.amount is 900, more than its limit of 500",
        "step 2: refund: items.1.price is 900, more than its limit of 500",
    ]


def test_a_value_that_is_not_among_those_allowed(run, told):
    run.talk().uses("refund", {"currency": "GBP; DROP"}).says("done")
    assert told(refund(allowed_values={"currency": ["USD", "EUR"]})) == [
        "step 2: refund: currency is 'GBP, DROP', and allowed are ['USD', 'EUR']"
    ]


@pytest.mark.parametrize(
    ("value", "allowed", "fine"),
    [
        ("USD", ["USD"], True),
        ("usd", ["USD"], False),
        (1, [1.0], True),
        (1, [True], False),
        (True, [1], False),
        (None, ["USD"], True),
        (["a", "b"], ["a", "b"], True),
        (["a", "c"], ["a", "b"], False),
        (["a", "c"], [["a", "c"]], True),
        ({"x": 1}, [{"x": 1}], True),
    ],
)
def test_values_are_compared_as_json(run, told, value, allowed, fine):
    run.talk().uses("refund", {"currency": value}).says("done")
    assert (told(refund(allowed_values={"currency": allowed})) == []) is fine


def test_a_required_argument_is_missing_where_it_is_absent_or_null(run, told):
    run.talk().uses("refund", {"order": None, "amount": 0, "deep": {"list": []}}).says("done")
    assert told(refund(required_args=["order", "reason", "amount", "deep.list", "deep.er"])) == [
        "step 2: refund is called without order, which is required",
        "step 2: refund is called without reason, which is required",
        "step 2: refund is called without deep.er, which is required",
    ]


def test_arguments_that_are_no_json_lack_what_is_required(run, told):
    run.talk().uses("refund", '{"order": "1"').says("done")
    assert told(refund(required_args=["order"])) == ["step 2: refund is called without order, which is required"]


def test_the_identity_has_to_be_the_runs_user(run, told):
    run.talk().uses("refund", {"customer": "u2"}).uses("refund", {}).uses("refund", {"customer": "u1"}).says("done")
    assert told(refund(identity_arg="customer"), "u1") == [
        "step 2: refund: customer is 'u2', and the run is for the user 'u1'",
        "step 4: refund is called without customer, which has to be the user 'u1'",
    ]


def test_a_user_that_is_a_number_is_the_same_as_text(run, told):
    run.talk().uses("refund", {"customer": 7}).uses("refund", {"customer": "7"}).says("done")
    assert told(refund(identity_arg="customer"), 7) == []


def test_without_a_user_the_identity_cannot_be_told(run, judged):
    run.talk().uses("refund", {"customer": "u2"}).uses("refund", {"customer": "u3"}).says("done")
    found = judged(refund(identity_arg="customer"))
    assert found.breaches == ()
    [why] = found.untold
    assert why.startswith("whether customer of refund is the user's own: nobody says whom the run is for")


def test_a_tool_that_has_to_have_succeeded_before(run, told):
    talk = run.talk().uses("refund", {"n": 1})
    talk.uses("verify", {}, "Error: no such user").uses("refund", {"n": 2})
    talk.uses("verify", {}, "verified").uses("refund", {"n": 3}).says("done")
    assert told(refund(requires=["verify"])) == [
        "step 2: refund is called, and no verify succeeded before",
        "step 6: refund is called, and verify was called before without success",
    ]


def test_a_misspelt_tool_that_is_required_is_told(run, told):
    run.talk().uses("verify_identity").uses("refund").says("done")
    assert told(refund(requires=["verify_idenity"])) == [
        "step 4: refund is called, and no verify_idenity succeeded before, did it mean 'verify_identity'?"
    ]


def test_parallel_calls_count_in_the_order_in_which_they_are_asked_for(run, told):
    run.talk().calls("verify", "refund").results("verified", "refunded").says("done")
    assert told(refund(requires=["verify"])) == []


def test_a_success_in_an_independent_conversation_is_not_this_ones(run, told):
    run.talk("for ann").uses("verify").uses("refund").says("done")
    run.talk("for bob").uses("refund").says("done")
    assert told(refund(requires=["verify"])) == [
        "step 7: refund is called, and verify succeeded before only in another conversation"
    ]


def test_an_agent_that_work_is_handed_to_belongs_to_the_one_that_handed_it(run, told):
    talk = run.talk("refund my order").calls("ask_verifier")
    run.talk("verify ann", system="you verify").uses("verify").says("verified")
    talk.results("verified").uses("refund").says("done")
    assert told(refund(requires=["verify"])) == []


def test_a_budget_sums_over_the_whole_run_and_is_told_once(run, told):
    for number in range(3):
        run.talk(f"order {number}").uses("refund", {"amount": "$0.10"}).says("done")
    assert told(refund(budget={"amount": 0.3})) == []
    assert told(refund(budget={"amount": 0.2})) == [
        "step 8: refund: amount comes to 0.30 over the run, more than its budget of 0.2"
    ]
    assert len(told(refund(budget={"amount": 0}))) == 1


def test_a_call_that_failed_spends_nothing_unless_it_changed_something(run, told):
    run.hook("refund", {"amount": 300}, access="write", error="declined")
    run.hook("refund", {"amount": 300}, access="write", result={"ok": True}, effects=1)
    assert told(refund(budget={"amount": 500})) == []
    run.hook("refund", {"amount": 300}, access="write", form="timeout", error="timed out", effects=1)
    assert told(refund(budget={"amount": 500})) == [
        "step 3: refund: amount comes to 600 over the run, more than its budget of 500"
    ]


def test_a_sum_of_any_size_is_told_in_a_few_characters(run, told):
    run.talk().uses("refund", {"amount": "9e999"}).uses("refund", {"amount": -(10**400)}).says("done")
    assert told(refund(budget={"amount": 500})) == [
        "step 2: refund: amount comes to 9.00000000000000e+999 over the run, more than its budget of 500"
    ]


def test_a_complete_run_has_an_answer(run, told):
    run.talk().uses("get_order").says("It is on its way.")
    assert told({"require_complete": True}) == []


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (lambda talk: talk.says(""), "is empty"),
        (lambda talk: talk.calls("get_order"), "is a call of get_order"),
        (lambda talk: talk.says("It is", finish="length"), "was cut off"),
        (lambda talk: talk.says("No.", finish="refusal"), "is a refusal"),
        (lambda talk: talk.says("It i", complete=False), "broke off"),
        (lambda talk: talk.reply(None, ok=False, error="503"), "is an error ('503')"),
        (lambda talk: talk.ask(), "never came"),
    ],
)
def test_a_run_without_an_answer_is_not_complete(run, told, end, why):
    end(run.talk())
    assert told({"require_complete": True}) == [f"step 1: the run has to be complete, and its last reply {why}"]
    assert told({}) == []


def test_a_run_that_ends_by_an_exception_is_not_complete(run, judged):
    run.talk().says("done")
    run.final(error="ValueError: no")
    assert judged({"require_complete": True}).breaches == (
        (None, "the run has to be complete, and ended by 'ValueError: no'"),
    )


def test_what_an_agent_gives_back_itself_completes_its_run(run, told):
    run.talk().calls("final")
    run.final(answer="done")
    assert told({"require_complete": True}) == []


def test_an_answer_that_a_request_forces_into_a_call_is_one(run, told):
    run.talk(tool_choice={"type": "function", "function": {"name": "answer"}}, tools=["answer"]).calls("answer")
    assert told({"require_complete": True}) == []


def test_of_a_run_whose_end_was_not_recorded_it_cannot_be_told(run, judged):
    run.hook("get_order")
    assert judged({"require_complete": True}) == (
        (),
        ("whether the run is complete: nothing was recorded of how the run ended",),
    )


def test_names_that_models_make_up_do_not_part_a_reason(run, told):
    run.talk().uses("a; b\nc").says("done")
    assert told({"allow": []}) == ["step 2: 'a, b\\nc' is not among the tools that are allowed"]
