"""Properties of the world's end state: what is wrong with one is found beforehand, what holds is asked afterwards."""

from __future__ import annotations

import pytest

from tests.runs.scenario.texts import LARGE, SCRIPT, WORLD, fault

TWICE = SCRIPT.replace(
    "[[turn]]\nexpect", '[[turn]]\ncall = "issue_refund"\narguments = { order = "7", amount = 5 }\n\n[[turn]]\nexpect'
)
LEDGER = """\
name: ledger
services:
  bank:
    records:
      account: { id: str, owner: str, cents: int, since: datetime, rate: decimal }
      note: { id: str, account: ref[bank.account] }
    seed:
      account:
        - { id: a, owner: Ada, cents: 5, since: "2025-01-01T00:00:00Z", rate: "1.50" }
        - { id: b, owner: Bob, cents: 7, since: "2025-02-01T00:00:00Z", rate: "0.50" }
    operations:
      update_account: { kind: update, record: account }
      add_note: { kind: create, record: note }
"""


def expecting(*properties):
    return f"{LARGE}\n[expect]\nproperties = [{', '.join(properties)}]\n"


@pytest.mark.parametrize(
    ("one", "problem"),
    [
        ('{ property = "at_most_onc" }', "8:28: 'property' cannot be 'at_most_onc'; did you mean 'at_most_once'?"),
        ('{ table = "refunds" }', "8:15: missing key 'property' in item 1 of 'properties'"),
        ('{ property = "at_most_once", by = "order" }', "8:15: at_most_once needs 'table'"),
        ('{ property = "at_most_once", table = "refunds" }', "8:15: at_most_once needs 'by'"),
        ('{ property = "conserved", table = "refunds" }', "8:15: conserved needs 'field'"),
        ('{ property = "no_orphans", table = "refunds" }', "8:42: no_orphans takes no 'table'"),
        ('{ property = "unchanged", by = "order" }', "8:41: unchanged takes no 'by'"),
        ('{ property = "at_most_once", table = "refunds", by = "order", of = ["7"] }', "at_most_once takes no 'of'"),
        (
            '{ property = "at_most_once", table = "refnds", by = "order" }',
            "8:52: the world 'shop' has no table 'refnds'",
        ),
        (
            '{ property = "at_most_once", table = "refunds", by = "ordr" }',
            "8:68: payments.refund has no field 'ordr'; did you mean 'order'?",
        ),
        (
            '{ property = "at_most_once", table = "refunds", by = ["order", "amt"] }',
            "8:78: payments.refund has no field 'amt'",
        ),
        ('{ property = "at_most_once", table = "refunds", by = [] }', "'by' names no field"),
        ('{ property = "conserved", table = "refunds", field = "amont" }', "no field 'amont'; did you mean 'amount'?"),
        (
            '{ property = "conserved", table = "refunds", field = "order" }',
            "the field 'order' of payments.refund is no number",
        ),
        ('{ property = "exactly_once", table = "refunds", by = "order", of = [7] }', "8:83: order: 7 is not a string"),
        ('{ property = "exactly_once", table = "refunds", by = "amount", of = [0] }', "amount: 0"),
        (
            '{ property = "exactly_once", table = "refunds", by = "at", of = ["soon"] }',
            "at: 'soon' is not a date and time",
        ),
        (
            '{ property = "exactly_once", table = "refunds", by = ["order", "amount"], of = ["7"] }',
            "'7' is no list of 2 values, one for each of order, amount",
        ),
        ('{ property = "exactly_once", table = "refunds", by = ["order"], of = [["7", 4]] }', "is no list of 1 values"),
        ("7", "must be a mapping or text, not 7"),
    ],
)
def test_a_property_that_makes_no_sense_is_refused(lab, one, problem):
    wrong = lab.wrong_with(expecting(one))
    assert any(problem in each for each in wrong)
    assert all(each.startswith("scenario.toml:8:") for each in wrong)


def test_several_wrong_ones_are_told_at_once(lab):
    wrong = lab.wrong_with(
        expecting('{ property = "conserved" }', '{ property = "wrong" }', '{ property = "unchanged", of = [] }')
    )
    assert len(wrong) == 4


def test_of_a_world_that_is_wrong_tables_are_taken_on_trust(lab):
    lab.write("world.yaml", WORLD.replace("int[1..]", "itn"))
    wrong = lab.wrong_with(expecting('{ property = "at_most_once", table = "anything", by = "order" }'))
    assert [each.partition(":")[0] for each in wrong] == ["world.yaml"]


HOLDING = [
    '{ property = "at_most_once", table = "refunds", by = "order" }',
    '{ property = "at_most_once", table = "payments.refund", by = ["order"] }',
    '{ property = "exactly_once", table = "refund", by = "order" }',
    '{ property = "exactly_once", table = "refunds", by = "order", of = ["7"] }',
    '{ property = "exactly_once", table = "refunds", by = ["order", "amount"], of = [["7", 40]] }',
    '{ property = "no_orphans" }',
]
BROKEN = [
    ('{ property = "unchanged" }', "1 row has changed that should not have"),
    ('{ property = "conserved", table = "refunds", field = "amount" }', "the sum of payments.refund.amount was 0"),
    ('{ property = "exactly_once", table = "refunds", by = "order", of = ["7", "8"] }', "there is none for '8'"),
    (
        '{ property = "exactly_once", table = "refunds", by = ["order", "amount"], of = [["7", 41]] }',
        "none for ('7', 41)",
    ),
]


@pytest.mark.parametrize("one", HOLDING)
def test_a_property_that_holds_is_met(lab, one):
    assert lab.run(expecting(one)).record.met


@pytest.mark.parametrize(("one", "reason"), BROKEN)
def test_a_property_that_does_not_hold_says_so(lab, one, reason):
    record = lab.run(expecting(one)).record
    assert (record.met, record.status) == (False, "failed")
    assert any(reason in each for each in record.reasons)


def test_every_property_that_does_not_hold_is_told(lab):
    record = lab.run(expecting(*(one for one, _ in BROKEN))).record
    assert len(record.reasons) == len(BROKEN)


def test_a_world_that_nothing_happened_to_is_unchanged(lab):
    lab.write("script.toml", '[[turn]]\nsay = "no"\n')
    assert lab.run(expecting('{ property = "unchanged" }')).record.met


@pytest.mark.parametrize(("of", "met"), [("2025-01-01T01:00:00+01:00", True), ("2025-01-01T01:00:00Z", False)])
def test_moments_are_meant_however_they_are_written(lab, of, met):
    lab.write("world.yaml", LEDGER)
    lab.write("script.toml", '[[turn]]\nsay = "nothing to do"\n')
    one = f'{{ property = "exactly_once", table = "accounts", by = "since", of = ["{of}"] }}'
    assert lab.run(expecting(one)).record.met == met


@pytest.mark.parametrize(("of", "met"), [('"1.5"', True), ("1.5", True), ('"1.51"', False)])
def test_so_are_exact_numbers(lab, of, met):
    lab.write("world.yaml", LEDGER)
    lab.write("script.toml", '[[turn]]\nsay = "nothing to do"\n')
    one = f'{{ property = "exactly_once", table = "accounts", by = "rate", of = [{of}] }}'
    assert lab.run(expecting(one)).record.met == met


def test_late_effects_are_among_what_is_judged(lab):
    late = fault("timeout", target="payments.issue_refund", nth=1, phase="late", late_by=90)
    text = expecting('{ property = "at_most_once", table = "refunds", by = "order" }') + late
    record = lab.run(text, "careless").record
    assert not record.met
    assert "at most one refund per order, but '7' has 2" in record.reasons[0]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("assert len(world.refunds) == 0, 'one too many'", "one too many"),
        ("assert len(world.refunds) == 0", "rules.small does not hold"),
        ("assert len(world.refunds) == 1", None),
        ("raise KeyError('balance')", "balance"),
    ],
)
def test_a_function_of_ones_own_is_asked(lab, body, reason):
    lab.write("rules.py", f"def small(world):\n    {body}\n")
    record = lab.run(expecting('"rules.small"')).record
    assert record.met == (reason is None)
    assert reason is None or any(reason in each for each in record.reasons)
